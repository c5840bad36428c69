"""Write a recorded game as M.LEAGUE's viewer and its readers expect it.

The commands are those of UMP 0.2 in its order. The riichi sticks of a kyoku are part of its last payments, and
``richi`` only informs. The time is empty: a recorded game does not say when it was played.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from ump.model.constants import STICK_POINTS
from ump.model.events import (
    DoraRevealed,
    Event,
    GameEnded,
    GameStarted,
    HandDealt,
    HandWon,
    KyokuDrawn,
    KyokuStarted,
    RiichiPaid,
)
from ump.model.notation import UMP_FACES
from ump.model.seats import Seat, seats_from, wind_of
from ump.record.mjai.record_writer import told
from ump.record.mleague.yaku_names import written_pairs
from ump.record.own_fields import FIELD, own_fields
from ump.record.recorded_game import RecordedGame
from ump.wire.json_text import write
from ump.wire.text import MAX_NAME
from ump.wire.ump01.render import Language
from ump.wire.ump02 import render
from ump.wire.ump02.words import SEATS

OWN_OPTION = f"_{FIELD}="
"""The option of ``gamestart`` with our own field, in JSON."""

WIND, KYOKU, HONBA = 1_000_000, 100_000, 1_000
"""What the wind of the round, the dealer's seat and the honba count in the number of a command."""

Command = tuple[str, list[str]]
"""The name of a command, and its arguments."""


def write_mleague(game: RecordedGame) -> bytes:
    """Return the commands of a game in a JSON array, one on each line."""
    lines = []
    number = 0
    for name, args in _Writer(game).commands():
        if name == "kyokustart":
            number = WIND * (int(args[4][0]) - 1) + KYOKU * SEATS.index(args[1]) + HONBA * int(args[2])
        command = {"time": "", "id": str(number), "cmd": name, "args": args}
        lines.append(json.dumps(command, ensure_ascii=False, separators=(",", ":")))
        number = 0 if name == "gamestart" else number + 1
    return f"[\n{f',{chr(10)}'.join(lines)}\n]\n".encode()


class _Writer:
    """Writes one game."""

    def __init__(self, game: RecordedGame) -> None:
        self._game = game
        self._seats = len(game.names)
        self._started: KyokuStarted
        self._hands: list[HandDealt] = []
        self._sticks: Counter[Seat] = Counter()
        """The sticks that each seat has paid in this kyoku, until its payments contain them."""

    def commands(self) -> Iterator[Command]:
        """Yield all commands."""
        for event in told(self._game):
            match event:
                case GameStarted(names):
                    yield from self._head(names)
                case HandDealt():
                    self._hands.append(event)
                case HandWon():
                    yield from self._win(replace(event, changes=self._with_sticks(event.changes)))
                case KyokuDrawn():
                    yield from self._draw(replace(event, changes=self._with_sticks(event.changes)))
                case GameEnded():
                    yield from _end(event)
                case _:
                    yield from self._other(event)

    def _head(self, names: tuple[str, ...]) -> Iterator[Command]:
        yield "area", ["-"]
        for seat, name in enumerate(names):
            yield "player", [SEATS[seat], name[:MAX_NAME], "user", "-"]
        own = own_fields(self._game)
        yield "gamestart", ["id=1", *([f"{OWN_OPTION}{write(own)}"] if own else [])]

    def _other(self, event: Event) -> Iterator[Command]:
        """Yield the commands of an event that are the sentences of 0.2."""
        if isinstance(event, KyokuStarted):
            self._started = event
            self._sticks.clear()
        if isinstance(event, RiichiPaid):
            self._sticks[event.seat] += 1
        sentences = render.render(event, seats=self._seats)
        if isinstance(event, DoraRevealed) and self._hands:
            sentences += render.deal_sentences(self._hands)
            self._hands.clear()
        for name, args in map(_command, sentences):
            yield name, ["0", *args[1:]] if name == "kyokustart" else args

    def _with_sticks(self, changes: tuple[int, ...]) -> tuple[int, ...]:
        """Return payments with the sticks of the kyoku, which the first payments contain."""
        sticks = Counter(self._sticks)
        self._sticks.clear()
        return tuple(change - STICK_POINTS * sticks[seat] for seat, change in enumerate(changes))

    def _win(self, won: HandWon) -> Iterator[Command]:
        dealer = self._started.dealer
        for sentence in render.win_sentences(won, Language.JAPANESE, dealer):
            name, args = _command(sentence)
            if name == "agari":
                if not won.ura:
                    yield "uradora", ["", ""]
                args = self._value(won)
            yield name, args

    def _value(self, won: HandWon) -> list[str]:
        """Return the arguments of the value; the points are those of a ron, for a tsumo too."""
        dealer, value = self._started.dealer, won.value
        pairs = written_pairs(value, self._started.bakaze, wind_of(won.seat, dealer, self._seats))
        return [
            *([] if won.loser is None else [f"ron={UMP_FACES[won.tile]}"]),
            SEATS[won.seat],
            render.points_label(value, Language.JAPANESE, self._seats, is_dealer=won.seat == dealer, is_ron=True),
            str(value.fu),
            *(text for name, han in pairs for text in (name, str(han))),
        ]

    def _draw(self, drawn: KyokuDrawn) -> Iterator[Command]:
        reason, *_ = render.render(drawn)
        yield _command(reason)
        for seat in seats_from(self._started.dealer, self._seats):
            if drawn.changes[seat]:
                yield "point", [SEATS[seat], f"{drawn.changes[seat]:+d}"]


def _end(ended: GameEnded) -> Iterator[Command]:
    """Yield the results in order of places, and the rank of each seat, 0 for the first."""
    if not ended.results:
        return
    order = sorted(range(len(ended.places)), key=ended.places.__getitem__)
    results = [text for seat in order for text in (SEATS[seat], f"{ended.results[seat] / 10:.1f}")]
    yield "gameend", [*results, *(f"{SEATS[seat]}_rank={ended.places[seat] - 1}" for seat in order)]


def _command(sentence: str) -> Command:
    """Return a sentence as a command; none of these has encoded words."""
    name, *args = sentence.split(" ")
    return name, args
