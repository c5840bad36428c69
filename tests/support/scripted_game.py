"""Scripted games: each kyoku is given by its result, in a few words.

Players are named by their wind in the kyoku (``E`` is the dealer), so that an order reads the same for every dealer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ump.game.arranged_wall import build_wall
from ump.game.deals import Deal
from ump.game.game import Game
from ump.model.actions import Action, KyushuKyuhai, Riichi, Ron, Tsumo
from ump.model.constants import LIVE_WALL
from ump.model.events import Event, GameEnded, KyokuStarted
from ump.model.seats import LETTERS, wind_of
from ump.model.tiles import Tile
from ump.rules.questions import Question
from ump.rules.ruleset import Ruleset

WINDS = "ESWN"

E_ = TypeVar("E_", bound=Event)

NOTHING = {"E": "147m258p369s1357z", "S": "258m369p147s2467z", "W": "369m147p258s1346z", "N": "148m259p367s2567z"}
"""Hands that are far from tenpai."""
TANYAO_ON_5P = ("234m678m345s46p88p", "234m678m345s46p22p")
"""Hands that wait for 5p alone; worth 1 han 40 fu."""
WORTH = {"": ("5p", "1z"), "2600": ("0p", "1z"), "8000": ("0p", "7p")}
"""The winning tile and the dora indicator for the points of such a hand of a non-dealer (by default 1,300)."""
SINGLE_WAITS = {"E": "123456789m111z2z", "S": "123456789p222z3z", "W": "123456789s333z4z", "N": "234m234p234s555z7z"}
"""Tenpai hands that never win, because other players hold the tiles that they wait for."""
NINE_TERMINALS = "19m19p19s123z258m4p"
COMPLETE_WITH_5P = "123m456m789s11z46p"
MIDDLE = [number + suit for suit in "mps" for number in "234678"] * 3
OUTER = [*["1m", "9m", "1p", "9p", "1s", "9s"], *[f"{number}z" for number in range(1, 8)]] * 3


class ScriptedGame:
    """A game that has been played by a script: orders for each kyoku, separated by commas.

    ===================== ==================================================================
    ``S ron E``           south wins 1,300 from the dealer (who would win 2,000)
    ``S ron E 8000``      the same with a mangan; 2600: with the red five
    ``EW ron S``          both win
    ``tenhou``            the dealer wins with the first draw, 16,000 from each
    ``abort``             the dealer declares kyushu kyuhai
    ``draw``              the wall is exhausted, all are noten
    ``draw EW``           the same, and these are tenpai
    ``draw EW richi``     the same, in riichi: their sticks stay on the table
    ``nagashi S``         all are noten, and south has discarded nothing but terminals and honours
    ===================== ==================================================================
    """

    def __init__(self, story: str, rules: Ruleset | None = None, **changes: Any) -> None:
        """Play the script, and proceed to the next kyoku or the end. The game must not end before its script."""
        orders = [order.split() for order in story.split(",")]
        deals = [Deal(_wall(order), (1, 1)) for order in orders]
        self.game = Game(
            replace(rules or Ruleset(), **changes), LETTERS, lambda at: deals[min(at.number, len(deals) - 1)]
        )
        self.events: list[Event] = self.game.begin()
        for order in orders:
            assert not self.game.over, f"the game is over before {' '.join(order)}"
            self.events += self.game.proceed()
            self._play(_wishes(order))
        self.events += self.game.proceed()

    def _play(self, wishes: dict[str, type[Action]]) -> None:
        dealer = self.events_of(KyokuStarted)[-1].dealer
        while not self.game.between_kyoku:
            seat, question = next(iter(self.game.questions.items()))
            wish = wishes.get(WINDS[wind_of(seat, dealer, len(WINDS))])
            self.events += self.game.answer(seat, _answer(question, wish))

    def events_of(self, kind: type[E_]) -> list[E_]:
        """Return all events of one type."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def rounds(self) -> str:
        """All kyoku that have begun, with their honba, as ``E1.0 E1.1``; and ``end`` if the game is over."""
        begun = [f"{WINDS[start.bakaze]}{start.dealer + 1}.{start.honba}" for start in self.events_of(KyokuStarted)]
        return " ".join(begun + ["end"] * self.game.over)

    @property
    def next(self) -> str:
        """The kyoku after the script, or ``end``."""
        return self.rounds.split()[-1]

    @property
    def start(self) -> KyokuStarted:
        """The start of the kyoku after the script."""
        return self.events_of(KyokuStarted)[-1]

    @property
    def end(self) -> GameEnded:
        """The end of the game; the script must have ended it."""
        (ended,) = self.events_of(GameEnded)
        return ended


def _answer(question: Question, wish: type[Action] | None) -> Action:
    """Return an action of the wished type if one is legal, else the default."""
    wished = (action for action in question.legal() if wish and isinstance(action, wish))
    return next(wished, question.default())


def _wishes(order: Sequence[str]) -> dict[str, type[Action]]:
    """Return the type of action that each wind takes as soon as it can."""
    match order:
        case [winners, "ron", *_]:
            return dict.fromkeys(winners, Ron)
        case ["draw", winds, "richi"]:
            return dict.fromkeys(winds, Riichi)
        case ["tenhou"]:
            return {"E": Tsumo}
        case ["abort"]:
            return {"E": KyushuKyuhai}
    return {}


def _wall(order: Sequence[str]) -> tuple[Tile, ...]:
    """Return a wall with which the kyoku can have this result."""
    match order:
        case [winners, "ron", loser, *worth]:
            tile, dora = WORTH["".join(worth)]
            draws = [*["9m", "9p", "9s", "9s"][: WINDS.index(loser)], tile]
            return _laid(dict(zip(winners, TANYAO_ON_5P, strict=False)), "".join(draws), dora)
        case ["draw"]:
            return _laid({})
        case ["draw", winds, *_]:
            return build_wall(_letters({wind: SINGLE_WAITS[wind] for wind in winds}), "6m6p6s7m", dora="9p")
        case ["tenhou"]:
            return _laid({"E": COMPLETE_WITH_5P}, "5p")
        case ["abort"]:
            return _laid({"E": NINE_TERMINALS})
        case ["nagashi", winds]:
            return build_wall({}, _draws_with_outer_tiles(winds))
    raise AssertionError(f"no such order: {' '.join(order)}")


def _draws_with_outer_tiles(winds: str) -> str:
    """Return the draws of a whole wall: terminals and honours for these players, simple tiles for the others."""
    outer, middle = iter(OUTER), iter(MIDDLE)
    return "".join(next(outer if WINDS[draw % len(WINDS)] in winds else middle) for draw in range(LIVE_WALL))


def _laid(hands: dict[str, str], draws: str = "", dora: str = "1z") -> tuple[Tile, ...]:
    return build_wall(_letters({**NOTHING, **hands}), draws, dora=dora)


def _letters(hands: dict[str, str]) -> dict[str, str]:
    """Rename winds to the seats of a wall in which A deals."""
    return {LETTERS[WINDS.index(wind)]: hand for wind, hand in hands.items()}
