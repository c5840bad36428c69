"""Drills for the people of a server: which one comes next, what an answer changes, and which own mistakes come back.

The drills are those of the installation, and more that the servers of a site have made (``ump/server/drill_maker.py``).
All methods work with a database, and are called in threads.
"""

from __future__ import annotations

import gzip
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from random import Random
from typing import TYPE_CHECKING, Any

from ump.drills.drill import PASS, Drill, DrillKind, read_drill
from ump.drills.drill_file import SHIPPED
from ump.drills.rating import NEWCOMER, DrillRating
from ump.model.value import value
from ump.server.users.learner import NOTHING_YET, Learner, ListedDrill, Owner
from ump.wire.json_text import read_document, write

if TYPE_CHECKING:
    from ump.server.users.drill_database import DrillDatabase

POOLED = tuple(kind for kind in DrillKind if kind is not DrillKind.MISTAKE)
"""The kinds that have ratings, and a pool of drills for everybody."""

TIMED = (DrillKind.WAITS, DrillKind.FURITEN, DrillKind.POINTS)
"""The kinds that may be answered against time."""

TWO_SIDED = (DrillKind.FURITEN, DrillKind.PUSH, DrillKind.CALL)
"""The kinds with two sides, which are asked equally often: three in four positions of games would be of one."""

MOST_OF_KIND = 2_000
"""Drills of a kind in the pool."""

BELOW = 150.0
"""The distance of a drill below its learner's rating, so that seven in ten answers are right."""

NEAREST = 12
"""The drills nearest to that, one of which is asked."""

NEW_SHARE, NEWEST = 0.2, 100
"""The share of answers to the newest drills, and how many are new."""


class NoDrill(LookupError):
    """There is no such drill, or none is left."""


@value
class DrillVerdict:
    """The verdict on an answer."""

    drill: Drill
    is_right: bool
    before: DrillRating | None = None
    after: DrillRating | None = None
    """Both None for an own mistake. A learner without a rated answer is told no rating."""
    days: int | None = None
    """In how many days an own mistake comes back; None: it does not."""

    def data(self) -> dict[str, Any]:
        """Return it for JSON."""
        told: dict[str, Any] = {
            "right": list(self.drill.right),
            "is_right": self.is_right,
            "facts": self.drill.facts,
            "rating": None,
            "change": 0,
            "days": self.days,
        }
        if self.before is not None and self.after is not None and self.after != NEWCOMER:
            told["rating"] = rating_data(self.after)
            told["change"] = round(self.after.rating) - round(self.before.rating)
        return told


def rating_data(rating: DrillRating) -> dict[str, int]:
    """Return a rating for JSON; the margin is that of 95 %."""
    return {"rating": round(rating.rating), "margin": round(1.96 * rating.deviation)}


def side_of(drill: Drill) -> str:
    """Return the side of a drill with two sides, as in ``push``; "" for others."""
    if drill.kind is DrillKind.CALL:
        return PASS if drill.right[0] == PASS else "call"
    return drill.right[0] if drill.kind in TWO_SIDED else ""


def listed(drill: Drill, made: str = "") -> ListedDrill:
    """Return a drill as a pool lists it."""
    return ListedDrill(drill.id, drill.kind.value, side_of(drill), drill.rating, made)


def installed_drills() -> Iterator[Drill]:
    """Yield the drills of the installation, one by one: together they take 40 MB."""
    for line in gzip.decompress(files("ump.drills").joinpath(SHIPPED).read_bytes()).splitlines():
        yield read_drill(read_document(line))


class DrillPool:
    """The drills that everybody may be asked."""

    def __init__(self, database: DrillDatabase, shipped: Iterable[Drill]) -> None:
        self._database = database
        self._shipped: dict[str, bytes] = {}
        """The drills of the installation as JSON."""
        self._listed: list[ListedDrill] = []
        for drill in shipped:
            self._shipped[drill.id] = write(drill.data()).encode()
            self._listed.append(listed(drill))
        self._of_kind: Mapping[str, Sequence[ListedDrill]] = {}
        self.refresh()

    def refresh(self) -> None:
        """Read what servers have made, and what was withdrawn."""
        withdrawn = self._database.withdrawn()
        of_kind: dict[str, list[ListedDrill]] = {kind.value: [] for kind in POOLED}
        for each in (*self._database.listed(), *self._listed):
            if each.id not in withdrawn:
                of_kind[each.kind].append(each)
        self._of_kind = of_kind

    def withdrawn(self) -> list[Drill]:
        """Return the drills that are asked no more, because people have reported them."""
        withdrawn = self._database.withdrawn()
        found = [self.find(name) if drill is None else drill for name, drill in withdrawn.items()]
        return [drill for drill in found if drill is not None]  # another release has had other drills

    def find(self, name: str) -> Drill | None:
        """Return the drill of this name, also one that another server has just made; None if there is none."""
        content = self._shipped.get(name)
        return self._database.made(name) if content is None else read_drill(read_document(content))

    def missing(self) -> dict[str, int]:
        """Return how many drills each kind lacks."""
        return {kind: MOST_OF_KIND - len(of_kind) for kind, of_kind in self._of_kind.items()}

    def choose(self, kind: DrillKind, rating: float, answered: Collection[str], chance: Random) -> Drill:
        """Return a drill for a learner of this rating, one that it has not answered if any is left.

        Raises NoDrill if there is none at all.
        """
        of_kind = self._of_kind[kind.value]
        found = [each for each in of_kind if each.id not in answered] or of_kind
        if not found:
            raise NoDrill(kind.value)
        side = chance.choice(sorted({each.side for each in found}))
        found = [each for each in found if each.side == side]
        new = [each for each in found if each.made][:NEWEST]
        if new and chance.random() < NEW_SHARE:
            found = new
        nearest = sorted(found, key=lambda each: abs(each.rating - rating + BELOW))
        drill = self.find(chance.choice(nearest[:NEAREST]).id)
        if drill is None:  # another server has withdrawn it just now
            self.refresh()
            raise NoDrill(kind.value)
        return drill


class DrillDesk:
    """Asks drills, and takes answers. The database is opened, and the drills are read, when somebody needs them."""

    def __init__(
        self,
        open_database: Callable[[], DrillDatabase],
        chance: Random,
        *,
        lasts: bool,
        shipped: Callable[[], Iterable[Drill]] = installed_drills,
    ) -> None:
        """``lasts``: what people have practised is there after a restart, too."""
        self.lasts = lasts
        self._open_database = open_database
        self._shipped = shipped
        self._chance = chance
        self._opening = threading.Lock()
        self._database: DrillDatabase | None = None
        self._pool: DrillPool | None = None

    @property
    def is_open(self) -> bool:
        """Whether somebody has looked at drills."""
        return self._database is not None

    @property
    def database(self) -> DrillDatabase:
        """The practice of all people."""
        with self._opening:
            if self._database is None:
                self._database = self._open_database()
            return self._database

    @property
    def pool(self) -> DrillPool:
        """The drills for everybody. The first question waits for them; a look at the ratings does not."""
        database = self.database
        with self._opening:
            if self._pool is None:
                self._pool = DrillPool(database, self._shipped())
            return self._pool

    def overview(self, learner: Learner, today: str) -> dict[str, Any]:
        """Return the ratings of a learner, and the own mistakes that are due, for JSON."""
        owner = self.database.visit(learner, today)
        progress = NOTHING_YET if owner is None else self.database.progress(owner, today)
        kinds = []
        for kind in POOLED:
            rating = progress.ratings.get(kind.value)
            kinds.append({"kind": kind.value, "rating": None if rating is None else rating_data(rating)})
        return {"kinds": kinds, "due": progress.due, "waiting": progress.waiting, "lasts": self.lasts}

    def next(self, learner: Learner, kind: DrillKind, today: str) -> dict[str, Any]:
        """Return the next question of a kind, for JSON; raises NoDrill."""
        owner = self.database.visit(learner, today)
        if kind is DrillKind.MISTAKE:
            drill = None if owner is None else self.database.due(owner, today)
            if drill is None:
                raise NoDrill(kind.value)
            return {"drill": drill.question(), "rating": None, "difficulty": None}
        rating, answered = NEWCOMER, frozenset[str]()
        if owner is not None:
            rating, answered = self.database.rating(owner, kind.value), self.database.answered(owner, kind.value)
        drill = self.pool.choose(kind, rating.rating, answered, self._chance)
        known = owner is not None and rating != NEWCOMER
        return {
            "drill": drill.question(),
            "rating": rating_data(rating) if known else None,
            "difficulty": drill.rating,
            "counts": drill.id not in answered,
        }

    def knows(self, learner: Learner, today: str) -> bool:
        """Return whether anything is kept of a learner."""
        return self.database.visit(learner, today) is not None

    def answer(
        self, learner: Learner, name: str, given: Collection[str] | None, milliseconds: int, now: str, *, is_timed: bool
    ) -> DrillVerdict:
        """Return the verdict about an answer, None if the learner gives up; raises NoDrill and DrillError."""
        today = now[:10]
        owner = self._begun(learner, today)
        drill = self.pool.find(name) or self.database.repeat(owner, name)
        if drill is None:
            raise NoDrill(name)
        is_right = given is not None and drill.is_right(given)
        if drill.kind is DrillKind.MISTAKE:
            days = self.database.answer_repeat(owner, name, today, is_right=is_right)
            return DrillVerdict(drill, is_right, days=days)
        noted = self.database.answer(owner, drill, milliseconds, now, is_right=is_right, counts=not is_timed)
        return DrillVerdict(drill, is_right, noted.before, noted.after)

    def report(self, learner: Learner, name: str, today: str) -> None:
        """Note that a learner thinks a drill is wrong; raises NoDrill."""
        owner = self._begun(learner, today)
        if self.database.leave_out(owner, name):
            return
        if self.pool.find(name) is None:
            raise NoDrill(name)
        if self.database.report(owner, name):
            self.pool.refresh()

    def reinstate(self, name: str) -> None:
        """Let a withdrawn drill be asked again; raises NoDrill if it is none."""
        if name not in self.database.withdrawn():
            raise NoDrill(name)
        self.database.reinstate(name)
        self.pool.refresh()

    def leave_out(self, learner: Learner, name: str, today: str) -> None:
        """Let an own mistake come back no more; raises NoDrill."""
        owner = self.database.visit(learner, today)
        if owner is None or not self.database.leave_out(owner, name):
            raise NoDrill(name)

    def keep(self, learner: Learner, mistakes: Sequence[Drill], today: str) -> int:
        """Let own mistakes come back; return how many are new."""
        return self.database.keep(self._begun(learner, today), mistakes, today)

    def forget(self, learner: Learner, today: str) -> None:
        """Forget all of a learner."""
        owner = self.database.visit(learner, today)
        if owner is not None:
            self.database.forget(owner)

    def tidy(self, now: str) -> bool:
        """Forget guests who were not here for long; return whether no kind lacks drills."""
        self.database.forget_guests(now[:10])
        self.pool.refresh()
        return not any(number > 0 for number in self.pool.missing().values())

    def add(self, made: Iterable[Drill], now: str) -> int:
        """Add drills that the server has made, as far as their kinds lack some; return how many."""
        missing = self.pool.missing()
        added = []
        for drill in {each.id: each for each in made}.values():
            kind = drill.kind.value
            if missing.get(kind, 0) > 0 and self.pool.find(drill.id) is None:
                missing[kind] -= 1
                added.append((listed(drill, now), drill))
        self.database.add(added)
        self.pool.refresh()
        return len(added)

    def _begun(self, learner: Learner, today: str) -> Owner:
        owner = self.database.visit(learner, today, begins=True)
        assert owner is not None
        return owner
