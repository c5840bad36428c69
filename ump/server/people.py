"""The people who are here: those who let others see it, their challenges, and rematches of games that are over.

Only those who have asked to be seen are listed, and only they see the others. All of it is in memory and bounded. No
text of one person reaches another but a name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from twisted.internet.interfaces import IReactorTime

from ump.model.value import value
from ump.wire.session import TableWish

SEEN_SECONDS = 20.0
"""Time after the last sign of a person's browser in which it counts as in the lobby."""

KEPT_SECONDS = 7_200.0
"""Time for which a person is kept who plays, or is away."""

MOST_PEOPLE = 500
"""People who may be seen at a time; of more, those who were seen the longest ago are forgotten."""

CHALLENGE_SECONDS = 180.0
MOST_CHALLENGES = 5
"""The seconds for which a challenge is shown, and the number that one person may have."""

REMATCH_SECONDS = 900.0
MOST_GAMES = 1_000
"""The seconds after a game in which its people may play again by one button, and the games for which that is kept."""

ID_LENGTH = 16

PERSON_ID = re.compile(rf"[0-9a-f]{{{ID_LENGTH}}}")

NOT_HERE = "this player is not here, or takes no challenges"
TOO_MANY_CHALLENGES = "this player has too many challenges already"


class ChallengeRefused(ValueError):
    """A challenge that cannot be taken; the text says why."""


@value
class PersonHere:
    """A person whom others may see."""

    id: str
    """Stands for the person in requests; it is the same in each game, and tells no secret."""
    name: str
    is_playing: bool


@value
class Challenge:
    """An invitation to a table among friends."""

    name: str
    """Its host."""
    code: str
    until: float
    """In clock seconds."""


@dataclass
class _Person:
    """A person who wants to be seen."""

    name: str
    hashes: Sequence[str]
    seen: float
    challenges: list[Challenge] = field(default_factory=list)


@dataclass
class Rematch:
    """A game that is over, and whose people may play again."""

    people: Mapping[str, str]
    """Their names, by what they are known by."""
    wish: TableWish
    room: str
    """The room whose settings the table has that is not wished otherwise."""
    until: float
    code: str = ""
    """That of the table, "" if nobody has wanted one yet."""
    wanting: dict[str, str] = field(default_factory=dict)
    """Those who want it, by what they are known by."""


def id_of(person: str) -> str:
    """Return what stands for a person in requests, who is known by a hash."""
    return sha256(f"ump-person-1/{person}".encode()).hexdigest()[:ID_LENGTH]


class People:
    """The people of a server who want to be seen, and the last games of people.

    A person is given by the hashes by which it is known, the first of which stands for it.
    """

    def __init__(self, clock: IReactorTime) -> None:
        self._clock = clock
        self._people: dict[str, _Person] = {}
        """By id, the one that was seen last at the end."""
        self._games: dict[str, Rematch] = {}
        self.is_playing: Callable[[Collection[str]], bool] = lambda _hashes: False
        """Returns whether somebody has a seat in a running game."""

    # Presence

    def name_of(self, who: Sequence[str]) -> str | None:
        """Return the name under which a person is seen, None if it is not."""
        found = self._people.get(id_of(who[0]))
        return None if found is None else found.name

    def see(self, who: Sequence[str], name: str) -> None:
        """Note a person who wants to be seen, and is in the lobby."""
        now, key = self._clock.seconds(), id_of(who[0])
        found = self._people.pop(key, None) or _Person(name, who, now)
        found.name, found.hashes, found.seen = name, who, now
        self._people[key] = found
        oldest = next(iter(self._people))
        if len(self._people) > MOST_PEOPLE or self._people[oldest].seen < now - KEPT_SECONDS:
            del self._people[oldest]

    def forget(self, who: Sequence[str]) -> None:
        """Let a person be seen no more."""
        self._people.pop(id_of(who[0]), None)

    def others(self, who: Sequence[str]) -> list[PersonHere]:
        """Return the others who are in the lobby, or play; nobody for a person who is not seen."""
        own = id_of(who[0])
        if own not in self._people:
            return []
        return [here for key in self._people if key != own and (here := self._here(key)) is not None]

    def _here(self, key: str) -> PersonHere | None:
        """Return a person by id, None if it is away."""
        found = self._people.get(key)
        if found is None:
            return None
        is_playing = self.is_playing(found.hashes)
        if not is_playing and found.seen < self._clock.seconds() - SEEN_SECONDS:
            return None
        return PersonHere(key, found.name, is_playing)

    # Challenges

    def check_challenge(self, who: Sequence[str], other: str) -> None:
        """Raise ChallengeRefused unless a person may challenge the one with this id now."""
        found = self._people.get(other)
        if id_of(who[0]) not in self._people or found is None or self._here(other) is None:
            raise ChallengeRefused(NOT_HERE)
        if len(self._valid(found)) >= MOST_CHALLENGES:
            raise ChallengeRefused(TOO_MANY_CHALLENGES)

    def challenge(self, who: Sequence[str], other: str, code: str) -> None:
        """Invite somebody to the table of a code; of one person the last challenge counts."""
        self.check_challenge(who, other)
        name, found = self.name_of(who) or "", self._people[other]
        kept = [each for each in self._valid(found) if each.name != name]
        found.challenges = [*kept, Challenge(name, code, self._clock.seconds() + CHALLENGE_SECONDS)]

    def challenges(self, who: Sequence[str]) -> list[Challenge]:
        """Return the challenges of a person that are still shown."""
        found = self._people.get(id_of(who[0]))
        return [] if found is None else self._valid(found)

    def decline(self, who: Sequence[str], code: str) -> None:
        """Forget a challenge."""
        found = self._people.get(id_of(who[0]))
        if found is not None:
            found.challenges = [each for each in self._valid(found) if each.code != code]

    def _valid(self, person: _Person) -> list[Challenge]:
        now = self._clock.seconds()
        return [each for each in person.challenges if each.until > now]

    # Rematches

    def note_game(self, game: str, people: Mapping[str, str], wish: TableWish, room: str) -> None:
        """Let the people of a game that is over play again: their names by what they are known by."""
        self._games[game] = Rematch(people, wish, room, self._clock.seconds() + REMATCH_SECONDS)
        if len(self._games) > MOST_GAMES:
            del self._games[next(iter(self._games))]

    def rematch(self, game: str, who: Sequence[str]) -> Rematch | None:
        """Return a game of a person that may be played again, by its name."""
        found = self._games.get(game)
        if found is None or found.until < self._clock.seconds() or who[0] not in found.people:
            return None
        return found
