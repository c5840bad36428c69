"""Read and write transcripts of UMP 0.1 and 0.2: what a server tells one seat, or a game with all hands.

The reader takes those that our writers make, traces of a server, and logs of a client. A line is a sentence with its
id. Before it may stand an instant, as in the traces of our server, and a sign for its direction. Servers and clients
use the signs the other way round, so the sign of ``kyokustart`` is the server's.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import get_args

from ump.model import events as ev
from ump.model.constants import HONBA_POINTS, STICK_POINTS
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, NORTH, RED_FIVES, dora_of
from ump.model.yaku import Yaku
from ump.record.game_builder import ASSUMED, GameBuilder, KyokuBuilder, liable_seat
from ump.record.hand_values import exact_yaku, stated_value
from ump.record.record_format import (
    FIELD,
    OF_RESULTS,
    Carried,
    Fact,
    RecordFormat,
    carrying,
    own_fields,
    stated_rules,
    with_own_fields,
)
from ump.record.recorded_game import NoKyokuError, RecordedGame, RecordError, scores_after, told
from ump.rules.placement import final_points
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length, Ruleset
from ump.wire.json_text import JSON, read_object, write
from ump.wire.text import MAX_NAME, WireError
from ump.wire.ump import render01, render02
from ump.wire.ump.reader import ClientEvent, HelloReceived, UmpReader
from ump.wire.ump.render01 import Language

# Lines


MOST_LINES = 200_000
"""Limit of lines in a transcript; a hanchan with all questions and answers has 6,000."""

OWN_FIELD = f"# {FIELD} ".encode("ascii")
"""The start of the comment with our own field."""

_LINE = re.compile(rb"(?:[0-9T:.-]{8,30}Z? )?(?:([<>]) ?)?([0-9]{1,9} .*)")
"""An instant, a sign, and a sentence with its id."""

_PREFIX = rb"^(?:[0-9T:.-]{8,30}Z? )?(?:([<>]) ?)?[0-9]{1,9} kyokustart "

_STARTS = {
    "0.1": re.compile(_PREFIX + rb"[1-4]z [A-D] ", re.MULTILINE),
    "0.2": re.compile(_PREFIX + rb"(?:[^ =\r\n]+=[^ \r\n]* )*[0-9]+ [A-D]0 ", re.MULTILINE),
}
"""The start of a kyoku in each version of UMP."""


def has_kyoku(data: bytes, version: str) -> bool:
    """Tell whether these are lines in which a kyoku of this version of UMP begins."""
    return data[:1] in b"#<>0123456789" and _STARTS[version].search(data) is not None


def server_lines(data: bytes, version: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of the server, each with the number of its line; raise RecordError if there is none."""
    start = _STARTS[version].search(data)
    if start is None:
        raise RecordError(f"no kyoku of UMP {version} begins")
    sign = start[1]
    for number, line in enumerate(data.split(b"\n"), 1):
        if number > MOST_LINES:
            raise RecordError(f"more than {MOST_LINES} lines")
        match = _LINE.fullmatch(line.rstrip(b"\r"))
        if match is not None and match[1] == sign:
            yield number, match[2].decode("utf-8", "backslashreplace")


def own_field(data: bytes) -> JSON:
    """Return the content of our own field, None if there is none; raise RecordError if it is malformed."""
    for line in data.split(b"\n", 1)[:1]:
        if line.startswith(OWN_FIELD):
            try:
                return read_object(line.removeprefix(OWN_FIELD))
            except WireError as error:
                raise RecordError(f"line 1: {error}") from None
    return None


# The game from the events of the clients' readers
#
# Some facts are not in UMP's sentences, but follow from others: base points from a payment, a liable player from the
# payers, and for 0.2 the scores at the end, and which dora are red or ura.


UNNAMED = " "
"""The form of an empty name, because UMP has no empty words."""

DORA = (Yaku.DORA, Yaku.URA_DORA, Yaku.RED_DORA)


class ToldGame:
    """Collects the events of one game. Use an instance once."""

    def __init__(self, own: JSON, assumed: Ruleset, *, net_changes: bool = False, length: Length | None = None) -> None:
        """Begin a game; ``own`` is the content of our own field, ``assumed`` are the rules if it has none.

        ``net_changes`` says that the payments of a result contain the riichi sticks of the kyoku, as M.LEAGUE has them.
        """
        self._own = own
        self._ruleset = stated_rules(own) or assumed
        self._builder = GameBuilder(stated_rules(own), assumed)
        self._builder.length = length
        self._net_changes = net_changes
        self._sticks: Counter[Seat] = Counter()
        """The riichi sticks that each seat has paid in this kyoku, and that are still contained in its payments."""
        self._is_first_win = True
        self._honba = 0

    @property
    def has_kyoku(self) -> bool:
        """Whether a kyoku has begun."""
        return self._builder.has_kyoku

    def add(self, event: ev.Event) -> None:
        """Add an event; raise RecordError if it does not belong here."""
        match event:
            case ev.GameStarted(names):
                event = ev.GameStarted(tuple(map(_told_name, names)))
            case ev.KyokuStarted():
                self._sticks.clear()
                self._is_first_win, self._honba = True, event.honba
            case ev.RiichiPaid() if self._net_changes:
                self._sticks[event.seat] += 1
            case ev.HandWon():
                event = self._won(replace(event, changes=self._without_sticks(event.changes)))
            case ev.KyokuDrawn():
                event = replace(event, changes=self._without_sticks(event.changes))
        self._builder.add(event)

    def _without_sticks(self, changes: Sequence[int]) -> tuple[int, ...]:
        """Return the payments of a result without the sticks that were paid before."""
        sticks = Counter(self._sticks)
        self._sticks.clear()
        return tuple(change + STICK_POINTS * sticks[seat] for seat, change in enumerate(changes))

    def game(self) -> RecordedGame:
        """Return the game; raise RecordError without a kyoku."""
        game = with_own_fields(self._builder.game(), self._own)
        ended = game.ended
        if ended is None or ended.points:
            return game
        scores = scores_after(game.kyoku[-1])
        return replace(game, ended=replace(ended, points=final_points(game.ruleset, scores.points, scores.kyotaku)))

    def _won(self, won: ev.HandWon) -> ev.HandWon:
        """Return a win with what follows from its payments and its hand."""
        kyoku, seats = self._builder.kyoku, len(won.changes)
        honba = 0
        if self._is_first_win:
            honba = self._honba
        self._is_first_win = False
        paid = -sum(change for change in won.changes if change < 0)
        if not any(won.changes):  # no win is for nothing: the payments are left out
            won = replace(won, changes=())
        stated, concealed = won.value, list(won.faces)
        if won.loser is None and won.tile in concealed:
            concealed.remove(won.tile)
        named = [(exact_yaku(yaku, concealed, won.tile, stated.yakuman), han) for yaku, han in stated.yaku]
        if not stated.yakuman:
            named = _with_split_dora(named, won, kyoku)
        points: int | None = None
        if paid:
            points = paid - honba * HONBA_POINTS * (seats - 1)
        worth = stated_value(
            named,
            stated.han,
            stated.fu,
            stated.yakuman,
            points,
            seats=seats,
            is_dealer=won.seat == kyoku.dealer,
            is_tsumo=won.loser is None,
        )
        return replace(won, value=worth, liable=liable_seat(won, self._ruleset, kyoku.melds[won.seat]))


def _told_name(name: str) -> str:
    if name == UNNAMED:
        return ""
    return name


def _with_split_dora(yaku: list[tuple[Yaku, int]], won: ev.HandWon, kyoku: KyokuBuilder) -> list[tuple[Yaku, int]]:
    """Return the yaku of a win with red and ura dora by themselves, if the hand has as many dora as stated."""
    others: list[tuple[Yaku, int]] = []
    stated = 0
    for name, han in yaku:
        if name in DORA:
            stated += han
        else:
            others.append((name, han))
    dora = _dora_of(won, kyoku)
    if dora.total() != stated:
        return yaku
    return others + [(name, dora[name]) for name in DORA if dora[name]]


def _dora_of(won: ev.HandWon, kyoku: KyokuBuilder) -> Counter[Yaku]:
    """Return how many dora of each kind a winning hand has."""
    hand = list(won.faces)
    for meld in kyoku.melds[won.seat]:
        hand += meld.faces
    if won.loser is not None:
        hand.append(won.tile)
    kinds = [KIND_OF[face] for face in hand] + [NORTH] * won.norths
    pointed = dora_of(kyoku.seats)
    dora = Counter({Yaku.DORA: won.norths})
    for event in kyoku.events:
        if isinstance(event, ev.DoraRevealed):
            dora[Yaku.DORA] += kinds.count(pointed[event.indicator])
    for indicator in won.ura:
        dora[Yaku.URA_DORA] += kinds.count(pointed[indicator])
    for red in RED_FIVES:
        dora[Yaku.RED_DORA] += hand.count(red)
    return dora


# Reading


EVENTS = get_args(ev.Event)

BEFORE_KYOKU = frozenset(("hello", "seat", "player", "gamestart", "kyokustart"))
"""The commands to read before the first kyoku; the part of a trace may begin in the middle of one."""


def read_ump01(data: bytes) -> tuple[RecordedGame, ...]:
    """Return the games of a transcript of UMP 0.1; raise RecordError, with the line, if it is damaged."""
    return _read(data, "0.1")


def read_ump02(data: bytes) -> tuple[RecordedGame, ...]:
    """Return the games of a transcript of UMP 0.2; raise RecordError, with the line, if it is damaged."""
    return _read(data, "0.2")


def _read(data: bytes, version: str) -> tuple[RecordedGame, ...]:
    reader, transcript = UmpReader(version), _ToldGames(own_field(data))
    for number, line in server_lines(data, version):
        try:
            if transcript.takes(line):
                for event in reader.read(line):
                    transcript.add(event)
        except (RecordError, WireError) as error:
            raise RecordError(f"line {number}: {error}") from None
    return transcript.games()


class _ToldGames:
    """The games of a transcript, one after the other."""

    def __init__(self, own: JSON) -> None:
        self._own = own
        self._assumed = ASSUMED
        self._length: Length | None = None
        self._games: list[ToldGame] = []
        self._in_kyoku = False

    def takes(self, line: str) -> bool:
        """Tell whether to read a line: all since the first kyoku began, and the introductions before.

        Extensions say nothing about the game, and traces have no tokens.
        """
        words, command = line.split(), ""
        if len(words) > 1:
            command = words[1]
        if command == "kyokustart":
            self._in_kyoku = True
        if self._in_kyoku:
            return not command.startswith("_")
        return command in BEFORE_KYOKU

    def add(self, event: ClientEvent) -> None:
        """Add what the reader returns; questions and the rest belong to the connection, not to the game."""
        if isinstance(event, HelloReceived):
            options = dict(event.options)
            self._assumed = PRESETS.get(options.get("_rule", ""), ASSUMED)
            self._length = {length.value: length for length in Length}.get(options.get("_length", ""))
        elif isinstance(event, EVENTS):
            if isinstance(event, ev.GameStarted) or not self._games:
                self._games.append(ToldGame(self._own, self._assumed, length=self._length))
            self._games[-1].add(event)

    def games(self) -> tuple[RecordedGame, ...]:
        """Return the games in which a kyoku began."""
        games = tuple(game.game() for game in self._games if game.has_kyoku)
        if not games:
            raise NoKyokuError
        return games


# Writing
#
# Questions and answers are left out: a recorded game does not say who was asked and passed.


GAME_ID = "1"
"""The id of the game in 0.2, as of the first one of a server."""


def write_ump01(game: RecordedGame) -> bytes:
    """Return the sentences of UMP 0.1, each on a line."""
    seat = seer(game)
    sentences: list[str] = []
    for event in _events(game):
        sentences += render01.render(event, seat)
    return _written(game, "hello ump=0.1", sentences)


def write_ump02(game: RecordedGame) -> bytes:
    """Return the sentences of UMP 0.2, each on a line."""
    return _written(game, "hello ump=0.2", sentences02(game, seer(game)))


def sentences02(game: RecordedGame, seat: Seat | None) -> Iterator[str]:
    """Yield the sentences of UMP 0.2 for a seat; None is nobody's."""
    seats = len(game.names)
    dealer, hands = 0, list[ev.HandDealt]()
    for event in _events(game):
        match event:
            case ev.GameStarted():
                yield from render02.start_sentences(event, seat, GAME_ID)
            case ev.HandDealt():
                hands.append(event)
            case ev.HandWon():
                yield from render02.win_sentences(event, Language.JAPANESE, dealer)
            case ev.GameEnded() if not event.results:
                return
            case _:
                if isinstance(event, ev.KyokuStarted):
                    dealer = event.dealer
                yield from render02.render(event, seats=seats)
                if isinstance(event, ev.DoraRevealed) and hands:
                    yield from render02.deal_sentences(hands)
                    hands.clear()


def seer(game: RecordedGame) -> Seat | None:
    """Return the only seat whose dealt tiles the game shows; None if it shows those of all, or of none."""
    seen: list[Seat] = []
    for event in game.kyoku[0].events:
        if isinstance(event, ev.HandDealt) and event.faces is not None:
            seen.append(event.seat)
    if len(seen) != 1:
        return None
    return seen[0]


def _events(game: RecordedGame) -> Iterator[ev.Event]:
    """Yield the events as a server tells them, with names that UMP can write."""
    for event in told(game):
        if isinstance(event, ev.GameStarted):
            event = ev.GameStarted(tuple(name[:MAX_NAME] or UNNAMED for name in event.names))
        yield event


def _written(game: RecordedGame, hello: str, sentences: Iterable[str]) -> bytes:
    own, lines = own_fields(game), list[str]()
    if own:
        lines.append(f"{OWN_FIELD.decode()}{write(own)}\n")
    lines.append(f"< 0 {hello}\n")
    lines += [f"< {number} {sentence}\n" for number, sentence in enumerate(sentences, 1)]
    return "".join(lines).encode("ascii")


# The formats


_BOTH = (Fact.HANDS, Fact.NAMES, Fact.FU, Fact.YAKU, Fact.URA, Fact.OPEN, Fact.ORDER, Fact.DICE)

UMP01 = RecordFormat(
    key="ump01",
    name="transcript of UMP 0.1",
    suffix=".ump01.txt",
    sniff=lambda data: has_kyoku(data, "0.1"),
    read=read_ump01,
    write=write_ump01,
    players=(3, 4),
    carries=carrying({Carried.YES: (*_BOTH, Fact.SCORES), Carried.OWN: (Fact.RULES, Fact.RESULTS)}),
    needs=frozenset((Fact.FU, *OF_RESULTS)),
)
"""The messages of a server over UMP 0.1, to a seat or with all hands."""

UMP02 = RecordFormat(
    key="ump02",
    name="transcript of UMP 0.2",
    suffix=".ump02.txt",
    sniff=lambda data: has_kyoku(data, "0.2"),
    read=read_ump02,
    write=write_ump02,
    players=(3, 4),
    carries=carrying({Carried.YES: (*_BOTH, Fact.RESULTS), Carried.OWN: (Fact.RULES,), Carried.PARTLY: (Fact.SCORES,)}),
    needs=frozenset((Fact.RESULTS, Fact.FU, *OF_RESULTS)),
)
"""The messages of a server over UMP 0.2. The scores at the end follow from the payments."""
