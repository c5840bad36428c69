"""``clients/examples``: a bot in each language, built and run where the language is installed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from support.scripted_server import PATIENCE, ROOT, ScriptedServer

from ump.model.value import value

pytestmark = pytest.mark.once

EXAMPLES = ROOT / "clients" / "examples"

BUILD_PATIENCE = 100.0
"""Seconds for a compiler on a busy machine."""


@value
class Language:
    """Commands that build and start an example; ``{source}`` is its file, and ``{program}`` the compiler's output."""

    file: str
    build: tuple[str, ...]
    start: tuple[str, ...]


LANGUAGES = (
    Language("bot.js", (), ("node", "{source}")),
    Language("bot.rb", (), ("ruby", "-w", "{source}")),
    Language(
        "bot.cpp", ("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-o", "{program}", "{source}"), ("{program}",)
    ),
    Language("bot.go", ("go", "build", "-o", "{program}", "{source}"), ("{program}",)),
    Language("bot.rs", ("rustc", "-D", "warnings", "-o", "{program}", "{source}"), ("{program}",)),
)

GAME = """
    < 0 hello ump=0.1 name=test _rule=ump
    > 0 hello ump=0.1 name=me%20%E9%9B%80 _offer=1
    < 1 gamestart B alice me%20%E9%9B%80 carol dave
    < 2 ready?
    > 2 ok
    < 3 haipai B 1m2m3m4m5M6m7m8m9m1p1p2p2p
    < 4 tsumo A 69
    < 5 sutehai A 1p tsumogiri
    < 6 naku? 1p pon=1p1p
    > 6 no
    < 7 tsumo B 68 5S
    < 8 sutehai? sute=1m2m3m4m5M5S
    > 8 sute 5S tsumogiri
    < 9 _something new
    < 10 naku? 2p ron pon=2p2p
    > 10 ron
    < 11 tsumo B 66 2p
    < 12 sutehai? sute=1m2p tsumo
    > 12 tsumo
    < 13 tenpai?
    > 13 yes
    < 14 gameend 20000 31000 25000 24000
    < 15 bye
    > 15 bye
"""


@pytest.fixture(scope="module", params=LANGUAGES, ids=lambda language: language.file)
def command(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Return the command that starts an example, after building it."""
    language: Language = request.param
    needed = (language.build or language.start)[0]
    if shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed; clients/examples/{language.file} was not run")
    folder = tmp_path_factory.mktemp("example")
    places = {"source": str(EXAMPLES / language.file), "program": str(folder / "bot")}
    if language.build:
        build = [word.format_map(places) for word in language.build]
        subprocess.run(build, cwd=folder, check=True, capture_output=True, timeout=BUILD_PATIENCE)
    return [word.format_map(places) for word in language.start]


def ended(command: list[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run an example until it ends."""
    return subprocess.run(
        [*command, *arguments], capture_output=True, text=True, encoding="utf-8", timeout=PATIENCE, check=False
    )


def test_every_question_is_answered(command: list[str]) -> None:
    """The bot wins when that is offered, else discards what it draws; it prints the result and exits with 0."""
    with ScriptedServer(GAME) as server:
        process = ended(command, server.address, "me 雀")
    assert server.difference is None
    assert (process.stderr, process.returncode) == ("", 0)
    assert process.stdout == "alice 20000, me 雀 31000, carol 25000, dave 24000\n"


@pytest.mark.parametrize(
    ("transcript", "complaint"),
    [
        ("< 0 error no%20such%20room", "the server says: no such room"),
        ("< SSH-2.0-OpenSSH_9.6", " does not speak UMP: SSH-2.0-OpenSSH_9.6"),
        ("< 0 hello\n> 0 hello ump=0.1 name=me _offer=1", "the server has closed the connection"),
    ],
    ids=["refused", "something else", "gone"],
)
def test_errors_are_reported_in_one_line(command: list[str], transcript: str, complaint: str) -> None:
    """A refusal, another service, or a server that closes: one line, and exit code 1."""
    with ScriptedServer(transcript) as server:
        process = ended(command, server.address, "me")
    assert complaint in process.stderr
    assert (process.stderr.count("\n"), process.returncode) == (1, 1)


def test_every_example_is_tested() -> None:
    """Each file is in the table, fits on a page, and says how to start it."""
    others = {"README.md", "imitate.py", "learn.py", "self_play.py"}  # no bots
    files = sorted(path.name for path in EXAMPLES.iterdir() if path.name not in others)
    assert files == sorted(language.file for language in LANGUAGES)
    for file in files:
        text = Path(EXAMPLES / file).read_text(encoding="utf-8")
        assert "localhost:19000 NAME" in text
        assert text.count("\n") <= 125
