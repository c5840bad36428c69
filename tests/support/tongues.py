"""Clients that speak each dialect, well and badly, for games in which somebody listens closely."""

from __future__ import annotations

from random import Random

from support.swapped import Client, Tongue

from ump.model.actions import Action, Discard, Pass, Ron, Tsumo
from ump.model.hand import Hand
from ump.model.notation import parse_ump_hand
from ump.model.tiles import KIND_OF
from ump.rules.analysis import shanten
from ump.wire.ump01.asks import NakuAsk, SutehaiAsk
from ump.wire.ump01.claims import write_action
from ump.wire.ump01.server import Hello
from ump.wire.ump01.session import Ump01Session

ODDS_OF_NONSENSE = 0.1
"""How often an answer is one that cannot be right, or cannot be read."""

ODDS_OF_SILENCE = 0.01
ODDS_OF_CHATTER = 0.02
"""How often something is said to what is no question."""


def chosen(offers: tuple[Action, ...], hand: Hand, chance: Random) -> Action:
    """Choose a legal action: a win, or what brings the hand forward; at times anything."""
    wins = [action for action in offers if isinstance(action, Ron | Tsumo)]
    discards = [action for action in offers if isinstance(action, Discard)]
    others = [action for action in offers if not isinstance(action, Discard)]
    if wins:
        return wins[0]
    if others and (not discards or chance.random() < 0.5):
        return chance.choice(others)
    return min(discards, key=lambda discard: _distance(hand, discard), default=Pass())


def _distance(hand: Hand, discard: Discard) -> int:
    kinds = hand.kinds[:]
    kinds[KIND_OF[discard.face]] -= 1
    return shanten(kinds)


class Ump01Client(Client):
    """Wants everything that an extension adds to what is said, and says what is not asked for."""

    NONSENSE = ("sute 1z", "ron", "tsumo", "chi", "pon 5m 5M", "kan", "ankan 1m", "richi 9p", "yes", "no", "~%", "mu")

    def hear(self, message: str) -> list[bytes]:
        """Answer what was asked: rightly, wrongly, or not at all."""
        number, command, *words = message.split()
        if command == "hello":
            return [b"hello name=ears _offer=1 _hand=1 _time=1 _explain=1"]
        if not command.endswith("?"):
            return [self._nonsense().encode()] if self.chance.random() < ODDS_OF_CHATTER else []
        if self.chance.random() < ODDS_OF_SILENCE:
            return []
        answer = self._nonsense() if self.chance.random() < ODDS_OF_NONSENSE else self._answer(command, words)
        return [f"{number} {answer}".encode()]

    def _nonsense(self) -> str:
        return self.chance.choice(self.NONSENSE)

    def _answer(self, command: str, words: list[str]) -> str:
        if command not in ("sutehai?", "naku?"):
            return "yes"
        extras = (SutehaiAsk if command == "sutehai?" else NakuAsk).parse(words).extras
        assert extras.hand is not None
        return write_action(chosen(extras.offers or (), Hand(*parse_ump_hand(extras.hand)), self.chance))


def ump01() -> Ump01Session:
    """Return the session of a client that has just connected."""
    return Ump01Session(Hello((("ump", "0.1"), ("name", "ump"))))


UMP01 = Tongue("ump 0.1", ump01, Ump01Client)
