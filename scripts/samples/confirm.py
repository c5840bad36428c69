"""Lets other people's engines confirm the rulings of the sample games, and writes the README beside them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random

from support.engine_comparison import Difference, EngineComparison
from support.second_engine import RULES as KNOWN_RULES
from support.second_engine import version as riichienv_version

from scripts.samples.catalogue import Sample
from ump.game.deals import Deal, Round
from ump.model.actions import Action
from ump.model.events import Event, KyokuStarted
from ump.model.seats import Seat
from ump.record.paipu import write_paipu
from ump.record.recorded_game import RecordedGame
from ump.record.replay import infer_action
from ump.rules.questions import Question
from ump.wire.majiang.events import rule_object

VALUES = Path(__file__).with_name("majiang_values.js")  # the program that replays and values games with majiang-core


class Unconfirmed(Exception):
    """An engine differs from ours, or is missing."""


class RecordedComparison(EngineComparison):
    """Plays a recorded game on both engines: the players do what they did in the record."""

    def __init__(self, game: RecordedGame, counts: Counter[str]) -> None:
        self._parts = [kyoku.events for kyoku in game.kyoku]
        self._number, self._index = -1, 0
        deals = [kyoku.deal for kyoku in game.kyoku]

        def deal(at: Round) -> Deal:
            found = deals[at.number]
            assert found is not None
            return found

        super().__init__(game.ruleset, [], deal, Random(0), counts)

    def _see(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, KyokuStarted):
                self._number, self._index = self._number + 1, 0
            self._index += 1

    def _choice(self, seat: Seat, question: Question) -> Action:
        action = infer_action(seat, question.phase, self._parts[self._number], self._index)
        assert action is not None
        return action


def confirmed(games: Mapping[Sample, RecordedGame], progress: Callable[[str], None]) -> str:
    """Return in one sentence who confirmed what; raise Unconfirmed if anything differs."""
    counts: Counter[str] = Counter()
    known = {sample: game for sample, game in games.items() if sample.rules in KNOWN_RULES}
    for sample, game in known.items():
        progress(f"{sample.file}: riichienv")
        try:
            RecordedComparison(game, counts).play()
        except Difference as difference:
            raise Unconfirmed(f"{sample.file}: {difference}") from None
    four = {sample: game for sample, game in games.items() if game.ruleset.seats == 4}
    version, kyoku, wins, beyond = majiang(four, progress)
    return (
        f"riichienv {riichienv_version()} agrees on {len(known)} games with {counts['kyoku']} kyoku and "
        f"{counts['decisions']} decisions, @kobalab/majiang-core {version} on {len(four)} games with {kyoku} kyoku and "
        f"{wins} wins, but for {beyond} that its rules cannot express (renhou, shares of a liable player)"
    )


def majiang(games: Mapping[Sample, RecordedGame], progress: Callable[[str], None]) -> tuple[str, int, int, int]:
    """Let majiang-core replay and value games; return its version and the numbers of kyoku, wins and other shares."""
    node = shutil.which("node")
    folders = [Path(folder, "@kobalab", "majiang-core") for folder in os.environ.get("NODE_PATH", "").split(os.pathsep)]
    core = next((folder for folder in folders if folder.is_dir()), None)
    if node is None or core is None:
        raise Unconfirmed("install node and @kobalab/majiang-core, and set NODE_PATH to its node_modules")
    version: str = json.loads((core / "package.json").read_text(encoding="utf-8"))["version"]
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for sample, game in games.items():
            paths.append(Path(folder, f"{sample.file}.json"))
            paipu = json.loads(write_paipu(game))
            paths[-1].write_text(json.dumps({"rule": rule_object(game.ruleset), "paipu": paipu}), encoding="utf-8")
        progress("majiang-core")
        run = subprocess.run([node, str(VALUES), *map(str, paths)], capture_output=True, text=True, check=False)
    if run.returncode:
        raise Unconfirmed(f"majiang-core: {run.stderr or run.stdout}")
    kyoku, wins, beyond = map(int, run.stdout.split())
    return version, kyoku, wins, beyond


def readme(games: Mapping[Sample, RecordedGame], confirmation: str) -> str:
    """Return the page: who made and confirmed the games."""
    kyoku = sum(len(game.kyoku) for game in games.values())
    presets = Counter(sample.rules for sample in games)
    lines = [
        "# Sample games",
        "",
        f"{len(games)} whole games, {kyoku} kyoku, between our own bots: tests replay them in a plain clone.",
        "`games.jsonl` lists the rules, the players and the seed of each, and what it shows. `scripts/sample-games`",
        "plays them again and compares them byte for byte; with `--write` it writes them, this page included. The",
        "files are mjlog, packed, with the walls and the rules.",
        "",
        "Confirmed when they were written: " + confirmation + ".",
        "",
        "Games of each preset: " + ", ".join(f"{name} {count}" for name, count in presets.items()) + ".",
    ]
    return "\n".join(lines) + "\n"
