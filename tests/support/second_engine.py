"""A second engine: RiichiEnv (PyPI ``riichienv``, smly/RiichiEnv) plays one of our kyoku; its results use our types.

It is started again for every kyoku, with the same wall and standing, so that a difference in one kyoku does not affect
the next. It has Tenhou's numbers for physical tiles, as our walls do, and takes riichi in two steps: first the
declaration, then the discard.

Two of its games get the same answers. The game of a single kyoku ends with it, and then still has the details of the
wins. The hanchan goes straight on, and shows what follows: the next dealer, honba and riichi sticks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.metadata import version as version_of
from typing import Any

from riichienv import Action as Step
from riichienv import ActionType, GameRule, RiichiEnv

from ump.game.game import GameState
from ump.model import actions
from ump.model.constants import DEAD_WALL
from ump.model.events import DrawReason
from ump.model.seats import Seat
from ump.model.tiles import COPIES, Face, Tile, faces_of_tiles, sort_faces
from ump.model.value import value
from ump.model.yaku import TENHOU_YAKU

RULES: Mapping[str, Callable[[], GameRule]] = {
    "tenhou": GameRule.default_tenhou,
    "majsoul": GameRule.default_mjsoul,
    "tenhou3": GameRule.default_tenhou,
    "majsoul3": GameRule.default_mjsoul,
}
"""Its rules for the presets that it knows."""

MODES = {4: (0, 2), 3: (3, 5)}
"""Its numbers for a single kyoku and for a hanchan, by the number of players."""

YAKUMAN_HAN = 13
FACES = faces_of_tiles((1, 1, 1))

DRAWS = {
    "exhaustive_draw": DrawReason.EXHAUSTED,
    "nagashimangan": DrawReason.NAGASHI_MANGAN,
    "kyushu_kyuhai": DrawReason.KYUSHU_KYUHAI,
    "sufuurenta": DrawReason.SUUFON_RENDA,
    "suucha_riichi": DrawReason.SUUCHA_RIICHI,
    "suukansansen": DrawReason.SUUKAIKAN,
    "sanchaho": DrawReason.SANCHAHO,
}
"""Its names of draws."""


@value
class Win:
    """The win of one player."""

    seat: Seat
    names: tuple[str, ...]
    """Its yaku and dora, romanised and sorted."""
    han: int
    fu: int
    """0 for yakuman."""
    yakuman: int
    """The number of yakuman; 0 for an ordinary hand and for a kazoe yakuman."""


@value
class Outcome:
    """The result of a kyoku."""

    wins: tuple[Win, ...]
    """By seat."""
    draw: DrawReason | None
    points: tuple[int, ...]
    """The scores after it."""
    kyotaku: int
    """Riichi sticks that stay on the table."""


@value
class Table:
    """The open information on the table."""

    left: int
    """Tiles left in the live wall."""
    points: tuple[int, ...]
    kyotaku: int
    indicators: tuple[Face, ...]
    river: tuple[tuple[Face, ...], ...]
    """The discards of each seat."""


Steps = tuple[Step, ...]
"""The steps that make one of our actions: two for riichi, else one."""


def version() -> str:
    """Return the release of the second engine."""
    return version_of("riichienv")


class SecondKyoku:
    """One of our kyoku, played by the second engine."""

    def __init__(self, preset: str, tiles: Sequence[Tile], standing: GameState) -> None:
        """Deal this wall, in the layout of ``ump.rules.wall``; ``standing`` has the dealer and the scores."""
        rule = RULES[preset]()
        single, hanchan = MODES[len(standing.points)]
        self._single = RiichiEnv(game_mode=single, rule=rule)
        self._hanchan = RiichiEnv(game_mode=hanchan, rule=rule, skip_mjai_logging=True)
        self._asked: dict[Seat, Any] = {}
        for game in (self._hanchan, self._single):
            self._asked = game.reset(
                oya=standing.dealer,
                wall=drawn_in_turn(tiles),
                round_wind=standing.bakaze,
                scores=list(standing.points),
                honba=standing.honba,
                kyotaku=standing.kyotaku,
            )

    @property
    def over(self) -> bool:
        """Whether the kyoku has ended."""
        return bool(self._single.done())

    def offers(self) -> dict[Seat, dict[actions.Action, Steps]]:
        """Return the legal actions of every seat that is asked, each with the steps that make it.

        If several of its actions, with copies of a tile, are one of ours, the first of them is used.
        """
        if self.over:
            return {}
        found: dict[Seat, dict[actions.Action, Steps]] = {}
        for seat, asked in self._asked.items():
            offered: dict[actions.Action, Steps] = {}
            for step in asked.legal_actions():
                for action, steps in self._read(seat, step):
                    offered.setdefault(action, steps)
            found[seat] = offered
        return found

    def _read(self, seat: Seat, step: Step) -> Iterator[tuple[actions.Action, Steps]]:
        """Yield one of its actions as ours: its riichi without a tile becomes one riichi for each possible tile."""
        if step.action_type != ActionType.RIICHI:
            yield _READ[int(step.action_type)](step, self._single.drawn_tile), (step,)
            return
        drawn = self._single.drawn_tile
        declared = self._single.clone().step({seat: step})[seat]
        for discard in declared.legal_actions():
            yield actions.Riichi(FACES[discard.tile], discard.tile == drawn), (step, discard)

    def answer(self, answers: Mapping[Seat, Steps]) -> None:
        """Take the answers of all seats that are asked."""
        for number in range(max(map(len, answers.values()))):
            step = {seat: steps[min(number, len(steps) - 1)] for seat, steps in answers.items()}
            self._asked = self._single.step(step)
            self._hanchan.step(step)

    def table(self) -> Table:
        """Return the open information."""
        game = self._single
        return Table(
            len(game.wall) - DEAD_WALL,
            tuple(game.scores()),
            game.riichi_sticks,
            tuple(FACES[tile] for tile in game.dora_indicators),
            tuple(tuple(FACES[tile] for tile in river) for river in game.discards),
        )

    def outcome(self) -> Outcome:
        """Return the result of the kyoku; raises KeyError with its own reason if it stopped because of a fault."""
        game = self._single
        wins = tuple(_win(seat, result) for seat, result in sorted(game.win_results.items()))
        reasons = [event["reason"] for event in game.mjai_log if event["type"] == "ryukyoku"]
        draw = DRAWS[reasons[-1]] if reasons else None
        return Outcome(wins, draw, tuple(game.scores()), game.riichi_sticks)

    def following(self) -> GameState | None:
        """Return the standing of the hanchan after this kyoku; None if it was the last."""
        game = self._hanchan
        if game.done():
            return None
        return GameState(tuple(game.scores()), game.round_wind, game.oya, game.honba, game.riichi_sticks)

    def places(self) -> tuple[int, ...]:
        """Return the place of each seat by its scores now."""
        return tuple(self._hanchan.ranks())


def drawn_in_turn(tiles: Sequence[Tile]) -> list[Tile]:
    """Return a wall in the engine's order: from the first dealt tile on, with the pairs of the dead wall swapped."""
    dead = [tiles[place ^ 1] for place in range(DEAD_WALL)]
    return [*dead, *tiles[DEAD_WALL:]][::-1]


def _win(seat: Seat, result: Any) -> Win:
    # A set: norths that were set aside are an entry of their own there, with the name of dora.
    names = tuple(sorted({TENHOU_YAKU[each.tenhou_id].romaji for each in result.yaku_list()}))
    yakuman = result.han // YAKUMAN_HAN if result.yakuman else 0
    return Win(seat, names, result.han, 0 if yakuman else result.fu, yakuman)


def _two(step: Step) -> tuple[Face, Face]:
    first, second = sort_faces(FACES[tile] for tile in step.consume_tiles)
    return first, second


_READ: dict[int, Callable[[Step, Tile | None], actions.Action]] = {
    int(ActionType.DISCARD): lambda step, drawn: actions.Discard(FACES[step.tile], step.tile == drawn),
    int(ActionType.CHI): lambda step, drawn: actions.Chi(_two(step)),
    int(ActionType.PON): lambda step, drawn: actions.Pon(_two(step)),
    int(ActionType.DAIMINKAN): lambda step, drawn: actions.Daiminkan(),
    int(ActionType.RON): lambda step, drawn: actions.Ron(),
    int(ActionType.TSUMO): lambda step, drawn: actions.Tsumo(),
    int(ActionType.PASS): lambda step, drawn: actions.Pass(),
    int(ActionType.ANKAN): lambda step, drawn: actions.Ankan(step.consume_tiles[0] // COPIES),
    int(ActionType.KAKAN): lambda step, drawn: actions.Kakan(FACES[step.tile]),
    int(ActionType.KITA): lambda step, drawn: actions.Kita(),
    int(ActionType.KYUSHU_KYUHAI): lambda step, drawn: actions.KyushuKyuhai(),
}
"""The reader of each of its actions except riichi, with the number of the drawn tile as an argument."""
