"""README.md and other pages: the game is real, commands parse, the index is complete."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from support.memory_server import MemoryServer, Peer, memory_server
from support.programs import run
from support.rows import each_row

from ump.cli.main import main
from ump.server.config import read_command_line, server_settings
from ump.server.settings import OPTIONS, ServerSettings
from ump.server.tap import Options

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")

LEFT_OUT = "..."
"""The mark for any number of left-out lines of the server."""

TYPED = ">"
"""The mark of a line that the person types; the others are the server's."""

PATIENCE = 30.0
"""Seconds of server time after which an expected line has not come."""

COMMANDS = [
    shlex.split(line, comments=True)
    for block in re.findall(r"^```sh\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    for part in block.splitlines()
    for line in part.split(" && ")
]
"""The words of each command in a block of its own."""

SERVERS = ("scripts/serve", "serve")
"""The words after which the options of a server stand."""

FROM_ELSEWHERE = {"."}
"""First words of commands that are not this project's."""


def transcript() -> Iterator[str]:
    """Yield the lines of the README's game."""
    (block,) = re.findall(r"```transcript\n(.*?)```", README, re.DOTALL)
    yield from block.splitlines()


def test_the_game_is_played_as_printed() -> None:
    """A person who types the README's lines at a server with its seed reads every line that it shows."""
    (seed,) = re.findall(r"^scripts/serve --seed (\S+)$", README, re.MULTILINE)
    rooms = server_settings(read_command_line({"config": [str(ROOT / "ump" / "server" / "serve.toml")]}, OPTIONS)).rooms
    with memory_server(*rooms, seed=seed) as server:
        person = server.connect()
        person.say("")
        person.heard()  # the welcome
        received = lines(server, person)
        may_skip = False
        for line in transcript():
            if line.startswith(TYPED):
                person.say(line.removeprefix(TYPED).strip())
            elif line != LEFT_OUT:
                assert next(found for found in received if not may_skip or found == line) == line
            may_skip = line == LEFT_OUT


def lines(server: MemoryServer, person: Peer) -> Iterator[str]:
    """Yield the lines of the server; let time pass only while it is idle."""
    while True:
        while heard := person.heard():
            yield from heard
        due = min(call.getTime() for call in server.clock.getDelayedCalls())
        server.clock.advance(max(0.0, due - server.clock.seconds()))
        assert server.clock.seconds() < PATIENCE, "the expected line did not come"


@each_row("words", COMMANDS)
def test_commands_are_valid(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Options of the server and of ``ump`` exist and have possible values, and programs are files of the checkout."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ump-records").mkdir(exist_ok=True)
    (tmp_path / "game.journal.gz").touch()
    match words:
        case ["scripts/serve", *options] | ["ump", "serve", *options]:
            assert settings(options).rooms
        case ["ump", name, *arguments]:
            command = main.get_command(click.Context(main), name)
            assert command is not None
            assert command.make_context(name, arguments)
        case ["python3", "-m", *_]:
            pass
        case ["python3", "mybot.py", *options]:
            (block,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
            (tmp_path / "mybot.py").write_text(block, encoding="utf-8")
            check(tmp_path / "mybot.py", options)
        case ["python3", program, *options]:
            check(ROOT / program, options)
        case [program, *_]:
            assert program in FROM_ELSEWHERE


def settings(options: list[str]) -> ServerSettings:
    """Return the settings of a server with these options."""
    parsed = Options()
    parsed.parseOptions(options)
    return parsed.settings


def check(program: Path, options: list[str]) -> None:
    """Let a program read its command line, and print its help instead of playing."""
    found = run(str(program), *options, "--help")
    assert found.returncode == 0
    assert set(re.findall(r" (--[a-z]+) ", " ".join(options))) <= set(re.findall(r"--[a-z]+", found.stdout))


def test_servers_keep_out_of_each_others_way() -> None:
    """The servers of the page can run at the same time: no port and no folder of records is named twice."""
    servers = [settings(words[words.index(serve) + 1 :]) for words in COMMANDS for serve in SERVERS if serve in words]
    ports = [port.endpoint for server in servers for port in server.ports]
    folders = [server.record_folder for server in servers if server.record_folder is not None]
    assert len(servers) == 2
    assert len(set(ports)) == len(ports)
    assert len(set(folders)) == len(folders)


def test_the_index_lists_every_document() -> None:
    """docs/README.md names each page in docs."""
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    docs = ROOT / "docs"
    paths = [*docs.glob("*.md"), *(docs / "protocols").glob("*.md")]
    pages = [str(path.relative_to(docs)) for path in paths if path not in (docs / "README.md", docs / "index.md")]
    assert [name for name in pages if f"\n{name.removesuffix('.md')}\n" not in index] == []


def test_the_map_names_files_that_exist() -> None:
    """docs/architecture.md names each package, and no file that is gone."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:ump|tests|scripts)/[\w/.]+)`", page))
    assert sorted(name for name in named if not (ROOT / name).exists()) == []
    packages = [folder.name for folder in (ROOT / "ump").iterdir() if (folder / "__init__.py").exists()]
    assert [package for package in packages if f"`ump/{package}`" not in page] == []
    for package, files in re.findall(r"^\| `(ump/\w+)` \|[^|]*\|([^|]*)\|$", page, re.MULTILINE):
        assert [name for name in re.findall(r"`([^`]+)`", files) if not (ROOT / package / name).exists()] == []
