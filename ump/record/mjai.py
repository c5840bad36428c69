"""Read and write mjai's logs (``.mjson``): the events of a server, an object on each line, without hidden tiles.

The reader of the protocol turns each object into events; this module adds what its clients do without: the yaku that
share a name, the base points, and our field ``ump``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ump.model import events as ev
from ump.model.yaku import Yaku
from ump.record.game_builder import GameBuilder, KyokuBuilder, liable_seat
from ump.record.hand_values import dragons_of, exact_yaku, stated_value
from ump.record.record_format import (
    FIELD,
    Carried,
    Fact,
    RecordFormat,
    carrying,
    own_fields,
    stated_rules,
    with_own_fields,
)
from ump.record.recorded_game import RecordedGame, RecordError, Remark, Stated, lacks_ura, told
from ump.rules.ruleset import Length
from ump.wire.json_text import JSON, read_document, write
from ump.wire.mjai.events import GIMITE, START_GAME, YAKU_NAMES, MjaiNarrator, Wording, Written
from ump.wire.mjai.events import MORTAL as MORTAL_WORDING
from ump.wire.mjai.read import YAKU_OF_NAME, Fields, MjaiReader
from ump.wire.mjai.session_base import read_note
from ump.wire.text import WireError

# Reading


LENGTHS = {0: Length.HANCHAN, 4: Length.TONPU}
"""The length of a game by ``kyoku_first`` in Mortal's logs (Equim-chan/Mortal)."""

DRAGONS = YAKU_NAMES[Yaku.HAKU]
"""The name that the yaku of all dragons share."""


def read_mjai(data: bytes) -> tuple[RecordedGame, ...]:
    """Return the games of a log; raise RecordError, with the line, if it is damaged."""
    games = []
    log: _Log | None = None
    messages = list(_messages(data))
    for place, (number, message) in enumerate(messages):
        try:
            if message.get("type") == START_GAME:
                games += [] if log is None else [log.game()]
                log = _Log(message)
            elif log is None:
                log = _Log({"type": START_GAME})
            if message.get("type") == "start_kyoku" and not log.has_kyoku and "scores" not in message:
                message = {**message, **_first_scores(each for _, each in messages[place + 1 :])}
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


def _first_scores(following: Iterable[Fields]) -> dict[str, JSON]:
    """Return the scores of a first kyoku that does not state them, from the first payment after it."""
    for message in following:
        deltas, scores = message.get("deltas"), message.get("scores")
        if message.get("type") == "start_kyoku":
            break
        if isinstance(deltas, list) and isinstance(scores, list) and len(deltas) == len(scores):
            pairs = zip(scores, deltas, strict=True)
            return {"scores": [now - paid for now, paid in pairs if type(now) is int and type(paid) is int]}
    return {}


class _Log:
    """The part of a log that is one game."""

    def __init__(self, start: Fields) -> None:
        self._own: JSON = start.get(FIELD)
        self._reader = MjaiReader(is_log=True)
        self._builder = GameBuilder(stated_rules(self._own))
        first = start.get("kyoku_first")
        self._builder.length = LENGTHS.get(first) if type(first) is int else None

    @property
    def has_kyoku(self) -> bool:
        """Whether a kyoku has begun."""
        return self._builder.has_kyoku

    def read(self, message: Fields) -> None:
        """Take a message, and add its events to the game."""
        for event in self._reader.read(message):
            if isinstance(event, ev.HandWon):
                self._win(event, message)
            elif isinstance(event, ev.TileDiscarded) and "tsumogiri" not in message:
                self._builder.kyoku.discard(event.seat, event.face, tsumogiri=None)
            elif isinstance(event, ev.RiichiPaid):
                self._builder.add(event, Stated(points=_scores(message)))
            else:
                self._builder.add(event)
        self._note(message)

    def _note(self, message: Fields) -> None:
        """Note the texts and objects of bots, by seat, on their answers to the last event."""
        if not self._builder.has_kyoku:
            return
        kyoku = self._builder.kyoku
        for seat in range(kyoku.seats):
            said = {
                kind: by_seat[seat] for kind in ("log", "meta") if seat < len(by_seat := _list(message, f"{kind}s"))
            }
            note = read_note(said)
            texts = {} if note is None else {"log": note.log, "meta": note.meta}
            kyoku.remarks += [Remark(len(kyoku.events), seat, kind, text) for kind, text in texts.items() if text]

    def game(self) -> RecordedGame:
        """Return the game of all messages so far."""
        return with_own_fields(self._builder.game(), self._own)

    def _win(self, won: ev.HandWon, message: Fields) -> None:
        kyoku = self._builder.kyoku
        points = message.get("hora_points")
        worth = points if type(points) is int else None
        value = won.value
        unknown = unknown_yaku(message)
        yaku = [] if unknown else _yaku(won, message, kyoku)
        value = stated_value(
            yaku,
            value.han,
            value.fu,
            value.yakuman,
            worth,
            seats=kyoku.seats,
            is_dealer=won.seat == kyoku.dealer,
            is_tsumo=won.loser is None,
        )
        won = replace(won, value=value)
        if won.liable is None and won.changes:
            won = replace(won, liable=liable_seat(won, self._builder.ruleset, kyoku.melds[won.seat]))
        self._builder.add(won, Stated(worth=worth, unknown_yaku=unknown))


def unknown_yaku(message: Fields) -> str | None:
    """Return the names of yaku in a win that are none of mjai's; None if there are none."""
    pairs = message.get("yakus")
    names = [pair[0] for pair in pairs if isinstance(pair, list) and pair] if isinstance(pairs, list) else []
    return ", ".join(ascii(name)[:60] for name in names if name != DRAGONS and name not in YAKU_OF_NAME) or None


def _yaku(won: ev.HandWon, message: Fields, kyoku: KyokuBuilder) -> list[tuple[Yaku, int]]:
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


def _list(message: Fields, name: str) -> list[JSON]:
    listed = message.get(name)
    return listed if isinstance(listed, list) else []


def _scores(message: Fields) -> tuple[int, ...] | None:
    scores = message.get("scores")
    if not isinstance(scores, list):
        return None
    return tuple(score for score in scores if type(score) is int)


# Writing


def write_mjai(game: RecordedGame) -> bytes:
    """Return the log with the names of fields that gimite's programs and RiichiEnv read."""
    return _written(game, GIMITE)


def write_mortal(game: RecordedGame) -> bytes:
    """Return the log with the names of fields that Mortal's programs read."""
    return _written(game, MORTAL_WORDING)


def _written(game: RecordedGame, wording: Wording) -> bytes:
    narrator = MjaiNarrator(None, wording)
    lines = []
    for event in told(game):
        message = narrator.tell(event)
        if message is not None and isinstance(event, ev.HandWon) and lacks_ura(event, game):
            message = Written({name: each for name, each in message.content.items() if name != wording.ura_markers})
        if message is not None:
            start = _start_fields(game) if isinstance(event, ev.GameStarted) else {}
            lines.append(message.extended(write(start)[1:-1]))
    return "".join(f"{line}\n" for line in lines).encode("ascii")


def _start_fields(game: RecordedGame) -> dict[str, object]:
    """Return the further fields of ``start_game``: those of Mortal, as far as the record says them, and our own."""
    fields: dict[str, object] = {}
    firsts = {length: first for first, length in LENGTHS.items()}
    if game.length_stated and game.ruleset.length in firsts:
        fields["kyoku_first"] = firsts[game.ruleset.length]
    if game.rules_stated:
        fields["aka_flag"] = any(game.ruleset.red_fives)
    own = own_fields(game)
    return {**fields, FIELD: own} if own else fields


# The formats


_EVENT = re.compile(rb'\[?\s*\{[^{}\[\]]{0,4096}"type"\s*:\s*"[a-z_]+"')
"""The start of a log: an object with a type, perhaps in an array."""

_CARRIES = carrying(
    {
        Carried.YES: (Fact.HANDS, Fact.NAMES, Fact.SCORES, Fact.YAKU, Fact.FU, Fact.URA, Fact.ORDER),
        Carried.OWN: (Fact.RULES, Fact.RESULTS, Fact.DICE),
    }
)

MJAI = RecordFormat(
    key="mjai",
    name="mjai log",
    suffix=".mjson",
    sniff=lambda data: _EVENT.match(data) is not None,
    read=read_mjai,
    write=write_mjai,
    players=(3, 4),
    carries=_CARRIES,
    needs=frozenset((Fact.TSUMOGIRI,)),
)
"""As gimite's server writes them, which RiichiEnv reads too."""

MORTAL = RecordFormat(
    key="mortal",
    name="mjai log for Mortal",
    suffix=".mjson",
    sniff=lambda data: False,  # the reader of mjai knows these names, too
    read=read_mjai,
    write=write_mortal,
    players=(3, 4),
    carries=_CARRIES,
    needs=frozenset((Fact.TSUMOGIRI,)),
)
"""As Mortal's programs read them: one field has another name."""
