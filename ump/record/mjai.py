"""Read and write mjai's logs (``.mjson``): the events of a server, an object on each line, without hidden tiles.

The reader of the protocol turns each object into events; this module adds what its clients do without: the yaku that
share a name, the base points, and our field ``ump``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ump.model import events as ev
from ump.model.constants import DEALT_TILES
from ump.model.seats import LETTERS, Seat
from ump.model.tiles import WINDS
from ump.model.yaku import Yaku
from ump.record.findings import (
    Collector,
    DoraPlace,
    FilePlace,
    Findings,
    FormatStatements,
    Rule,
    StatedEntry,
    StatedGame,
    StatedKyoku,
    Strict,
    read_fields,
    with_length,
    with_start,
)
from ump.record.game_builder import ASSUMED, GameBuilder, liable_seat
from ump.record.hand_values import dragons_of, exact_yaku, stated_value
from ump.record.record_format import (
    FIELD,
    Carried,
    Fact,
    RecordFormat,
    carrying,
    own_fields,
    stated_end,
    stated_rules,
    with_own_fields,
)
from ump.record.recorded_game import RecordedGame, RecordError, Stated, lacks_ura, sorted_yaku, told
from ump.rules.ruleset import Length, Ruleset
from ump.wire.json_text import JSON, read_document, write
from ump.wire.mjai.events import EMPTY_SEAT, GIMITE, START_GAME, YAKU_NAMES, MjaiNarrator, Wording, Written
from ump.wire.mjai.events import MORTAL as MORTAL_WORDING
from ump.wire.mjai.read import YAKU_OF_NAME, Fields, MjaiReader
from ump.wire.mjai.session_base import read_note
from ump.wire.text import WireError

# Reading


FORM = FormatStatements(DoraPlace.IN_PLACE, sticks=True)

LENGTHS = {0: Length.HANCHAN, 4: Length.TONPU}
"""The length of a game by ``kyoku_first`` in Mortal's logs (Equim-chan/Mortal)."""

_EMPTY_SEAT = len(LETTERS) - 1
"""The seat that nobody has in a game of three, if lists have four elements."""

DRAGONS = YAKU_NAMES[Yaku.HAKU]
"""The name that the yaku of all dragons share."""


def read_mjai(data: bytes) -> tuple[RecordedGame, ...]:
    """Return the games of a log; raise RecordError, with the line, if it is damaged."""
    games = _read_games(data, read_document, Strict())
    if not games:
        raise RecordError("no events")
    return tuple(map(_recorded, games))


def state_mjai(data: bytes, rules: Ruleset | None, findings: Findings) -> list[StatedGame]:
    """Return the games of a log with the faults of its lines as findings."""
    games = _read_games(data, read_fields, findings)
    return [_stated(game, rules, findings) for game in games if game.kyoku()]


def _read_games(data: bytes, read: Callable[[bytes], JSON], findings: Findings) -> list[_GameReader]:
    """Read a log to its end, and return the readers of its games; ``read`` reads JSON, and raises WireError."""
    games: list[_GameReader] = []
    messages = list(_messages(data, read))
    is_one_empty = False
    for index, (place, message) in enumerate(messages):
        if not isinstance(message, dict):
            _report_unreadable(place, message, findings)
            if games and isinstance(message, WireError):
                games[-1].lose(place)
            continue
        type_ = message.get("type")
        if type_ == START_GAME or not games:
            games.append(_GameReader(place, message if type_ == START_GAME else {}, findings))
            is_one_empty = _is_one_empty(messages, index)
        if is_one_empty:
            _drop_empty_seat(message)
        if type_ == "start_kyoku" and not games[-1].has_kyoku and "scores" not in message:
            message.update(_first_scores(following for _, following in messages[index + 1 :]))
        games[-1].read(place, message)
    return games


def _is_one_empty(messages: Sequence[tuple[FilePlace, JSON | WireError]], start: int) -> bool:
    """Tell whether the game that starts there has lists of four for three players, as Mortal's family writes them."""
    is_dealt = False
    for index in range(start, len(messages)):
        message = messages[index][1]
        if not isinstance(message, dict):
            continue
        type_ = message.get("type")
        if type_ == START_GAME and index > start:
            break
        if "names" in message and not _is_empty_in(message, "names"):
            return False
        if message.get("actor") == _EMPTY_SEAT:
            return False
        if type_ == "start_kyoku" and not is_dealt:
            is_dealt = True
            if not (_is_empty_in(message, "scores") and _is_empty_in(message, "tehais")):
                return False
    return is_dealt


def _is_empty_in(message: Fields, name: str) -> bool:
    """Tell whether a list by seat has an empty fourth seat."""
    listed = message.get(name)
    return isinstance(listed, list) and len(listed) == len(LETTERS) and listed[_EMPTY_SEAT] == EMPTY_SEAT[name]


def _drop_empty_seat(message: dict[str, JSON]) -> None:
    """Shorten the lists of a message to three."""
    for name in EMPTY_SEAT:
        listed = message.get(name)
        if isinstance(listed, list) and _is_empty_in(message, name):
            message[name] = listed[:_EMPTY_SEAT]


def _messages(data: bytes, read: Callable[[bytes], JSON]) -> Iterator[tuple[FilePlace, JSON | WireError]]:
    """Yield what should be the objects of a log, with their lines; a line may hold an array of them."""
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        place = FilePlace("line", number)
        try:
            document = read(line)
        except WireError as error:
            yield place, error
            continue
        for message in document if isinstance(document, list) else [document]:
            yield place, message


def _report_unreadable(place: FilePlace, message: JSON | WireError, findings: Findings) -> None:
    if isinstance(message, WireError):
        findings.add_error(place, Rule.UNREADABLE, "a JSON object", message)
    else:
        findings.add(place, Rule.UNREADABLE, "a JSON object", type(message).__name__)


def _first_scores(following: Iterable[JSON | WireError]) -> dict[str, JSON]:
    """Return the scores of a first kyoku that does not state them, from the first payment after it."""
    for message in following:
        if not isinstance(message, dict):
            continue
        deltas, scores = message.get("deltas"), message.get("scores")
        if message.get("type") == "start_kyoku":
            break
        if isinstance(deltas, list) and isinstance(scores, list) and len(deltas) == len(scores):
            pairs = zip(scores, deltas, strict=True)
            return {"scores": [now - paid for now, paid in pairs if type(now) is int and type(paid) is int]}
    return {}


def _recorded(read: _GameReader) -> RecordedGame:
    """Return a game for converting."""
    builder = GameBuilder(stated_rules(read.own), exact=_exact)
    builder.length = read.length
    if read.names:
        builder.add(ev.GameStarted(read.names))
    for kyoku in read.kyoku():
        builder.add_kyoku(kyoku)
    if read.ended is not None:
        builder.add(read.ended)
    return with_own_fields(builder.game(), read.own)


def _exact(won: ev.HandWon, builder: GameBuilder) -> ev.HandWon:
    """Return a win with what follows from the moves: the dragons, better forms of a yakuman, and the liable player."""
    kyoku = builder.kyoku
    concealed, melds = kyoku.without_winning_tile(won), kyoku.melds[won.seat]
    pairs = []
    dragons = 0
    for yaku, han in won.value.yaku:
        if yaku is Yaku.HAKU:
            dragons += 1
        else:
            pairs.append((exact_yaku(yaku, concealed, won.tile, won.value.yakuman), han))
    hand = [*concealed, won.tile, *(face for meld in melds for face in meld.faces)]
    pairs += [(yaku, 1) for yaku in dragons_of(hand, dragons)]
    won = replace(won, value=replace(won.value, yaku=sorted_yaku(tuple(pairs))))
    if won.liable is None and won.changes:
        won = replace(won, liable=liable_seat(won, builder.ruleset, melds))
    return won


def _stated(read: _GameReader, rules: Ruleset | None, findings: Findings) -> StatedGame:
    """Return a game with at least one kyoku for the linter; ``rules`` are those of a game that states none."""
    own: Mapping[str, JSON] = read.own if isinstance(read.own, dict) else {}
    stated: Ruleset | None = None
    try:
        stated = stated_rules(read.own)
    except RecordError as error:
        findings.kyoku = 0
        findings.add_error(read.place, Rule.WRONG_VALUE, "rules", error)
    ended = stated_end(read.ended, read.own)
    if ended is not None and not ended.points:
        ended = None
    if ended is not None:
        results, places = _integers(own.get("results")), _integers(own.get("places"))
        ended = replace(ended, results=results, places=places)
    kyoku, known = read.kyoku(), stated or rules
    ruleset = known or with_start(ASSUMED, kyoku[0].started)
    own_counting = own.get("own_counting") is True
    game = StatedGame(FORM, ruleset, known is not None, kyoku, ended, read.ended_place, own_counting)
    return game if stated is not None else with_length(game, read.length)


_PAID = ("deltas", "scores", "delta")
_URA = ("uradora_markers", "ura_markers", "ura_dora_markers")
_NEEDED: dict[str, tuple[str, ...]] = {
    "start_game": (),
    "start_kyoku": ("bakaze", "honba", "kyotaku", "oya", "dora_marker", "tehais"),
    "tsumo": ("actor", "pai"),
    "dahai": ("actor", "pai", "tsumogiri"),
    "reach": ("actor",),
    "reach_accepted": ("actor",),
    "dora": ("dora_marker",),
    "chi": ("actor", "target", "pai", "consumed"),
    "pon": ("actor", "target", "pai", "consumed"),
    "daiminkan": ("actor", "target", "pai", "consumed"),
    "ankan": ("actor", "consumed"),
    "kakan": ("actor", "pai", "consumed"),
    "kita": ("actor",),
    "nukidora": ("actor",),
    "hora": ("actor", "target"),
    "ryukyoku": (),
    "end_kyoku": (),
    "end_game": (),
}
"""The fields that each type of event needs."""

_ALSO: dict[str, tuple[str, ...]] = {
    "start_game": ("names", "id", "kyoku_first", "aka_flag", "uri", FIELD),
    "start_kyoku": ("kyoku", "scores", "kyoutaku"),
    "reach": ("pai", "tsumogiri"),
    "reach_accepted": _PAID,
    "kita": ("pai",),
    "nukidora": ("pai",),
    "hora": (
        *("pai", "hora_tehais", "yakus", "fu", "fan", "hora_points", "pao", "tsumo", "yaku", "han"),
        *_URA,
        *_PAID,
    ),
    "ryukyoku": ("actor", "reason", "tehais", "tenpais", *_PAID),
    "end_game": _PAID,
}
"""The further fields that some program writes."""

_ALWAYS = ("type", "logs", "metas", "meta", "can_act", "possible_actions", "cannot_dahai")
"""Fields that may stand in every event."""

_KNOWN = {type_: frozenset((*_ALWAYS, *needed, *_ALSO.get(type_, ()))) for type_, needed in _NEEDED.items()}
"""All fields of each type of event."""

_SILENT = ("hello", "error", "none")
"""Further types, which say nothing about the game."""

_UNSAID = Stated(has_tsumogiri=False)

_MELDS = ("chi", "pon", "daiminkan", "ankan", "kakan")


class _GameReader:
    """Reads the part of a log that is one game, for converting and for the linter."""

    def __init__(self, place: FilePlace, start: Fields, findings: Findings) -> None:
        self.place = place
        """The place of its start."""
        self.own: JSON = start.get(FIELD)
        """The content of our own field."""
        first = start.get("kyoku_first")
        self.length = LENGTHS.get(first) if type(first) is int else None
        """The length of the game, if the log states it."""
        self.names: tuple[str, ...] = ()
        self.ended: ev.GameEnded | None = None
        self.ended_place = FilePlace()
        self._findings = findings
        self._reader = MjaiReader(is_log=True, judges=findings.is_strict)
        self._collector = Collector(findings)

    @property
    def has_kyoku(self) -> bool:
        """Whether a kyoku has begun."""
        return bool(self._collector.kyoku)

    def kyoku(self) -> tuple[StatedKyoku, ...]:
        """Return all kyoku, after the last message."""
        return self._collector.finished()

    def lose(self, place: FilePlace, seat: Seat | None = None) -> None:
        """Note a line that may be a move."""
        self._collector.lose(place, seat)

    def read(self, place: FilePlace, message: Fields) -> None:
        """Read one message."""
        type_ = message.get("type")
        if isinstance(type_, str) and type_ in _NEEDED:
            self._findings.check_fields(place, type_, message, _KNOWN[type_], _NEEDED[type_])
            try:
                self._read(place, message, type_)
            except (WireError, RecordError) as error:
                self._report(place, type_, message, error)
        elif type_ not in _SILENT:
            self._findings.note(place, Rule.UNKNOWN_EVENT, f"one of {', '.join(_NEEDED)}", ascii(type_)[:40])
        if "logs" in message or "metas" in message:
            self._remark(message)

    def _read(self, place: FilePlace, message: Fields, type_: str) -> None:
        for event in self._reader.read(message):
            match event:
                case ev.TileDrawn():
                    self._collector.enter(StatedEntry(place, event))
                case ev.TileDiscarded():
                    stated = None if "tsumogiri" in message else _UNSAID
                    self._collector.enter(StatedEntry(place, event, stated))
                case ev.GameStarted():
                    self.names = event.names
                case ev.GameEnded():
                    self.ended, self.ended_place = event, place
                case ev.HandWon():
                    self._collector.enter(self._win(place, event, message))
                case ev.RiichiPaid():
                    stated = Stated(points=_scores(message))
                    self._collector.enter(StatedEntry(place, event, stated, self._scores(message)))
                case ev.KyokuDrawn():
                    self._collector.enter(StatedEntry(place, event, None, self._scores(message)))
                case ev.KyokuEnded():
                    pass
                case _:
                    number = _number(message) if type_ == "start_kyoku" else None
                    self._collector.add(place, event, number)

    def _report(self, place: FilePlace, type_: str, message: Fields, error: ValueError) -> None:
        """Report an event that the reader refuses, and go on after it."""
        if type_ == "start_kyoku":
            self._collector.skip_kyoku()
        hands = message.get("tehais")
        sizes = [len(hand) for hand in hands if isinstance(hand, list)] if isinstance(hands, list) else []
        if type_ == "start_kyoku" and any(size != DEALT_TILES for size in sizes):
            listed = ", ".join(map(str, sizes))
            self._findings.add(place, Rule.DEAL, f"hands of {DEALT_TILES} tiles", f"hands of {listed}")
            return
        rule = Rule.MELD if type_ in _MELDS and "meld" in str(error) else Rule.WRONG_VALUE
        self._findings.add_error(place, rule, f"{type_} as the format has it", error)
        actor = message.get("actor")
        self.lose(place, actor if type(actor) is int and 0 <= actor < self._reader.seats else None)

    def _scores(self, message: Fields) -> tuple[int, ...] | None:
        """Return the scores after an event, if it states them."""
        scores = _scores(message)
        return scores if scores is not None and len(scores) == self._reader.seats else None

    def _win(self, place: FilePlace, won: ev.HandWon, message: Fields) -> StatedEntry:
        points = message.get("hora_points")
        worth = points if type(points) is int else None
        unknown = unknown_yaku(message)
        is_dealer = self.has_kyoku and won.seat == self._collector.kyoku[-1].started.dealer
        value = stated_value(
            [] if unknown else [*won.value.yaku, *_dragons(message)],
            won.value.han,
            won.value.fu,
            won.value.yakuman,
            worth,
            seats=self._reader.seats,
            is_dealer=is_dealer,
            is_tsumo=won.loser is None,
        )
        stated = Stated(worth=worth, unknown_yaku=unknown)
        return StatedEntry(place, replace(won, value=value), stated, self._scores(message))

    def _remark(self, message: Fields) -> None:
        """Note the texts and objects of bots, by seat, on their answers to the last event."""
        logs, metas = _list(message, "logs"), _list(message, "metas")
        for seat in range(self._reader.seats):
            said: dict[str, JSON] = {}
            if seat < len(logs):
                said["log"] = logs[seat]
            if seat < len(metas):
                said["meta"] = metas[seat]
            note = read_note(said)
            if note is not None and note.log:
                self._collector.remark(seat, "log", note.log)
            if note is not None and note.meta:
                self._collector.remark(seat, "meta", note.meta)


def unknown_yaku(message: Fields) -> str | None:
    """Return the names of yaku in a win that are none of mjai's; None if there are none."""
    pairs = message.get("yakus")
    names = [pair[0] for pair in pairs if isinstance(pair, list) and pair] if isinstance(pairs, list) else []
    return ", ".join(ascii(name)[:60] for name in names if name != DRAGONS and name not in YAKU_OF_NAME) or None


def _dragons(message: Fields) -> list[tuple[Yaku, int]]:
    """Return one yaku for each triplet of dragons, which share a name; ``_exact`` tells them apart."""
    pairs = _list(message, "yakus")
    names = [pair[0] for pair in pairs if isinstance(pair, list) and pair]
    return [(Yaku.HAKU, 1)] * names.count(DRAGONS)


def _number(message: Fields) -> Stated | None:
    """Return the number of the kyoku that a start states beside its dealer."""
    kyoku, wind = message.get("kyoku"), message.get("bakaze")
    if type(kyoku) is not int or not isinstance(wind, str) or wind not in "ESWN":
        return None
    return Stated(number="ESWN".index(wind) * len(WINDS) + kyoku - 1)


def _list(message: Fields, name: str) -> list[JSON]:
    listed = message.get(name)
    return listed if isinstance(listed, list) else []


def _scores(message: Fields) -> tuple[int, ...] | None:
    scores = message.get("scores")
    if not isinstance(scores, list):
        return None
    return tuple(score for score in scores if type(score) is int)


def _integers(given: JSON) -> tuple[int, ...]:
    return tuple(number for number in given if type(number) is int) if isinstance(given, list) else ()


# Writing


def write_mjai(game: RecordedGame) -> bytes:
    """Return the log with the names of fields that gimite's programs and RiichiEnv read."""
    return _written(game, GIMITE)


def write_mortal(game: RecordedGame) -> bytes:
    """Return the log as Mortal's programs read it, a game of three as those of its family for three players do."""
    wording = MORTAL_WORDING
    if len(game.names) < len(LETTERS):
        wording = wording.of_three
    return _written(game, wording)


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
    state=state_mjai,
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
    state=state_mjai,
    write=write_mortal,
    players=(3, 4),
    carries=_CARRIES,
    needs=frozenset((Fact.TSUMOGIRI,)),
)
"""As Mortal's programs read them: one field has another name, and games of three have an empty fourth seat."""
