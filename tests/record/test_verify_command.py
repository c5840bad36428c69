"""``ump verify``: files, folders and archives, output, and exit status."""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from support.rows import each_row
from support.written_record import RECORD

from ump.cli.main import main
from ump.record.formats import FORMATS
from ump.record.record_files import MOST_BYTES, files_at, records_in

FORMAT_NAMES = ", ".join(each.name for each in FORMATS if each.read is not None)
ALTERED = RECORD.replace('ten="50,6400,0"', 'ten="50,6500,0"')


def verify(*arguments: object) -> Result:
    """Run the command with these arguments, in one process."""
    return CliRunner().invoke(main, ["verify", "--jobs", "1", *map(str, arguments)], catch_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a good record, an altered one in a subfolder, a damaged one, and a file that is not a record."""
    (tmp_path / "good.xml").write_text(RECORD, encoding="utf-8")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "altered.mjlog").write_bytes(gzip.compress(ALTERED.encode()))
    (tmp_path / "damaged.xml.gz").write_bytes(gzip.compress(RECORD.encode())[:-9])
    (tmp_path / "README.md").write_text("no record", encoding="utf-8")
    return tmp_path


def test_a_good_record(folder: Path) -> None:
    """The command prints totals and exits with status 0."""
    result = verify(folder / "good.xml")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        "files    1: 1 equal",
        "games    1, 0 of them incomplete",
        "kyoku    3, 0 of them not compared to the end",
        "walls    0 from the seed in the record, 3 rebuilt from the events",
        "events   34",
        "wins     2: ron 2",
        "draws    1: kyushukyuhai 1",
        "no mismatch",
    ]


def test_mismatches_and_damage_are_listed(folder: Path) -> None:
    """Each mismatch and each damaged record is one line; the other records still count, and the exit status is 2."""
    result = verify(folder)
    assert result.exit_code == 2
    lines = result.stdout.splitlines()
    assert lines[0] == "files    3: 1 equal, 1 different, 1 damaged"
    assert lines[-3:] == [
        f"{folder}/damaged.xml.gz: unreadable: damaged gzip: "
        "Compressed file ended before the end-of-stream marker was reached",
        f"{folder}/inner/altered.mjlog: kyoku 1, event 9, HandWon: expected worth 6500; found worth 6400",
        "1 mismatch, 1 unreadable",
    ]


@pytest.mark.parametrize(
    ("names", "status", "last"),
    [
        (["good.xml"], 0, "no mismatch"),
        (["inner"], 1, "1 mismatch"),
        (["inner", "inner/altered.mjlog"], 1, "2 mismatches"),
        (["damaged.xml.gz"], 2, "nothing compared, 1 unreadable"),
        (["README.md"], 2, "nothing compared, 1 unreadable"),
        (["empty.zip"], 2, "nothing compared, 1 unreadable"),
        (["good.xml", "README.md"], 2, "no mismatch in 1 game, 1 unreadable"),
        (["good.xml", "good.xml", "empty.zip", "README.md"], 2, "no mismatch in 2 games, 2 unreadable"),
        (["inner", "damaged.xml.gz"], 2, "1 mismatch, 1 unreadable"),
    ],
)
def test_exit_status_and_last_line(folder: Path, names: list[str], status: int, last: str) -> None:
    """Unreadable records outrank mismatches, and never end in "no mismatch"."""
    with zipfile.ZipFile(folder / "empty.zip", "w") as archive:
        archive.writestr("notes.txt", "no record")
    result = verify(*(folder / name for name in names))
    assert (result.exit_code, result.stderr) == (status, "")
    assert result.stdout.splitlines()[-1] == last


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("damaged.xml.gz", "damaged gzip: Compressed file ended before the end-of-stream marker was reached"),
        ("README.md", f"not a record: expected {FORMAT_NAMES}"),
        ("empty.zip", "no records in this archive: expected names such as game.xml"),
    ],
)
def test_an_unreadable_file_is_named_with_the_reason(folder: Path, name: str, why: str) -> None:
    """In one line, and in JSON."""
    with zipfile.ZipFile(folder / "empty.zip", "w") as archive:
        archive.writestr("notes.txt", "no record")
    path = folder / name
    assert f"{path}: unreadable: {why}" in verify(path).stdout.splitlines()
    assert json.loads(verify(path, "--json").stdout)["damaged"] == [{"file": str(path), "why": why}]


def test_json(folder: Path) -> None:
    """The output is one document with totals, damage and mismatches."""
    told = json.loads(verify(folder, "--json").stdout)
    assert told["outcomes"] == {"equal": 1, "unknown rules": 0, "different": 1, "damaged": 1}
    assert (told["games"], told["kyoku"], told["walls"]) == (2, 6, {"from_seed": 0, "laid_out": 6})
    assert [each["file"] for each in told["damaged"]] == [f"{folder}/damaged.xml.gz"]
    (mismatch,) = told["mismatches"]
    assert mismatch == {
        "file": f"{folder}/inner/altered.mjlog",
        "kyoku": 1,
        "event": 9,
        "what": "HandWon",
        "expected": "worth 6500",
        "found": "worth 6400",
    }


def test_one_rule_is_set(folder: Path) -> None:
    """Each command that reads records takes ``--set``, and refuses a wrong field in one line."""
    path = folder / "good.xml"
    for command in (
        ["verify"],
        ["verify", "--lint"],
        ["convert", "--to", "text"],
        ["stats"],
        ["review", "--seat", "A"],
    ):
        words = [*command, str(path), "--set", "uma=30,10,-10,-30", "--set", "kiriage=yes"]
        assert CliRunner().invoke(main, words).exit_code == 0, command
        refused = CliRunner().invoke(main, [*words, "--set", "kiriage=maybe"])
        assert (refused.exit_code, refused.stderr) == (2, "Error: --set: kiriage='maybe': expected yes|no\n")


def test_several_processes_print_the_same(folder: Path) -> None:
    """The order of the output does not depend on the number of processes."""
    for number in range(20):
        (folder / f"more-{number}.xml").write_text(RECORD, encoding="utf-8")
    two = CliRunner().invoke(main, ["verify", "--jobs", "2", str(folder)], catch_exceptions=False)
    assert two.stdout == verify(folder).stdout


def zipped(path: Path) -> Path:
    """Pack a record, a record that is too long, and a text into a .zip."""
    archive = path / "records.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("a/one.xml", RECORD)
        packed.writestr("long.xml", b" " * (5 * MOST_BYTES))
        packed.writestr("notes.txt", "no record")
    return archive


def tarred(path: Path) -> Path:
    """Pack the same into a .tar.gz, with a link that points outside."""
    archive = path / "records.tar.gz"
    with tarfile.open(archive, "w:gz") as packed:
        for name, data in (("a/one.xml", RECORD.encode()), ("long.xml", b" " * (5 * MOST_BYTES)), ("n.txt", b"")):
            member = tarfile.TarInfo(name)
            member.size = len(data)
            packed.addfile(member, io.BytesIO(data))
        link = tarfile.TarInfo("link.xml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(link)
    return archive


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_records_in_archives(tmp_path: Path, pack: Callable[[Path], Path]) -> None:
    """Records in archives count like files; a member that is too long is never read to its end."""
    archive = pack(tmp_path)
    lines = verify(archive).stdout.splitlines()
    assert lines[0] == "files    2: 1 equal, 1 damaged"
    assert lines[-2] == f"{archive}:long.xml: unreadable: more than {MOST_BYTES} bytes"
    assert all(len(source.data or b"") <= MOST_BYTES + 1 for source in records_in(archive))


@pytest.mark.parametrize("pack", [zipped, tarred])
def test_damaged_archive_is_one_line(tmp_path: Path, pack: Callable[[Path], Path]) -> None:
    """A cut archive does not stop the verification of other files."""
    archive = pack(tmp_path)
    archive.write_bytes(archive.read_bytes()[:300])
    good = tmp_path / "z.xml"
    good.write_text(RECORD, encoding="utf-8")
    result = verify(archive, good)
    assert result.exit_code == 2
    assert "1 equal" in result.stdout.splitlines()[0]
    assert sum("damaged archive" in line for line in result.stdout.splitlines()) == 1


def test_folders_are_searched_for_names_of_records(tmp_path: Path) -> None:
    """Also for the names that Tenhou's own client uses, which have no ending."""
    names = ["2022010115gm-00a9-0000-eb81f1a4", "a.xml", "b.mjlog", "c.xml.gz", "d.zip", "e.tgz", "g.mjson"]
    for name in [*names, "walls.jsonl.gz", "f.txt"]:
        (tmp_path / name).touch()
    assert [path.name for path in files_at([tmp_path])] == names


def test_nothing_to_verify_is_an_error(tmp_path: Path) -> None:
    """A path that does not exist, no path, or a folder without a record: status 2, and never "no mismatch"."""
    assert verify("/no/such/folder").exit_code == 2
    empty = verify(tmp_path)
    assert (empty.exit_code, empty.stdout, empty.stderr) == (
        2,
        "",
        f"Error: no records in {tmp_path}: expected names such as game.xml, game.mjlog.gz or games.zip\n",
    )
    assert verify().exit_code == 2
    (tmp_path / "good.xml").write_text(RECORD, encoding="utf-8")
    (tmp_path / "none").mkdir()
    assert verify(tmp_path, tmp_path / "none").stderr.startswith(f"Error: no records in {tmp_path}/none: ")


def test_an_unreadable_folder_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its records would be missing from the totals without a word."""
    scan = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path).name == "inner":
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
        return scan(path)

    monkeypatch.setattr(os, "scandir", scandir)
    result = verify(folder)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: {folder}/inner: Permission denied\n"


def test_a_terminal_shows_how_far_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line counts files, records, differences and unreadable records, and is erased at the end."""
    shown: list[object] = []
    monkeypatch.setattr("ump.cli.convert.show_progress", lambda *progress: shown.append(progress))
    monkeypatch.setattr("ump.cli.convert.clear_progress", lambda: shown.append("erased"))
    verify(folder)
    assert shown == [
        ("file 1 of 3: 0 records verified, 0 differ, 0 unreadable", 0, 3),
        ("file 2 of 3: 1 records verified, 0 differ, 1 unreadable", 1, 3),
        ("file 3 of 3: 2 records verified, 0 differ, 1 unreadable", 2, 3),
        "erased",
    ]


@each_row(
    ("address", "way"),
    [
        (
            "https://tenhou.net/0/?log=2022010115gm-00a9-0000-eb81f1a4&tw=2",
            "a Tenhou address; open https://tenhou.net/0/log/?2022010115gm-00a9-0000-eb81f1a4 in a browser, save the "
            "page as 2022010115gm-00a9-0000-eb81f1a4.mjlog, and name that file (tw=2 is seat C)",
        ),
        ("https://game.mahjongsoul.com/?paipu=1-2_a3", "a Mahjong Soul address; save the record in the game's page"),
        ("https://tenhou.net/6/#json={}", "an address with a record in it; put it into a file NAME.urls.txt"),
        ("http://localhost/game.mjlog", "an address; save the record as a file, and name that file"),
    ],
)
def test_an_address_is_no_file(address: str, way: str) -> None:
    """The error says how to get the file."""
    result = CliRunner().invoke(main, ["verify", address])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {way}")
