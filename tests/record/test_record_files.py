"""Archives: every kind, from a file and from standard input, and hostile ones within their limits."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from support.written_record import RECORD

from ump.cli.main import main
from ump.record import record_files
from ump.record.record_files import MOST_BYTES, is_tar, is_zip, records_in, records_of_stream

RECORDS = {"deep/a.xml": RECORD.encode(), "b.mjlog.gz": gzip.compress(RECORD.encode()), "notes.pdf": b"no record"}


def zip_of(members: dict[str, bytes]) -> bytes:
    """Return a .zip."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return file.getvalue()


def tar_of(members: dict[str, bytes]) -> bytes:
    """Return a .tar."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for name, data in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return file.getvalue()


KINDS: dict[str, bytes] = {
    "zip": zip_of(RECORDS),
    "tar": tar_of(RECORDS),
    "tar.gz": gzip.compress(tar_of(RECORDS)),
    "tar.bz2": bz2.compress(tar_of(RECORDS)),
    "tar.xz": lzma.compress(tar_of(RECORDS)),
}

kinds = pytest.mark.parametrize("kind", KINDS)


def run(*arguments: object, given: bytes = b"") -> Result:
    """Run a command."""
    return CliRunner().invoke(main, list(map(str, arguments)), input=given)


@kinds
def test_archives_on_standard_input(kind: str, tmp_path: Path) -> None:
    """All three commands take any archive from a pipe."""
    given = KINDS[kind]
    totals = json.loads(run("verify", "-", "--json", "--jobs", 1, given=given).stdout)
    assert (totals["files"], totals["outcomes"]["equal"]) == (2, 2)
    assert run("convert", "-", "--to", "mjai", "--out", tmp_path, "--jobs", 1, given=given).exit_code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.mjson", "b.mjson"]
    shown = run("show", "-", "--kyoku", "E1", given=given).stdout
    assert [line for line in shown.splitlines() if line.startswith("-:")] == ["-:deep/a.xml:", "-:b.mjlog.gz:"]


@kinds
def test_the_content_shows_that_a_named_file_is_an_archive(kind: str, tmp_path: Path) -> None:
    """Its name does not matter, if the user has named it; a plain record under such a name is still one."""
    path = tmp_path / "download"
    path.write_bytes(KINDS[kind])
    assert [source.name for source in records_in(path, is_given=True)] == [f"{path}:deep/a.xml", f"{path}:b.mjlog.gz"]
    (source,) = records_in(path)
    assert source.data is None
    path.write_text(RECORD, encoding="utf-8")
    (source,) = records_in(path, is_given=True)
    assert (source.data, source.damage) == (None, "")


@kinds
@pytest.mark.parametrize(
    "damage", [lambda data: data[: len(data) // 2], lambda data: data[:60] + b"x" * 40 + data[100:]]
)
def test_damaged_archives_are_named(kind: str, damage: Callable[[bytes], bytes]) -> None:
    """They raise nothing else; what was read before the damage counts."""
    sources = list(records_of_stream(io.BytesIO(damage(KINDS[kind]))))
    assert sources
    assert all(source.data is not None or source.damage for source in sources)


def test_a_header_cannot_fill_the_memory() -> None:
    """A long name of 64 MiB packs to little; it is refused before it is read."""
    name = tarfile.TarInfo("././@LongLink")
    name.type, name.size = tarfile.GNUTYPE_LONGNAME, 1 << 26
    bomb = gzip.compress(name.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 26))
    (source,) = records_of_stream(io.BytesIO(bomb))
    assert (source.data, "a header of more than" in source.damage) == (None, True)


def test_an_archive_has_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its members are counted, and its unpacked bytes; a .zip from a pipe must fit into a temporary file."""
    monkeypatch.setattr(record_files, "MOST_UNPACKED", 2_000)
    for kind in KINDS:
        *_, last = records_of_stream(io.BytesIO(KINDS[kind]))
        assert "2000 bytes" in last.damage
    monkeypatch.setattr(record_files, "MOST_MEMBERS", 1)
    for kind in KINDS:
        *_, last = records_of_stream(io.BytesIO(KINDS[kind]))
        assert "more than 1 members" in last.damage
    monkeypatch.setattr(record_files, "MOST_PACKED", 100)
    (source,) = records_of_stream(io.BytesIO(KINDS["zip"]))
    assert "give its file" in source.damage


def test_members_are_cut_and_streams_are_joined() -> None:
    """A member that is too long is cut one byte after the limit; an .xz may have several streams."""
    large = tar_of({"a.xml": bytes(MOST_BYTES + 100), "b.xml": b"x"})
    assert [len(source.data or b"") for source in records_of_stream(io.BytesIO(large))] == [MOST_BYTES + 1, 1]
    halves = [tar_of(RECORDS)[:2_000], tar_of(RECORDS)[2_000:]]
    joined = b"".join(map(lzma.compress, halves))
    assert len(list(records_of_stream(io.BytesIO(joined)))) == 2
    assert not is_tar(RECORD.encode())
    assert not is_tar(gzip.compress(RECORD.encode()))
    assert is_zip(zip_of({}))
