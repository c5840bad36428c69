"""Read records of M.LEAGUE: each command becomes a sentence of UMP 0.2, which its reader turns into events.

The records are typed by hand. A command that does not fit is an error with its place; the replay finds other faults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ump.model.events import Event, GameEnded, GameStarted
from ump.model.seats import LETTERS
from ump.model.tiles import WINDS
from ump.record.mleague.record_writer import OWN_OPTION
from ump.record.mleague.yaku_names import our_pairs
from ump.record.own_fields import MOST_RESULT
from ump.record.recorded_game import RecordedGame, RecordError
from ump.record.transcript.record_reader import EVENTS
from ump.record.transcript.told_game import UNNAMED, ToldGame
from ump.rules.presets import MLEAGUE
from ump.wire.json_text import JSON, read_document, read_object
from ump.wire.text import WireError, encode
from ump.wire.ump01.words import parse_tile
from ump.wire.ump02 import read as read02
from ump.wire.ump02.words import parse_seat

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
        self._reader = read02.Reader()
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

    def _add(self, event: Event) -> None:
        if isinstance(event, GameStarted) and self.told.has_kyoku:
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
    words = [arg for arg in args if not _OPTION.fullmatch(arg)]
    if len(words) < 3:
        raise RecordError("agari: expected a seat, a label and the fu")
    seat, label, fu, *pairs = words
    yield from (arg for arg in args if _OPTION.fullmatch(arg))
    yield from (seat, label, fu)
    for name, han in zip(pairs[::2], pairs[1::2], strict=False):
        for ours in our_pairs(name, han, bakaze):
            yield from ours


def _ended(args: Sequence[str]) -> GameEnded:
    """Return the end of the game: seats with their results in order of places, and the rank of each from 0."""
    options = dict(arg.split("=", 1) for arg in args if "=" in arg)
    pairs = [arg for arg in args if "=" not in arg]
    seats, texts = [parse_seat(word) for word in pairs[::2]], pairs[1::2]
    if sorted(seats) != list(range(len(LETTERS))) or not all(map(_RESULT.fullmatch, texts)) or len(texts) != len(seats):
        raise RecordError("gameend: expected each seat with its result")
    results = {seat: round(10 * float(text)) for seat, text in zip(seats, texts, strict=True)}
    places = {}
    for place, (seat, word) in enumerate(zip(seats, pairs[::2], strict=True)):
        rank = options.get(f"{word}_rank", str(place))
        places[seat] = int(rank) + 1 if rank in ("0", "1", "2", "3") else place + 1
    if max(map(abs, results.values())) > MOST_RESULT:
        raise RecordError("gameend: a result is too large")
    return GameEnded((), tuple(places[seat] for seat in sorted(seats)), tuple(results[seat] for seat in sorted(seats)))
