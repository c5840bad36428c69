"""The hints of the extension ``_waits=1``: their words, and when a seat receives which.

A client receives facts about its own hand alone, counted against what it has seen: ``SeatHints`` takes events as the
seat sees them. It works everything out when it is asked for, and exists only for clients that want hints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar, Self

from ump.model.actions import Action, Discard
from ump.model.events import (
    DoraRevealed,
    Event,
    HandOpened,
    KanDeclared,
    KitaDeclared,
    KyokuStarted,
    TileCalled,
    TileDiscarded,
    TileDrawn,
)
from ump.model.notation import UMP_FACES
from ump.model.phases import Phase
from ump.model.seats import Seat
from ump.model.tiles import KIND_OF, Face, Kind
from ump.model.value import value
from ump.players.hints import Furiten, Standing, Waits, shanten_after, standing_of, waits_after, waits_now
from ump.players.observation import Observation
from ump.rules.ruleset import Ruleset
from ump.wire.sentence import Sentence, expect
from ump.wire.session import QuestionView
from ump.wire.text import WireError, quoted
from ump.wire.ump01.words import parse_number, parse_tile

_FURITEN = {furiten.value: furiten for furiten in Furiten}
_WAIT = re.compile("([1-9][mpsz]):([0-4])")
_FURITEN_AFTER = "furiten"
"""The last part of a discard after which the hand is furiten; then it lasts."""

HINTS = SHANTEN, WAITS, FURITEN, TENPAI = ("_shanten", "_waits", "_furiten", "_tenpai")
"""The names of the hints at the end of a question."""


_MOVES = (TileDrawn, TileCalled, KanDeclared, KitaDeclared)
"""Moves besides a discard. An own one changes the hand; another's may show a tile, or end a chance to win."""

_SHOWING = (DoraRevealed, HandOpened)
"""Other events that show tiles."""


@value
class Hints:
    """The hints at the end of a question."""

    shanten: int | None = None
    """How many tiles the hand lacks to be tenpai; None if it is tenpai, or a discard leaves it tenpai."""
    waits: Waits | None = None
    """The waits of a tenpai hand, with a question about another's tile."""
    discards: tuple[tuple[Face, Waits], ...] = ()
    """The discards that leave the hand tenpai, on the own turn, each with its waits."""

    def words(self) -> list[str]:
        """Return the words of the hints."""
        words = [] if self.shanten is None else [f"{SHANTEN}={self.shanten}"]
        if self.waits is not None:
            words.append(f"{WAITS}={_write_live(self.waits.live)}")
            if self.waits.furiten is not None:
                words.append(f"{FURITEN}={self.waits.furiten.value}")
        if self.discards:
            words.append(f"{TENPAI}={','.join(_write_discard(face, waits) for face, waits in self.discards)}")
        return words

    @classmethod
    def parse(cls, options: Mapping[str, str]) -> Self | None:
        """Read the hints among the words of a question, by name; None without any. Raises WireError."""
        shanten = parse_number(options[SHANTEN]) if SHANTEN in options else None
        waits = _read_waits(options[WAITS], options.get(FURITEN)) if WAITS in options else None
        discards = tuple(map(_read_discard, options[TENPAI].split(","))) if TENPAI in options else ()
        return None if shanten is None and waits is None and not discards else cls(shanten, waits, discards)


@value
class WaitsNow(Sentence):
    """The waits of the player's own tenpai hand, to one, with ``_waits=1`` (extension).

    It comes after each discard of the player, and when a number or furiten has changed. Format: ``_waits <waits>
    [<furiten>]``. Examples: ``_waits 4m:3/7m:2``, ``_waits 5z:1 permanent``
    """

    NAME: ClassVar[str] = WAITS
    waits: Waits

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read waits and furiten."""
        expect(len(words) in (1, 2), cls.NAME, words)
        return cls(_read_waits(words[0], words[1] if len(words) == 2 else None))

    def serialise(self) -> str:
        """Write waits and furiten."""
        text = f"{self.NAME} {_write_live(self.waits.live)}"
        return text if self.waits.furiten is None else f"{text} {self.waits.furiten.value}"


@value
class ShantenNow(Sentence):
    """The shanten of the player's own hand after its discard, to one, with ``_waits=1`` (extension).

    Format: ``_shanten <shanten>``. Example: ``_shanten 2``
    """

    NAME: ClassVar[str] = SHANTEN
    shanten: int

    @classmethod
    def parse(cls, words: Sequence[str]) -> Self:
        """Read the number."""
        expect(len(words) == 1, cls.NAME, words)
        return cls(parse_number(words[0]))

    def serialise(self) -> str:
        """Write the number."""
        return f"{self.NAME} {self.shanten}"


class SeatHints:
    """The hints that a seat receives about its own hand in a game."""

    def __init__(self, seat: Seat, ruleset: Ruleset) -> None:
        self._seat = seat
        self._seen = Observation(seat, ruleset)
        self._standing: Standing | None = None
        """The standing of the hand since its last change; None until it is asked for."""
        self._told: Waits | None = None
        """The waits that the client knows; None on its own turn, and while it is not tenpai."""

    def see(self, event: Event) -> Sentence | None:
        """Take an event as the seat sees it; return the hints that follow it."""
        self._seen.see(event)
        if isinstance(event, TileDiscarded):
            return self._tell_anew() if event.seat == self._seat else self._tell_change()
        if isinstance(event, _MOVES):
            if event.seat != self._seat:
                return self._tell_change()
            self._standing = self._told = None
        elif isinstance(event, KyokuStarted):
            self._standing = self._told = None
        elif isinstance(event, _SHOWING):
            return self._tell_change()
        return None

    def hints(self, question: QuestionView) -> Hints | None:
        """Return the hints at the end of a question; None if it has none."""
        if question.phase is Phase.DECLARE:
            return None
        if question.phase is Phase.TURN:
            return self._on_turn(question.legal())
        standing = self._stands()
        if not standing.waits:
            return Hints(standing.shanten)
        return Hints(waits=waits_now(self._seen, standing.waits))

    def _on_turn(self, legal: Iterable[Action]) -> Hints:
        discards = dict.fromkeys(action.face for action in legal if isinstance(action, Discard))
        found = waits_after(self._seen, discards)
        return Hints(discards=tuple(found.items())) if found else Hints(shanten_after(self._seen, discards))

    def _tell_anew(self) -> Sentence:
        """Return the hint after an own discard."""
        self._standing = None
        standing = self._stands()
        if not standing.waits:
            self._told = None
            return ShantenNow(standing.shanten)
        self._told = waits_now(self._seen, standing.waits)
        return WaitsNow(self._told)

    def _tell_change(self) -> Sentence | None:
        """Return the waits if others have changed a number or furiten."""
        if self._told is None:
            return None
        waits = waits_now(self._seen, self._stands().waits)
        if waits == self._told:
            return None
        self._told = waits
        return WaitsNow(waits)

    def _stands(self) -> Standing:
        if self._standing is None:
            self._standing = standing_of(self._seen)
        return self._standing


def _write_live(live: Iterable[tuple[Kind, int]]) -> str:
    return "/".join(f"{UMP_FACES[kind]}:{count}" for kind, count in live)


def _write_discard(face: Face, waits: Waits) -> str:
    parts = [UMP_FACES[face], _write_live(waits.live)]
    return "/".join(parts if waits.furiten is None else [*parts, _FURITEN_AFTER])


def _read_waits(text: str, furiten: str | None) -> Waits:
    if furiten is not None and furiten not in _FURITEN:
        raise WireError(f"{quoted(furiten)} is no kind of furiten")
    return Waits(tuple(map(_read_wait, text.split("/"))), None if furiten is None else _FURITEN[furiten])


def _read_wait(text: str) -> tuple[Kind, int]:
    match = _WAIT.fullmatch(text)
    if match is None:
        raise WireError(f"{quoted(text)} is no wait, as in 4m:3")
    return KIND_OF[parse_tile(match[1])], int(match[2])


def _read_discard(text: str) -> tuple[Face, Waits]:
    discard, *waits = text.split("/")
    is_furiten = waits[-1:] == [_FURITEN_AFTER]
    live = tuple(map(_read_wait, waits[:-1] if is_furiten else waits))
    if not live:
        raise WireError(f"{quoted(text)} is no discard with its waits, as in 9p/4m:3")
    return parse_tile(discard), Waits(live, Furiten.PERMANENT if is_furiten else None)
