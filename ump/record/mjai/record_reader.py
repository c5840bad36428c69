"""Read the logs of mjai's servers as recorded games.

The reader of the protocol turns each object into events; this module adds what its clients do without: the yaku that
share a name, the base points, and our field ``ump``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ump.model.events import HandWon, RiichiPaid
from ump.model.yaku import Yaku
from ump.record.game_builder import GameBuilder
from ump.record.hand_values import dragons_of, exact_yaku, stated_value
from ump.record.kyoku_builder import KyokuBuilder
from ump.record.own_fields import FIELD, stated_rules, with_own_fields
from ump.record.recorded_game import RecordedGame, RecordError, Remark, Stated
from ump.wire.json_text import JSON, read_document
from ump.wire.mjai.events import START_GAME
from ump.wire.mjai.notes import MAX_NOTE
from ump.wire.mjai.read import Fields, Reader
from ump.wire.mjai.yaku_names import YAKU_NAMES
from ump.wire.text import WireError

DRAGONS = YAKU_NAMES[Yaku.HAKU]
"""The name that the yaku of all dragons share."""


def read_mjai(data: bytes) -> tuple[RecordedGame, ...]:
    """Return the games of a log; raise RecordError, with the line, if it is damaged."""
    games = []
    log: _Log | None = None
    for number, message in _messages(data):
        try:
            if message.get("type") == START_GAME:
                games += [] if log is None else [log.game()]
                log = _Log(message)
            elif log is None:
                log = _Log({"type": START_GAME})
            log.read(message)
        except (RecordError, WireError) as error:
            raise RecordError(f"line {number}: {error}") from None
    if log is None:
        raise RecordError("no events")
    return (*games, log.game())


def _messages(data: bytes) -> Iterator[tuple[int, Fields]]:
    """Yield the objects of a log with their lines; a line may hold an array of them."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            read = read_document(line)
        except WireError as error:
            raise RecordError(f"line {number}: {error}") from None
        for message in read if isinstance(read, list) else [read]:
            if not isinstance(message, dict):
                raise RecordError(f"line {number}: expected objects")
            yield number, message


class _Log:
    """The part of a log that is one game."""

    def __init__(self, start: Fields) -> None:
        self._own: JSON = start.get(FIELD)
        self._reader = Reader(is_log=True)
        self._builder = GameBuilder(stated_rules(self._own))

    def read(self, message: Fields) -> None:
        """Take a message, and add its events to the game."""
        for event in self._reader.read(message):
            if isinstance(event, HandWon):
                self._win(event, message)
            elif isinstance(event, RiichiPaid):
                self._builder.add(event, Stated(points=_scores(message)))
            else:
                self._builder.add(event)
        self._note(message.get("logs"))

    def _note(self, texts: JSON) -> None:
        """Note the texts of bots, by seat, on their answers to the last event."""
        if not self._builder.has_kyoku or not isinstance(texts, list):
            return
        kyoku = self._builder.kyoku
        kyoku.remarks += [
            Remark(len(kyoku.events), seat, "log", text[:MAX_NOTE])
            for seat, text in enumerate(texts[: kyoku.seats])
            if isinstance(text, str) and text
        ]

    def game(self) -> RecordedGame:
        """Return the game of all messages so far."""
        return with_own_fields(self._builder.game(), self._own)

    def _win(self, won: HandWon, message: Fields) -> None:
        kyoku = self._builder.kyoku
        points = message.get("hora_points")
        worth = points if type(points) is int else None
        value = won.value
        yaku = _yaku(won, message, kyoku)
        value = stated_value(
            yaku,
            value.han,
            value.fu,
            value.yakuman,
            worth,
            seats=len(won.changes),
            is_dealer=won.seat == kyoku.dealer,
            is_tsumo=won.loser is None,
        )
        self._builder.add(replace(won, value=value), Stated(worth=worth))


def _yaku(won: HandWon, message: Fields, kyoku: KyokuBuilder) -> list[tuple[Yaku, int]]:
    """Return the yaku of a win. The dragons and the better forms of a yakuman follow from the hand."""
    concealed = list(kyoku.hand(won.seat) or won.faces)
    if won.loser is None and won.tile in concealed:
        concealed.remove(won.tile)
    listed = [(exact_yaku(yaku, concealed, won.tile, won.value.yakuman), han) for yaku, han in won.value.yaku]
    pairs = message.get("yakus")
    dragons = (
        [pair for pair in pairs if isinstance(pair, list) and pair[:1] == [DRAGONS]] if isinstance(pairs, list) else []
    )
    if dragons:
        hand = [*concealed, won.tile, *(face for meld in kyoku.melds[won.seat] for face in meld.faces)]
        listed += [(yaku, 1) for yaku in dragons_of(hand, len(dragons))]
    return listed


def _scores(message: Fields) -> tuple[int, ...] | None:
    scores = message.get("scores")
    if not isinstance(scores, list):
        return None
    return tuple(score for score in scores if type(score) is int)
