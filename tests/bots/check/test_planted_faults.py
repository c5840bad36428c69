"""Clients with one planted fault each fail in the situations that show it, and only there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

import pytest
from support.budgets import some
from support.check_table import Careful, Client, MemoryCheck
from support.rows import each_row

from ump.bots.check.run import SituationResult
from ump.bots.check.situations import SITUATIONS
from ump.model.notation import UMP_FACES
from ump.model.tiles import KIND_OF, RED_FIVES
from ump.rules.analysis import waits


class Planted(Client):
    """A client with a fault."""

    FAILS: ClassVar[dict[str, str]]
    """The situations that must fail, with a part of what came."""


class WrongRedFive(Planted):
    """Names a red five that it does not hold when it draws one."""

    FAILS: ClassVar = {"red-five": "refused: not_held"}

    def changed(self, line: str, answer: str) -> str:
        """Discard the red five of another suit."""
        hand = self.player.seen.hand.concealed
        reds = [face for face in RED_FIVES if face not in hand]
        return f"{answer.split()[0]} sute {UMP_FACES[reds[0]]}" if "sutehai? " in line and len(reds) == 1 else answer


class SwapCall(Planted):
    """After a chi it discards the called kind, if it holds it."""

    FAILS: ClassVar = {"swap-call": "refused: kuikae"}
    called = ""

    def changed(self, line: str, answer: str) -> str:
        """Remember the called tile, and discard it."""
        number, *words = answer.split()
        if words[0] == "chi":
            self.called = line.split()[2]
        elif words[0] == "sute" and self.called:
            called, self.called = self.called, ""
            if called in map(UMP_FACES.__getitem__, self.player.seen.hand.concealed):
                return f"{number} sute {called}"
        return answer


class NotenRiichi(Planted):
    """Declares riichi with a tile of its hand that breaks tenpai, when there are two that do not."""

    FAILS: ClassVar = {"riichi": "refused: not_tenpai", "in-riichi": "refused: not_tenpai"}

    def changed(self, line: str, answer: str) -> str:
        """Declare riichi with the first tile of the hand."""
        number, word, *_ = answer.split()
        if word == "richi" and "richi=2p6p" in line:
            return f"{number} richi {UMP_FACES[self.player.seen.hand.concealed[0]]}"
        return answer


class EveryWin(Planted):
    """Declares ron on every tile that it waits for, without a thought of yaku and furiten."""

    FAILS: ClassVar = {"no-yaku": "refused: no_yaku", "furiten": "refused: furiten"}

    def changed(self, line: str, answer: str) -> str:
        """Win if the shape is complete."""
        word, *tiles = line.split()[1:]
        if word != "naku?":
            return answer
        kinds = [UMP_FACES[kind] for kind in waits(self.player.seen.hand.kinds)]
        return f"{answer.split()[0]} ron" if tiles[0].lower() in kinds else answer


class FifthKan(Planted):
    """Declares a closed kan whenever it holds four tiles of a kind."""

    FAILS: ClassVar = {"fifth-kan": "refused: too_many_kans"}

    def changed(self, line: str, answer: str) -> str:
        """Declare a kan."""
        kinds = [KIND_OF[face] for face in self.player.seen.hand.concealed]
        fours = [kind for kind in kinds if kinds.count(kind) == 4]
        return f"{answer.split()[0]} ankan {UMP_FACES[fours[0]]}" if "sutehai?" in line and fours else answer


class BadChi(Planted):
    """Names the called tile, not those of the hand, where a chi can be called in many ways."""

    FAILS: ClassVar = {"chi": "refused: not_held"}

    def changed(self, line: str, answer: str) -> str:
        """Call a chi with tiles that it does not hold."""
        return f"{answer.split()[0]} chi 1m 2s" if "chi=2m3m" in line and "5M6m" in line else answer


class Gibberish(Planted):
    """Answers with a word of its own at nine terminals."""

    FAILS: ClassVar = {"nine-terminals": "refused: unreadable"}

    def changed(self, line: str, answer: str) -> str:
        """Say something else."""
        return f"{answer.split()[0]} kyushu" if "sutehai?" in line and "ryukyoku" in line else answer


class CrashAtChankan(Planted):
    """Loses its head when another player adds a tile to a pon."""

    FAILS: ClassVar = {"chankan": "the client has closed the connection during the game"}

    def take(self, line: str) -> None:
        """Hang up at the added tile."""
        if re.search(r" open . <(..)\1\1> ", line) and self.seen[-2].endswith("say B kan"):
            self.peer.hang_up()
        else:
            super().take(line)


class LeavesAtDoubleRon(Planted):
    """Leaves at the second win on the same tile."""

    FAILS: ClassVar = {"double-ron": "the client has closed the connection during the game"}

    def take(self, line: str) -> None:
        """Hang up at the second win of a kyoku."""
        commands = [each.split()[1] for each in self.seen]
        starts = [place for place, command in enumerate(commands) if command == "kyokustart"]
        if line.split()[1] == "agari" and commands[starts[-1] :].count("agari") == 2:
            self.peer.hang_up()
        else:
            super().take(line)


class Silent(Careful):
    """Never answers whether it is tenpai."""

    FAILS: ClassVar = {"exhausted-wall": "no reply in time to question"}

    def answers(self, line: str) -> Sequence[str]:
        """Leave the question open."""
        answers = super().answers(line)
        return [] if "tenpai?" in line else answers


class Flooding(Planted):
    """Says a thousand things when another player declares riichi."""

    FAILS: ClassVar = {"riichi-of-another": "dropped: another id"}

    def answers(self, line: str) -> Sequence[str]:
        """Flood the server."""
        flood = ["7 sute 1m"] * 1_000 if line.endswith("say A richi") and self.player.seen.me else []
        return [*flood, *super().answers(line)]


class StaleId(Planted):
    """Answers under an old id after it was late."""

    FAILS: ClassVar = {"timeout": "dropped: "}
    was_late = False

    def changed(self, line: str, answer: str) -> str:
        """Take the id of an earlier question."""
        if any(each.split()[1] == "_late" for each in self.seen) and "bye" not in answer:
            return f"16 {answer.partition(' ')[2]}"
        return answer


class NeverReturns(Planted):
    """Asks to come back to its seat, and does not."""

    FAILS: ClassVar = {"reconnect": "the client has not come back within 15 seconds"}

    def take(self, line: str) -> None:
        """Forget the token."""
        super().take(line)
        self.player.seat_token = None


class IgnoresBye(Planted):
    """Stays when the server says goodbye."""

    FAILS: ClassVar = {"farewell": "the client has not answered the farewell"}

    def take(self, line: str) -> None:
        """Do not answer ``bye``."""
        if line.split()[1] != "bye":
            super().take(line)


PLANTED = [
    WrongRedFive,
    SwapCall,
    NotenRiichi,
    EveryWin,
    FifthKan,
    BadChi,
    Gibberish,
    CrashAtChankan,
    LeavesAtDoubleRon,
    Silent,
    Flooding,
    StaleId,
    NeverReturns,
    IgnoresBye,
]


@pytest.mark.no_cover
@each_row("client", PLANTED)
def test_planted_faults(client: type[Planted]) -> None:
    """The fault is found where it shows, and nowhere else."""
    some_sound = some(SITUATIONS, 4)
    situations = [each for each in SITUATIONS if each.name in client.FAILS or each in some_sound]
    check = MemoryCheck(client, situations)
    results = check.play()
    failed = {
        verdict.situation.name: verdict for verdict in check.check.verdicts if verdict.result is SituationResult.FAIL
    }
    assert len(results) == len(situations)
    assert set(failed) == set(client.FAILS)
    for name, came in client.FAILS.items():
        assert came in failed[name].came
        assert failed[name].excerpt
