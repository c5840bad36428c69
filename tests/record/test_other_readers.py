"""Other people's programs read the records that we convert: RiichiEnv and kobalab/majiang-core."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from support.written_record import RECORD

from ump.record.conversion import Conversion, convert

SAMPLE = 6
"""Real games that go through each program."""

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


def games(data: Path) -> list[bytes]:
    """Return the written record and some real ones."""
    real = sorted((data / "tenhou" / "games").glob("*.gz"))[:SAMPLE]
    rare = sorted((data / "tenhou" / "rare" / "mjx-py").glob("*.gz"))
    return [RECORD.encode(), *(path.read_bytes() for path in (*real, *rare))]


@pytest.mark.no_cover
@pytest.mark.skipif(
    importlib.util.find_spec("riichienv") is None, reason="riichienv is not installed: pip install -e '.[oracle]'"
)
@pytest.mark.parametrize("key", ["mjai", "mortal"])
def test_riichienv_replays_our_mjai(key: str, data: Path, tmp_path: Path) -> None:
    """Every step is legal there, and each kyoku is found."""
    import riichienv

    for number, record in enumerate(games(data)):
        (written,) = convert("a", record, Conversion(key)).games
        path = tmp_path / f"{number}.mjson"
        path.write_bytes(written)
        kyoku = list(riichienv.MjaiReplay.from_jsonl(str(path)).take_kyokus())
        assert len(kyoku) == written.count(b'"start_kyoku"')
        for each in kyoku:
            for seat in range(4):
                assert list(each.steps(seat)) is not None


@pytest.mark.no_cover
def test_majiang_core_replays_our_paipu(data: Path, tmp_path: Path) -> None:
    """Its board takes every entry, and comes to our scores."""
    modules = os.environ.get("NODE_PATH", "")
    node = shutil.which("node")
    if node is None or not any(
        Path(folder, "@kobalab", "majiang-core").is_dir() for folder in modules.split(os.pathsep)
    ):
        pytest.skip("node or @kobalab/majiang-core is missing: npm install it, and set NODE_PATH to its node_modules")
    paths = []
    for number, record in enumerate(games(data)):
        paths.append(tmp_path / f"{number}.paipu.json")
        paths[-1].write_bytes(convert("a", record, Conversion("paipu")).games[0])
    run = subprocess.run([node, "-e", REPLAY, "--", *map(str, paths)], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    assert len(run.stdout.splitlines()) == len(paths)
