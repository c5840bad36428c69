"""Other people's programs read the records that we convert: each test says what it needs, and is skipped without it.

RiichiEnv (the extra ``oracle``), the package mjai from PyPI (``UMP_MJAI_PYTHON``, or this Python), kobalab's
majiang-core, tenhou-url-log and tenhou-log (``UMP_NPM`` or ``NODE_PATH``), gimite/mjai (``MJAI_RUBY``).
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.sample_games import EAGER, EFFICIENCY, MIXED, STOPPED, converted, sample_files
from support.written_record import RECORD

from scripts.interoperation.packages import Locations, Missing, Npm, find_gimite, find_mjai, find_npm
from ump.model.events import Event
from ump.record.conversion import Conversion, convert
from ump.record.formats import read_games
from ump.record.lint.lint import lint

GAMES = (EAGER, EFFICIENCY, MIXED, STOPPED)
"""The games that go through every program; of the last one a kyoku without a result is left out."""

REPLAY = """
const Majiang = require("@kobalab/majiang-core");
for (const file of process.argv.slice(1)) {
    const paipu = JSON.parse(require("fs").readFileSync(file));
    const board = new Majiang.Board(paipu);
    for (const kyoku of paipu.log) {
        for (const entry of kyoku) {
            const [type, content] = Object.entries(entry)[0];
            if (type == "qipai" && kyoku != paipu.log[0]) {
                board.last();
                const scores = content.defen.map((_, l) => board.defen[(paipu.qijia + content.jushu + l) % 4]);
                if ("" + scores != "" + content.defen || board.lizhibang != content.lizhibang)
                    throw new Error(`${file}: ${scores} and ${board.lizhibang} sticks`);
            }
            board[type == "gangzimo" ? "zimo" : type](content);
        }
    }
    console.log(file);
}
"""
"""Replays paipu on the board of majiang-core, which knows each hand, and compares its scores with each deal."""

TO_TENHOU6 = """
const fs = require("fs"), convert = require("@kobalab/tenhou-url-log");
console.log(JSON.stringify(convert(JSON.parse(fs.readFileSync(process.argv[1])))));
"""
"""Converts a paipu to tenhou.net/6 JSON."""

TO_PAIPU = """
const fs = require("fs"), convert = require("@kobalab/tenhou-log");
console.log(JSON.stringify(convert(fs.readFileSync(process.argv[1], "utf8"), "game")));
"""
"""Converts an mjlog to a paipu."""

FOLLOW = """
import sys
from mjai.mlibriichi.state import PlayerState
for path in sys.argv[1:]:
    lines = open(path).read().splitlines()
    for seat in range(4):
        state = PlayerState(seat)
        for line in lines:
            state.update(line)
            if '"start_kyoku"' in line:
                print(list(state.scores)[-seat:] + list(state.scores)[:-seat] if seat else list(state.scores))
"""
"""Lets libriichi follow a log from each seat, and prints the scores of each kyoku by seat."""


def four_player_games() -> list[str]:
    """Return the sample games that every program understands."""
    names = [path.name.partition(".")[0] for path in sample_files()]
    return [STOPPED, *(name for name in names if not name.partition("-")[0].endswith("3"))]


def run(*command: str, environment: dict[str, str] | None = None) -> str:
    """Run a program, and return what it prints; it must not fail."""
    ended = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=100, env={**os.environ, **(environment or {})}
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.fixture(scope="module")
def npm() -> Npm:
    """Return the folder of kobalab's packages, or skip."""
    try:
        return find_npm(Locations.from_environment())
    except Missing as missing:
        pytest.skip(str(missing))


def require(npm: Npm, package: str) -> None:
    """Skip the test unless one of kobalab's packages is installed."""
    try:
        npm.version(package)
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.no_cover
@pytest.mark.parametrize("key", ["mjai", "mortal"])
def test_riichienv_replays_our_mjai(key: str, tmp_path: Path) -> None:
    """Every step is legal there, and each kyoku is found."""
    riichienv = pytest.importorskip("riichienv", reason="riichienv is not installed: pip install -e '.[oracle]'")
    records = [convert("a", RECORD.encode(), Conversion(key)).games[0], *(converted(name, key) for name in GAMES)]
    for number, written in enumerate(records):
        path = tmp_path / f"{number}.mjson"
        path.write_bytes(written)
        kyoku = list(riichienv.MjaiReplay.from_jsonl(str(path)).take_kyokus())
        assert len(kyoku) == written.count(b'"start_kyoku"')
        for each in kyoku:
            for seat in range(4):
                assert list(each.steps(seat)) is not None


@pytest.mark.no_cover
@pytest.mark.parametrize("seat", range(4))
def test_riichienv_follows_our_mjai(seat: int) -> None:
    """Its client's side takes a log event by event, as this seat sees it; it asks the seat where we ask it."""
    riichienv = pytest.importorskip("riichienv", reason="riichienv is not installed: pip install -e '.[oracle]'")
    env = riichienv.RiichiEnv()
    log = convert(EAGER, converted(EAGER, "mjai"), Conversion("mjai", seat=seat)).games[0]
    asked = draws = 0
    for line in log.splitlines():
        message: dict[str, Any] = json.loads(line)
        asked += env.observe_event(message, seat) is not None
        draws += message["type"] == "tsumo" and message["actor"] == seat
    assert asked >= draws > 100


@pytest.mark.no_cover
@pytest.mark.parametrize("name", [EAGER, STOPPED])
@pytest.mark.parametrize("key", ["mjai", "mortal"])
def test_libriichi_follows_our_mjai(key: str, name: str, tmp_path: Path) -> None:
    """The package mjai from PyPI, on which Mortal builds, follows each seat of a log, with the right scores."""
    try:
        python = find_mjai(Locations.from_environment()).python
    except Missing as missing:
        pytest.skip(str(missing))
    path = tmp_path / "game.mjson"
    path.write_bytes(converted(name, key))
    messages = [json.loads(line) for line in path.read_bytes().splitlines()]
    scores = [message["scores"] for message in messages if message["type"] == "start_kyoku"]
    assert [json.loads(line) for line in run(python, "-c", FOLLOW, str(path)).splitlines()] == scores * 4


@pytest.mark.no_cover
def test_gimite_reads_our_mjai(tmp_path: Path) -> None:
    """Gimite's ``mjai convert`` plays a log, and ``mjai stats`` counts its wins."""
    try:
        command = find_gimite(Locations.from_environment())
    except Missing as missing:
        pytest.skip(str(missing))
    path, told = tmp_path / "game.mjson", tmp_path / "game.human"
    path.write_bytes(converted(EAGER, "mjai"))
    run(*command, "mjai", "convert", str(path), str(told))
    lines = told.read_text(encoding="utf-8").splitlines()
    messages = path.read_text(encoding="ascii").splitlines()
    assert sum('"type":"dahai"' in line for line in lines) == sum('"type":"dahai"' in line for line in messages)
    assert "ann (2 horas):" in run(*command, "mjai", "stats", str(path))


@pytest.mark.no_cover
def test_majiang_core_replays_our_paipu(npm: Npm, tmp_path: Path) -> None:
    """Its board takes every entry of every game of four, and comes to our scores."""
    require(npm, "majiang-core")
    paths = []
    for name in four_player_games():
        paths.append(tmp_path / f"{name}.paipu.json")
        paths[-1].write_bytes(converted(name, "paipu"))
    printed = run(npm.node, "-e", REPLAY, "--", *map(str, paths), environment=npm.environment)
    assert len(printed.splitlines()) == len(paths)


def moves(data: bytes) -> Iterator[tuple[Event, ...]]:
    """Yield the events of each kyoku that do not depend on the format."""
    (game,) = read_games(data)
    for kyoku in game.kyoku:
        yield tuple(
            event for event in kyoku.events if type(event).__name__ in ("TileDrawn", "TileDiscarded", "TileCalled")
        )


@pytest.mark.no_cover
@pytest.mark.parametrize("name", GAMES)
def test_tenhou_url_log_reads_our_paipu(name: str, npm: Npm, tmp_path: Path) -> None:
    """Its conversion of our paipu in tenhou.net/6 JSON has the moves of ours, and no fault."""
    require(npm, "tenhou-url-log")
    path = tmp_path / "game.paipu.json"
    path.write_bytes(converted(name, "paipu"))
    theirs = run(npm.node, "-e", TO_TENHOU6, "--", str(path), environment=npm.environment).encode()
    assert list(moves(theirs)) == list(moves(converted(name, "tenhou6")))
    assert lint(name, theirs).findings == ()


@pytest.mark.no_cover
@pytest.mark.parametrize("name", GAMES)
def test_tenhou_log_reads_our_mjlog(name: str, npm: Npm, tmp_path: Path) -> None:
    """Its conversion of our mjlog into paipu has the moves of ours, and no fault."""
    require(npm, "tenhou-log")
    path = tmp_path / "game.mjlog"
    path.write_bytes(converted(name, "mjlog"))
    theirs = run(npm.node, "-e", TO_PAIPU, "--", str(path), environment=npm.environment).encode()
    assert list(moves(theirs)) == list(moves(converted(name, "paipu")))
    assert lint(name, theirs).findings == ()
