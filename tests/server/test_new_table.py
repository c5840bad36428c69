"""Tables of recorded games that go on: they are as they were after the last step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import pytest
from support.budgets import few, some
from support.careless_clients import CLIENTS, OPENING, Hosted, careless, state_of
from support.rows import each_row

from ump.game.deals import secret_of
from ump.record.journal import (
    Journal,
    JournalError,
    JournalHeader,
    JournalPlayer,
    JournalStep,
    PlayerKind,
    read_journal,
    read_last_kyoku,
    write_header,
    write_step,
)
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.server.new_table import restored
from ump.table.chair import PaceState
from ump.table.journal_entries import Faults
from ump.table.messages import Begin
from ump.table.opening import Opening, TableSettings


def header_of(opening: Opening) -> JournalHeader:
    """Return the header of a game with two clients and two built-in bots."""
    client, bot = JournalPlayer(PlayerKind.CLIENT, "UMP 0.1", "ab" * 32), JournalPlayer(PlayerKind.BOT, "tsumogiri")
    players = tuple(client if seat in CLIENTS else bot for seat in range(len(opening.players)))
    return JournalHeader(opening, "main", "2026-11-22T21:00:00Z", "ump", players)


def opening(seed: int, **settings: Any) -> Opening:
    """Return the opening of an east-only game."""
    ruleset = replace(PRESETS["ump"], length=Length.TONPU)
    return replace(
        OPENING,
        ruleset=ruleset,
        secret=secret_of(str(seed)),
        settings=TableSettings(grace=20.0, refusals=0, **settings),
    )


def lines_of(hosted: Hosted, seed: int) -> Iterator[tuple[str, object]]:
    """Play a game with careless clients; yield the journal's line of each step, and the state after it."""
    hosted.take(Begin())
    yield line_of(hosted), state_of(hosted.host)
    kept = 1
    for given in careless(hosted, Random(seed)):
        hosted.take(given)
        if len(hosted.steps) > kept:
            kept += 1
            yield line_of(hosted), state_of(hosted.host)


def line_of(hosted: Hosted) -> str:
    """Return the line of the last step, as a journal writes it."""
    entries, now = hosted.steps[-1]
    return write_step(JournalStep(now, entries, hosted.started))


@pytest.mark.no_cover
@each_row(("faults", "takeover", "seed"), some([*product(Faults, (None, "tsumogiri"), (0, 4, 1, 2, 3))], 7))
def test_a_table_is_restored_from_any_line(faults: Faults, takeover: str | None, seed: int) -> None:
    """The text of a journal, cut after any line, gives the table in exactly the state that it had there."""
    check_restored(opening(seed, takeover=takeover, faults=faults, ask_all=seed == 4), seed)


@pytest.mark.no_cover
def test_a_table_of_three_is_restored_from_any_line() -> None:
    """The same with norths, and a seat fewer."""
    settings = replace(opening(0), ruleset=PRESETS["tenhou3"], players=("A", "B", "C"), retries=(2, 0, 2))
    check_restored(settings, 0)


def check_restored(settings: Opening, seed: int) -> None:
    """Play a game, and restore its table from the text of the journal after some of its lines."""
    first = write_header(header_of(settings))
    played = list(lines_of(Hosted(settings), seed))
    texts = [line for line, _ in played]
    cuts = {1, len(texts), *Random(seed).sample(range(1, len(texts)), min(few(12), len(texts) - 1))}
    for cut in cuts:
        data = "".join(f"{line}\n" for line in (first, *texts[:cut])).encode()
        journal = read_journal(data)
        assert [write_step(step) for step in journal.steps] == texts[:cut]
        assert state_of(restored(journal)) == played[cut - 1][1]
        tail = read_last_kyoku(data + b'[9,"tim')
        assert tail.steps == journal.steps[journal.last_start or 0 :]
        assert tail.torn == 7
        assert state_of(restored(tail)) == played[cut - 1][1]
        whole = Journal(journal.header, [replace(step, start=None) for step in journal.steps], 0)
        assert state_of(restored(whole)) == played[cut - 1][1]


def test_the_header_is_read_as_written() -> None:
    """A header that is written and read is the same, and gives the opening of the game."""
    settings = opening(1, takeover="efficiency", faults=Faults.CHOMBO, ask_all=True)
    paces = PaceState((400, 500), (1, 2, 3)), None, PaceState(), None
    header = header_of(replace(settings, paces=paces))
    journal = read_journal(f"{write_header(header)}\n".encode())
    assert journal == Journal(header, [], 0)


def test_an_unfinished_last_line_is_left_out() -> None:
    """Any part of the last line may be missing; the journal then ends with the line before."""
    settings = opening(2)
    texts = [line for line, _ in lines_of(Hosted(settings), 2)][:20]
    data = "".join(f"{line}\n" for line in (write_header(header_of(settings)), *texts)).encode()
    last = len(texts[-1]) + 1
    for missing in range(1, last):
        journal = read_journal(data[:-missing])
        assert (len(journal.steps), journal.torn) == (19, last - missing)


def test_the_last_kyoku_names_the_lines_of_the_whole_journal() -> None:
    """A damaged line has its number in the file; damage before the last kyoku is not seen."""
    settings = opening(2)
    first = write_header(header_of(settings))
    texts = [line for line, _ in lines_of(Hosted(settings), 2)]
    starts = [number for number, line in enumerate(texts, 2) if '"kyoku"' in line]
    lines = [first, *texts]
    lines[1] = "damaged"
    read_last_kyoku("\n".join([*lines, ""]).encode())
    lines[starts[-1]] = "damaged"
    with pytest.raises(JournalError, match=f"line {starts[-1] + 1}: "):
        read_last_kyoku("\n".join([*lines, ""]).encode())


@each_row("data", [b"", b"\n", b"{}\n", b'"kyoku":{\n"kyoku":{\n'])
def test_the_last_kyoku_of_no_journal(data: bytes) -> None:
    """Other files are refused."""
    with pytest.raises(JournalError, match=r"line 1|not a journal|damaged first line"):
        read_last_kyoku(data)


@each_row(
    ("line", "reason"),
    [
        ("", "line 3"),
        ("nonsense", "line 3"),
        ("[1]", "line 3"),
        ('{"journal":1}', "line 3"),
        ('[1,"answer",4,"no"]', "line 3: 4 is not a seat"),
        ('[1,"answer",0,"sute 9z"]', "line 3"),
        ('[1,"answer",0,"chi 1m"]', "line 3: 'chi 1m' is not an action"),
        ('[1,"answer",0]', "line 3"),
        ('[1,"refused",0,"whim"]', "line 3"),
        ('[-1,"time"]', "line 3"),
        ('[1,"time",{"next":1}]', "line 3"),
        ('[1,"ended","completed",[1,2]]', "line 3"),
        ("[" * 100_000, "line 3"),
        ("é", "line 3: not ASCII"),
    ],
)
def test_a_damaged_line_is_named(line: str, reason: str) -> None:
    """A line that cannot be read is refused with its number."""
    first = write_header(header_of(opening(1)))
    with pytest.raises(JournalError, match=reason):
        read_journal(f'{first}\n[0,"began"]\n{line}\n[9,"time"]\n'.encode())


@each_row(
    ("old", "new", "reason"),
    [
        ('"journal":1', '"journal":2', "version 2 of the format is unknown"),
        ('"journal":1', '"diary":1', "not a journal"),
        ('"tobi":"', '"tobby":"', "unknown rule 'tobby'"),
        ('"time":"5+10"', '"time":"5"', "damaged first line"),
        ('"commitment":"', '"commitment":"0', "not the one of the commitment"),
        ('"retries":2', '"retries":"2"', "not a number of retries"),
        ('"grace":20.0', '"grace":-1', "not a number of seconds"),
        ('"room":"main"', '"room":1', "1 is not a text"),
        ('"ask_all":false', '"ask_all":0', "neither true nor false"),
        ('"scheme":"ump-wall-2"', '"scheme":"dice"', "made in an unknown way"),
    ],
)
def test_a_damaged_header(old: str, new: str, reason: str) -> None:
    """A first line that is not a header of this version is refused with the reason."""
    first = write_header(header_of(opening(1)))
    assert old in first
    with pytest.raises(JournalError, match=reason):
        read_journal(f"{first.replace(old, new, 1)}\n".encode())


def test_a_journal_that_does_not_fit_its_walls_is_refused() -> None:
    """Inputs that are illegal with the walls of the header are refused, with the input."""
    texts = [line for line, _ in lines_of(Hosted(opening(1)), 1)]
    data = "".join(f"{line}\n" for line in (write_header(header_of(opening(3))), *texts)).encode()
    with pytest.raises(JournalError, match=r"^replaying "):
        restored(read_journal(data))


@each_row(("old", "new"), [('"takeover":null', '"takeover":"shark"'), ('"speaks":"tsumogiri"', '"speaks":"shark"')])
def test_a_game_with_an_unknown_bot_cannot_go_on(old: str, new: str) -> None:
    """A built-in bot that this program does not have is named."""
    first = write_header(header_of(opening(1)))
    assert old in first
    journal = read_journal(f'{first.replace(old, new, 1)}\n[0,"began"]\n'.encode())
    with pytest.raises(JournalError, match="unknown built-in bot 'shark'"):
        restored(journal)
