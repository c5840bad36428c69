"""Read and write the records of M.LEAGUE: the sentences of UMP 0.2 in JSON, as its viewer receives them.

The records are typed by hand. A command that does not fit is an error with its place; the replay finds other faults.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ump.model import events as ev
from ump.model.constants import STICK_POINTS, YAKUMAN_HAN
from ump.model.notation import UMP_FACES
from ump.model.seats import LETTERS, Seat, seats_from, wind_of
from ump.model.tiles import WINDS
from ump.model.yaku import HandValue, Yaku
from ump.record.hand_values import WIND_NAMES
from ump.record.record_format import FIELD, MOST_RESULT, OF_RESULTS, Carried, Fact, RecordFormat, carrying, own_fields
from ump.record.recorded_game import RecordedGame, RecordError, told
from ump.record.transcript import EVENTS, UNNAMED, ToldGame
from ump.rules.presets import MLEAGUE
from ump.wire.json_text import JSON, read_document, read_object, write
from ump.wire.text import MAX_NAME, WireError, encode
from ump.wire.ump import render02
from ump.wire.ump.reader import UmpReader
from ump.wire.ump.render01 import Language
from ump.wire.ump.sentence import SEATS_02, parse_seat_02, parse_tile

# Names of yaku
#
# Winds are named alone: the wind of the round is ``東`` in an east round, any other one is that of the seat, and a wind
# that is both is one yaku of two han. Preserver6166/MleaguePaifuParser and Debonex/m-league-data-fetcher list them.


NAMES: dict[Yaku, str] = {
    Yaku.MENZEN_TSUMO: "門前自摸",
    Yaku.RIICHI: "リーチ",
    Yaku.DOUBLE_RIICHI: "ダブルリーチ",
    Yaku.TANYAO: "タンヤオ",
    Yaku.HATSU: "発",
    Yaku.CHANTA: "チャンタ",
    Yaku.JUNCHAN: "純チャン",
    Yaku.RED_DORA: "赤",
}
"""The names that are not those of ``Yaku``."""

OURS = {name: yaku.japanese for yaku, name in NAMES.items()}
"""Our name for each of them."""

DOUBLE = "ダブ"
"""Stands before a wind that is both the round's and the seat's."""


def our_pairs(name: str, han: str, bakaze: int) -> list[tuple[str, str]]:
    """Return a yaku under our names; a double wind is two yaku. ``bakaze`` is the wind of the round, 0 is east."""
    wind = name.removeprefix(DOUBLE)
    if wind not in WIND_NAMES or not wind:
        return [(OURS.get(name, name), han)]
    if wind != name:
        return [(Yaku.SEAT_WIND.japanese, "1"), (Yaku.ROUND_WIND.japanese, "1")]
    of_round = WIND_NAMES.index(wind) == bakaze
    return [(Yaku.ROUND_WIND.japanese if of_round else Yaku.SEAT_WIND.japanese, han)]


def written_pairs(value: HandValue, bakaze: int, seat_wind: int) -> Iterator[tuple[str, int]]:
    """Yield the yaku of a win with their han; a yakuman has how many times it counts. Winds are 0 for east."""
    winds = [yaku for yaku, _ in value.yaku if yaku in (Yaku.ROUND_WIND, Yaku.SEAT_WIND)]
    for yaku, han in value.yaku:
        if yaku is Yaku.ROUND_WIND and _is_double(winds):
            continue
        if yaku in winds:
            wind = WIND_NAMES[bakaze if yaku is Yaku.ROUND_WIND else seat_wind]
            yield (f"{DOUBLE}{wind}", 2) if _is_double(winds) else (wind, han)
        else:
            yield NAMES.get(yaku, yaku.japanese), han // YAKUMAN_HAN if value.yakuman else han


def _is_double(winds: Sequence[Yaku]) -> bool:
    return len(winds) == 2


# Writing
#
# The commands are those of UMP 0.2 in its order. The riichi sticks of a kyoku are part of its last payments, and
# ``richi`` only informs. The time is empty: a recorded game does not say when it was played.


OWN_OPTION = f"_{FIELD}="
"""The option of ``gamestart`` with our own field, in JSON."""

WIND, KYOKU, HONBA = 1_000_000, 100_000, 1_000
"""The weights of the round's wind, the dealer's seat and the honba in the number of a command."""

Command = tuple[str, list[str]]
"""The name of a command, and its arguments."""


def write_mleague(game: RecordedGame) -> bytes:
    """Return the commands of a game in a JSON array, one on each line."""
    lines = []
    number = 0
    for name, args in _Writer(game).commands():
        if name == "kyokustart":
            number = WIND * (int(args[4][0]) - 1) + KYOKU * SEATS_02.index(args[1]) + HONBA * int(args[2])
        command = {"time": "", "id": str(number), "cmd": name, "args": args}
        lines.append(json.dumps(command, ensure_ascii=False, separators=(",", ":")))
        number = 0 if name == "gamestart" else number + 1
    return f"[\n{f',{chr(10)}'.join(lines)}\n]\n".encode()


class _Writer:
    """Writes one game."""

    def __init__(self, game: RecordedGame) -> None:
        self._game = game
        self._seats = len(game.names)
        self._started: ev.KyokuStarted
        self._hands: list[ev.HandDealt] = []
        self._sticks: Counter[Seat] = Counter()
        """The sticks that each seat has paid in this kyoku, until its payments contain them."""

    def commands(self) -> Iterator[Command]:
        """Yield all commands."""
        for event in told(self._game):
            match event:
                case ev.GameStarted(names):
                    yield from self._head(names)
                case ev.HandDealt():
                    self._hands.append(event)
                case ev.HandWon():
                    yield from self._win(replace(event, changes=self._with_sticks(event.changes)))
                case ev.KyokuDrawn():
                    yield from self._draw(replace(event, changes=self._with_sticks(event.changes)))
                case ev.GameEnded():
                    yield from _end(event)
                case _:
                    yield from self._other(event)

    def _head(self, names: tuple[str, ...]) -> Iterator[Command]:
        yield "area", ["-"]
        for seat, name in enumerate(names):
            yield "player", [SEATS_02[seat], name[:MAX_NAME], "user", "-"]
        own = own_fields(self._game)
        yield "gamestart", ["id=1", *([f"{OWN_OPTION}{write(own)}"] if own else [])]

    def _other(self, event: ev.Event) -> Iterator[Command]:
        """Yield the commands of an event that are the sentences of 0.2."""
        if isinstance(event, ev.KyokuStarted):
            self._started = event
            self._sticks.clear()
        if isinstance(event, ev.RiichiPaid):
            self._sticks[event.seat] += 1
        sentences = render02.render(event, seats=self._seats)
        if isinstance(event, ev.DoraRevealed) and self._hands:
            sentences += render02.deal_sentences(self._hands)
            self._hands.clear()
        for name, args in map(_as_command, sentences):
            yield name, ["0", *args[1:]] if name == "kyokustart" else args

    def _with_sticks(self, changes: tuple[int, ...]) -> tuple[int, ...]:
        """Return payments with the sticks of the kyoku, which the first payments contain."""
        sticks = Counter(self._sticks)
        self._sticks.clear()
        return tuple(change - STICK_POINTS * sticks[seat] for seat, change in enumerate(changes))

    def _win(self, won: ev.HandWon) -> Iterator[Command]:
        dealer = self._started.dealer
        for sentence in render02.win_sentences(won, Language.JAPANESE, dealer):
            name, args = _as_command(sentence)
            if name == "agari":
                if not won.ura:
                    yield "uradora", ["", ""]
                args = self._value(won)
            yield name, args

    def _value(self, won: ev.HandWon) -> list[str]:
        """Return the arguments of the value; the points are those of a ron, for a tsumo too."""
        dealer, value = self._started.dealer, won.value
        pairs = written_pairs(value, self._started.bakaze, wind_of(won.seat, dealer, self._seats))
        label = render02.points_label(value, Language.JAPANESE, self._seats, is_dealer=won.seat == dealer, is_ron=True)
        args = [] if won.loser is None else [f"ron={UMP_FACES[won.tile]}"]
        args += [SEATS_02[won.seat], label, str(value.fu)]
        for name, han in pairs:
            args += [name, str(han)]
        return args

    def _draw(self, drawn: ev.KyokuDrawn) -> Iterator[Command]:
        reason, *_ = render02.render(drawn)
        yield _as_command(reason)
        for seat in seats_from(self._started.dealer, self._seats):
            if drawn.changes[seat]:
                yield "point", [SEATS_02[seat], f"{drawn.changes[seat]:+d}"]


def _end(ended: ev.GameEnded) -> Iterator[Command]:
    """Yield the results in order of places, and the rank of each seat, 0 for the first."""
    if not ended.results:
        return
    order = sorted(range(len(ended.places)), key=ended.places.__getitem__)
    results, ranks = [], []
    for seat in order:
        name = SEATS_02[seat]
        results += [name, f"{ended.results[seat] / 10:.1f}"]
        ranks.append(f"{name}_rank={ended.places[seat] - 1}")
    yield "gameend", results + ranks


def _as_command(sentence: str) -> Command:
    """Return a sentence as a command; none of these has encoded words."""
    name, *args = sentence.split(" ")
    return name, args


# Reading: each command becomes a sentence of UMP 0.2, which its reader turns into events


MOST_COMMANDS = 20_000
"""Limit of commands in a record; a hanchan has 2,000."""

_OPTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=.*", re.DOTALL)
_RESULT = re.compile(r"-?[0-9]{1,6}(?:\.[0-9])?")


def read_mleague(data: bytes) -> tuple[RecordedGame, ...]:
    """Return the game of a record; raise RecordError, with the command, if it is damaged."""
    try:
        read = read_document(data)
    except WireError as error:
        raise RecordError(str(error)) from None
    if not isinstance(read, list) or len(read) > MOST_COMMANDS:
        raise RecordError(f"expected an array of at most {MOST_COMMANDS} commands")
    game = _Game(_own_field(read))
    for number, command in enumerate(read, 1):
        try:
            game.read(number, *_command(command))
        except (RecordError, WireError) as error:
            raise RecordError(f"command {number}: {error}") from None
    return (game.told.game(),)


def _command(given: JSON) -> tuple[str, list[str]]:
    """Return the name and the arguments of a command."""
    name = given.get("cmd") if isinstance(given, dict) else None
    args = given.get("args") if isinstance(given, dict) else None
    if not isinstance(name, str) or not isinstance(args, list) or not name.isalpha() or not name.isascii():
        raise RecordError("expected an object with cmd and args")
    texts = [arg for arg in args if isinstance(arg, str)]
    if len(texts) != len(args):
        raise RecordError("args: expected texts")
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        raise RecordError("args: half of a surrogate pair") from None
    return name, texts


def _own_field(commands: Sequence[JSON]) -> JSON:
    """Return the content of our own field, None if there is none; raise RecordError if it is malformed."""
    for command in commands:
        args = command.get("args") if isinstance(command, dict) and command.get("cmd") == "gamestart" else None
        for arg in args if isinstance(args, list) else ():
            if isinstance(arg, str) and arg.startswith(OWN_OPTION):
                try:
                    return read_object(arg.removeprefix(OWN_OPTION).encode("utf-8", "surrogatepass"))
                except WireError as error:
                    raise RecordError(f"gamestart: {error}") from None
    return None


class _Game:
    """The game of a record."""

    def __init__(self, own: JSON) -> None:
        self.told = ToldGame(own, MLEAGUE, net_changes=True)
        self._reader = UmpReader("0.2")
        self._bakaze = 0

    def read(self, number: int, name: str, args: list[str]) -> None:
        """Read one command."""
        match name:
            case "gameend":
                self.told.add(_ended(args))
                return
            case "kyokustart" if len(args) > 4:
                self._bakaze = _wind(args[4])
            case "uradora" if not any(args):
                return  # the win had no riichi
            case "player":
                args = [args[0], args[1] or UNNAMED] if len(args) > 1 else args  # a team follows
            case "gamestart":
                args = [arg for arg in args if not arg.startswith(OWN_OPTION)]
            case "agari":
                args = list(_with_our_names(args, self._bakaze))
        for event in self._reader.read(" ".join((str(number), name, *_words(name, args)))):
            if isinstance(event, EVENTS):
                self._add(event)

    def _add(self, event: ev.Event) -> None:
        if isinstance(event, ev.GameStarted) and self.told.has_kyoku:
            raise RecordError("a second game begins")
        self.told.add(event)


def _wind(word: str) -> int:
    wind = parse_tile(word)
    if wind not in WINDS:
        raise RecordError(f"{word} is not a wind")
    return WINDS.index(wind)


def _words(name: str, args: Sequence[str]) -> Iterator[str]:
    """Yield arguments as words of a sentence: encoded, but for the signs of options and scores."""
    for arg in args:
        option, sign, text = arg.partition("=")
        if name != "player" and sign and (not option or _OPTION.fullmatch(arg)):
            yield f"{option}{sign}{encode(text, is_value=True)}"
        elif arg:
            yield encode(arg, is_value=True)


def _with_our_names(args: Sequence[str], bakaze: int) -> Iterator[str]:
    """Yield the arguments of a win with our names of yaku; options stand before the seat."""
    words = []
    for arg in args:
        if _OPTION.fullmatch(arg):
            yield arg
        else:
            words.append(arg)
    if len(words) < 3:
        raise RecordError("agari: expected a seat, a label and the fu")
    seat, label, fu, *pairs = words
    yield from (seat, label, fu)
    for name, han in zip(pairs[::2], pairs[1::2], strict=False):
        for ours in our_pairs(name, han, bakaze):
            yield from ours


def _ended(args: Sequence[str]) -> ev.GameEnded:
    """Return the end of the game: seats with their results in order of places, and the rank of each from 0."""
    options, pairs = {}, []
    for arg in args:
        name, sign, text = arg.partition("=")
        if sign:
            options[name] = text
        else:
            pairs.append(arg)
    seats, texts = list(map(parse_seat_02, pairs[::2])), pairs[1::2]
    if sorted(seats) != list(range(len(LETTERS))) or not all(map(_RESULT.fullmatch, texts)) or len(texts) != len(seats):
        raise RecordError("gameend: expected each seat with its result")
    results = {seat: round(10 * float(text)) for seat, text in zip(seats, texts, strict=True)}
    places = {}
    for place, (seat, word) in enumerate(zip(seats, pairs[::2], strict=True)):
        rank = options.get(f"{word}_rank", str(place))
        places[seat] = int(rank) + 1 if rank in ("0", "1", "2", "3") else place + 1
    if max(map(abs, results.values())) > MOST_RESULT:
        raise RecordError("gameend: a result is too large")
    return ev.GameEnded(
        (), tuple(places[seat] for seat in sorted(seats)), tuple(results[seat] for seat in sorted(seats))
    )


# The format


_COMMAND = re.compile(rb'\[\s*\{(?=[^{}]{0,400}"cmd"\s*:)(?=[^{}]{0,400}"args"\s*:)')
"""The start of an array of commands."""

MLEAGUE_RECORD = RecordFormat(
    key="mleague",
    name="M.LEAGUE record",
    suffix=".mleague.json",
    sniff=_COMMAND.match,
    read=read_mleague,
    write=write_mleague,
    carries=carrying(
        {
            Carried.YES: (
                Fact.HANDS,
                Fact.NAMES,
                Fact.RESULTS,
                Fact.YAKU,
                Fact.FU,
                Fact.URA,
                Fact.OPEN,
                Fact.ORDER,
                Fact.DICE,
            ),
            Carried.OWN: (Fact.RULES,),
            Carried.PARTLY: (Fact.SCORES,),
        }
    ),
    needs=frozenset((Fact.HANDS, Fact.RULES, Fact.RESULTS, Fact.FU, *OF_RESULTS)),
)
"""The format of the viewer of the league; readers of it are Preserver6166/MleaguePaifuParser and others."""
