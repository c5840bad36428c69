"""The options that say what is written down: records, logs and traces."""

from __future__ import annotations

from pathlib import Path

from ump.database.place import Place
from ump.server import option_kinds as kinds
from ump.server.journal_writer import Sync
from ump.server.log_format import LogFormat
from ump.server.option import Group, Option, Scope
from ump.server.option_kinds import Kind

RECORD_DIR: Option[Path] = Option(
    "record-dir",
    kinds.FOLDER,
    Path("ump-records"),
    Group.GAMES,
    Scope.SERVER,
    "Folder for the journal of each game, from which games go on after a restart; none: no game is recorded.",
    "ump-records",
    "records",
)
INDEX: Option[Place | None] = Option(
    "index",
    kinds.PLACE,
    None,
    Group.GAMES,
    Scope.SERVER,
    "Index of records that servers share, as postgresql://USER@HOST/DATABASE; by default each record-dir has its own.",
    "in record-dir",
    "shared-index",
)
SYNC: Option[Sync] = Option(
    "sync",
    kinds.word("WHEN", "time to sync", {each.value: each for each in Sync}),
    Sync.KYOKU,
    Group.GAMES,
    Scope.SERVER,
    "When journals are brought to the disk, to survive a loss of power: always, kyoku (at its start) or never.",
    Sync.KYOKU.value,
    "records",
)
LOG_DIR: Option[Path | None] = Option(
    "log-dir",
    kinds.FOLDER,
    None,
    Group.GAMES,
    Scope.SERVER,
    "Folder for a log of each game, in mjai's format (.mjson), with all hands visible.",
    "no logs",
)
LOG_FILE: Option[Path | None] = Option(
    "log-file",
    Kind("FILE", kinds.FOLDER.read),
    None,
    Group.GAMES,
    Scope.SERVER,
    "File for the server's log from info on, besides the log of the program that starts it.",
    "none",
    "the-log",
)
LOG_SIZE: Option[int] = Option(
    "log-size",
    kinds.number(1),
    10,
    Group.GAMES,
    Scope.SERVER,
    "MiB after which --log-file begins a new file.",
    "10",
    "the-log",
)
LOG_FILES: Option[int] = Option(
    "log-files",
    kinds.number(1),
    8,
    Group.GAMES,
    Scope.SERVER,
    "Older files of --log-file that are kept.",
    "8",
    "the-log",
)
LOG_FORMAT: Option[LogFormat] = Option(
    "log-format",
    kinds.word("FORMAT", "log format", {each.value: each for each in LogFormat}),
    LogFormat.TEXT,
    Group.GAMES,
    Scope.SERVER,
    "Form of --log-file, and of the standard output of ump serve: text, or json with the fields of each line.",
    LogFormat.TEXT.value,
    "the-log",
)
TRACE: Option[Path | None] = Option(
    "trace",
    kinds.FOLDER,
    None,
    Group.GAMES,
    Scope.SERVER,
    "Folder for what each connection sends and receives, with the reasons for refusals; for authors of bots.",
    "no traces",
    "traces",
)

RECORD_OPTIONS = (RECORD_DIR, INDEX, SYNC, LOG_DIR, LOG_FILE, LOG_SIZE, LOG_FILES, LOG_FORMAT, TRACE)
"""All of them, in the order of the documentation."""
