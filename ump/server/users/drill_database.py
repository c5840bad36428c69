"""The practice of people: ratings, answered drills, and the positions of their own mistakes, which come back.

An owner is a user, or a guest known by the hash of the browser's secret. The rows of a user go with the user, those of
a guest after ``GUEST_DAYS`` without a visit. A guest who logs in takes its rows along. The drills that servers have
made are here too, so that any server of a site can ask for their answers. Days and instants are text in UTC.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields, replace
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa

from ump.database.columns import PLAIN
from ump.database.database import Database, DatabasePlace, make_private_file
from ump.drills.drill import Drill, read_drill
from ump.drills.rating import DRILL_DEVIATION, NEWCOMER, DrillRating, rated
from ump.server.users.learner import ChangedRating, Learner, ListedDrill, Owner, Progress
from ump.server.users.user_schema import ID, METADATA, USER_SCHEMA
from ump.wire.json_text import read_document, write

INTERVALS = (1, 3, 7, 21, 60)
"""Days until an own mistake comes back, by its box: how often in a row the answer was right."""

MOST_A_DAY = 7
"""Own mistakes that are asked on one day."""

MOST_REPEATS = 500
"""Own mistakes of an owner, with those that are done, so that they do not come again."""

MOST_ATTEMPTS = 20_000
"""Answered drills of an owner, more than servers have; the oldest are forgotten."""

MOST_GUESTS = 20_000
"""Guests with rows; those who were not seen for longest are forgotten."""

GUEST_DAYS = 180
"""Days without a visit after which a guest is forgotten."""

ENOUGH_REPORTS, PRACTISED = 2, 20
"""The number of owners whose reports withdraw a drill, and of the drills that each of them must have answered."""


def _owned(name: str, *columns: sa.Column[Any], key: str) -> sa.Table:
    """Return a table whose rows go with their owner."""
    return sa.Table(
        name,
        METADATA,
        sa.Column("owner_id", ID, nullable=False),
        *columns,
        sa.PrimaryKeyConstraint("owner_id", key),
        sa.ForeignKeyConstraint(["owner_id"], ["drill_owners.id"], ondelete="CASCADE"),
    )


OWNERS = sa.Table(
    "drill_owners",
    METADATA,
    sa.Column("id", ID, primary_key=True, nullable=False),
    sa.Column("user_id", ID),
    sa.Column("guest", PLAIN),
    sa.Column("seen", PLAIN, nullable=False),
    sa.ForeignKeyConstraint(["user_id"], ["users.id"], ondelete="CASCADE"),
    sa.UniqueConstraint("user_id"),
    sa.UniqueConstraint("guest"),
    sa.Index("drill_owners_seen", "seen"),
)
"""A row for each user or guest who has practised, with the day of the last visit."""

RATINGS = _owned(
    "drill_ratings",
    sa.Column("kind", PLAIN, nullable=False),
    *(sa.Column(name, sa.Double, nullable=False) for name in ("rating", "deviation", "volatility")),
    key="kind",
)
"""A row for each rating of an owner: one for each kind of drills."""

ATTEMPTS = _owned(
    "drill_attempts",
    *(sa.Column(name, PLAIN, nullable=False) for name in ("drill", "kind", "made")),
    *(sa.Column(name, sa.Integer, nullable=False) for name in ("is_right", "milliseconds")),
    key="drill",
)
"""A row for each drill that an owner has answered, with the first answer."""

REPEATS = _owned(
    "drill_repeats",
    *(sa.Column(name, PLAIN, nullable=False) for name in ("drill", "content", "due", "answered")),
    sa.Column("box", sa.Integer, nullable=False),
    key="drill",
)
"""A row for each own mistake: the drill, when it is due, and the day of the last answer. One that is done is empty."""

REPORTS = _owned("drill_reports", sa.Column("drill", PLAIN, nullable=False), key="drill")
"""A row for each drill that an owner thinks is wrong."""

MADE = sa.Table(
    "drills_made",
    METADATA,
    *(sa.Column(name, PLAIN, nullable=False) for name in ("id", "kind", "side", "made", "content")),
    sa.Column("rating", sa.Integer, nullable=False),
    sa.PrimaryKeyConstraint("id"),
)
"""A row for each drill that a server has made."""

WITHDRAWN = sa.Table(
    "drills_withdrawn", METADATA, sa.Column("drill", PLAIN, nullable=False), sa.PrimaryKeyConstraint("drill")
)
"""A row for each drill that is asked no more."""

_USERS = sa.table("users", sa.column("id"), sa.column("name"))


def read_stored(content: str) -> Drill:
    """Return a drill from its row."""
    return read_drill(read_document(content.encode()))


def _in_days(day: str, days: int) -> str:
    return (date.fromisoformat(day) + timedelta(days=days)).isoformat()


class DrillDatabase:
    """The practice of all owners in the database of users. All methods raise DatabaseError; call them in threads."""

    def __init__(self, place: DatabasePlace) -> None:
        """A file is made when it is needed, readable for its owner alone."""
        if place.path is not None:
            make_private_file(place.path)
        self._database = Database(place, replace(USER_SCHEMA, locked="drill_owners"))

    # Owners

    def visit(self, learner: Learner, today: str, *, begins: bool = False) -> Owner | None:
        """Return the number of a learner who is here today; None if nothing is known, unless something ``begins``."""
        with self._database.reading() as connection:
            own, guest, seen = _rows_of(connection, learner)
        if learner.user is None:
            own = guest
        is_settled = seen == today and (learner.user is None or guest is None)
        if own is not None and is_settled:
            return own
        if own is None and guest is None and not begins:
            return None
        with self._database.writing() as connection:
            number = _entered(connection, learner, today)
            _forget_old_attempts(connection, number)
        return number

    def forget(self, owner: Owner) -> None:
        """Forget an owner with all rows."""
        with self._database.writing() as connection:
            connection.execute(sa.delete(OWNERS).where(OWNERS.c.id == owner))

    def forget_guests(self, today: str) -> None:
        """Forget guests who were not here for long."""
        with self._database.writing() as connection:
            _forget_guests(connection, today)

    def progress(self, owner: Owner, today: str) -> Progress:
        """Return what is known of an owner."""
        query = sa.select(RATINGS).where(RATINGS.c.owner_id == owner)
        is_open = (REPEATS.c.owner_id == owner) & (REPEATS.c.due != "")
        with self._database.reading() as connection:
            ratings = {row.kind: _rating(row) for row in connection.execute(query)}
            due = connection.execute(_due(owner, today).with_only_columns(REPEATS.c.drill)).scalars().all()
            left = _left_today(connection, owner, today)
            waiting = connection.execute(sa.select(sa.func.count()).where(is_open)).scalar_one()
        return Progress(ratings, min(len(due), left), waiting)

    # Drills of all

    def answered(self, owner: Owner, kind: str) -> frozenset[str]:
        """Return the drills of a kind that an owner has answered."""
        query = sa.select(ATTEMPTS.c.drill).where(ATTEMPTS.c.owner_id == owner, ATTEMPTS.c.kind == kind)
        with self._database.reading() as connection:
            return frozenset(connection.execute(query).scalars())

    def rating(self, owner: Owner, kind: str) -> DrillRating:
        """Return the rating of an owner in a kind."""
        with self._database.reading() as connection:
            return _rating_of(connection, owner, kind)

    def answer(
        self, owner: Owner, drill: Drill, milliseconds: int, now: str, *, is_right: bool, counts: bool
    ) -> ChangedRating:
        """Note an answer. Only the first one to a drill changes the rating, and only if it ``counts``."""
        kind = drill.kind.value
        attempt = {"drill": drill.id, "kind": kind, "is_right": int(is_right), "milliseconds": milliseconds}
        is_it = (ATTEMPTS.c.owner_id == owner) & (ATTEMPTS.c.drill == drill.id)
        with self._database.writing() as connection:
            before = _rating_of(connection, owner, kind)
            if connection.execute(sa.select(ATTEMPTS.c.drill).where(is_it)).first() is not None:
                return ChangedRating(before, before)
            connection.execute(sa.insert(ATTEMPTS).values(owner_id=owner, made=now, **attempt))
            if not counts:
                return ChangedRating(before, before)
            after, _ = rated(before, DrillRating(drill.rating, DRILL_DEVIATION), is_right=is_right)
            connection.execute(sa.delete(RATINGS).where(RATINGS.c.owner_id == owner, RATINGS.c.kind == kind))
            connection.execute(sa.insert(RATINGS).values(owner_id=owner, kind=kind, **asdict(after)))
        return ChangedRating(before, after)

    def report(self, owner: Owner, drill: str) -> bool:
        """Note that an owner thinks a drill is wrong; return whether it is withdrawn.

        Owners who have hardly practised count later, if ever: anybody can have many secrets of guests.
        """
        is_it = REPORTS.c.drill == drill
        with self._database.writing() as connection:
            if connection.execute(sa.select(REPORTS).where(is_it, REPORTS.c.owner_id == owner)).first() is None:
                connection.execute(sa.insert(REPORTS).values(owner_id=owner, drill=drill))
            mine = ATTEMPTS.c.owner_id == REPORTS.c.owner_id
            answered = sa.select(sa.func.count()).select_from(ATTEMPTS).where(mine).scalar_subquery()
            enough = sa.select(sa.func.count()).select_from(REPORTS).where(is_it, answered >= PRACTISED)
            count = connection.execute(enough).scalar_one()
            if count < ENOUGH_REPORTS:
                return False
            if connection.execute(sa.select(WITHDRAWN).where(WITHDRAWN.c.drill == drill)).first() is None:
                connection.execute(sa.insert(WITHDRAWN).values(drill=drill))
        return True

    # Own mistakes

    def keep(self, owner: Owner, drills: Iterable[Drill], today: str) -> int:
        """Let own mistakes come back from tomorrow on; return how many of them are new."""
        first = _in_days(today, INTERVALS[0])
        with self._database.writing() as connection:
            query = sa.select(REPEATS.c.drill).where(REPEATS.c.owner_id == owner)
            known = set(connection.execute(query).scalars())
            new = list({drill.id: drill for drill in drills if drill.id not in known}.values())
            _make_room(connection, owner, len(known) + len(new) - MOST_REPEATS)
            new = new[: max(0, MOST_REPEATS - _count(connection, REPEATS, owner))]
            for drill in new:
                row = {"drill": drill.id, "content": write(drill.data()), "due": first, "answered": "", "box": 0}
                connection.execute(sa.insert(REPEATS).values(owner_id=owner, **row))
        return len(new)

    def due(self, owner: Owner, today: str) -> Drill | None:
        """Return the own mistake that is due first; None if nothing more is asked today."""
        with self._database.reading() as connection:
            if _left_today(connection, owner, today) == 0:
                return None
            row = connection.execute(_due(owner, today).limit(1)).first()
        return None if row is None else read_stored(row.content)

    def repeat(self, owner: Owner, drill: str) -> Drill | None:
        """Return an own mistake that is not done; None if there is none of this name."""
        query = sa.select(REPEATS.c.content).where(_is_repeat(owner, drill), REPEATS.c.due != "")
        with self._database.reading() as connection:
            content = connection.execute(query).scalar()
        return None if content is None else read_stored(content)

    def answer_repeat(self, owner: Owner, drill: str, today: str, *, is_right: bool) -> int | None:
        """Note an answer to an own mistake; return in how many days it comes back, None if it is done.

        A second answer before it is due again changes nothing.
        """
        with self._database.writing() as connection:
            row = connection.execute(sa.select(REPEATS).where(_is_repeat(owner, drill))).first()
            if row is None or not row.due:
                return None
            if row.due > today:
                return (date.fromisoformat(row.due) - date.fromisoformat(today)).days
            box = row.box + 1 if is_right else 0
            changes = {"box": box, "answered": today, "due": _in_days(today, INTERVALS[min(box, len(INTERVALS) - 1)])}
            if box == len(INTERVALS):
                changes |= {"due": "", "content": ""}
            connection.execute(sa.update(REPEATS).values(changes).where(_is_repeat(owner, drill)))
        return None if box == len(INTERVALS) else INTERVALS[box]

    def leave_out(self, owner: Owner, drill: str) -> bool:
        """Let an own mistake come back no more; return whether there was one."""
        done = sa.update(REPEATS).values(due="", content="").where(_is_repeat(owner, drill), REPEATS.c.due != "")
        with self._database.writing() as connection:
            return connection.execute(done).rowcount == 1

    # The drills that servers have made

    def listed(self) -> list[ListedDrill]:
        """Return all that were made, the newest first."""
        query = sa.select(*(MADE.c[each.name] for each in fields(ListedDrill))).order_by(MADE.c.made.desc())
        with self._database.reading() as connection:
            return [ListedDrill(**row._mapping) for row in connection.execute(query)]

    def withdrawn(self) -> dict[str, Drill | None]:
        """Return the drills that are asked no more, by name; None stands for one of the installation."""
        query = sa.select(WITHDRAWN.c.drill, MADE.c.content).outerjoin(MADE, MADE.c.id == WITHDRAWN.c.drill)
        with self._database.reading() as connection:
            rows = connection.execute(query.order_by(WITHDRAWN.c.drill)).all()
        return {row.drill: None if row.content is None else read_stored(row.content) for row in rows}

    def reinstate(self, drill: str) -> None:
        """Let a withdrawn drill be asked again; the reports that have withdrawn it count no more."""
        with self._database.writing() as connection:
            for table in (WITHDRAWN, REPORTS):
                connection.execute(sa.delete(table).where(table.c.drill == drill))

    def made(self, drill: str) -> Drill | None:
        """Return a drill that was made; None if there is none of this name, or it is withdrawn."""
        is_asked = MADE.c.id.not_in(sa.select(WITHDRAWN.c.drill))
        with self._database.reading() as connection:
            content = connection.execute(sa.select(MADE.c.content).where(MADE.c.id == drill, is_asked)).scalar()
        return None if content is None else read_stored(content)

    def add(self, listed: Sequence[tuple[ListedDrill, Drill]]) -> None:
        """Add drills that were made; those that are there stay."""
        names = [row.id for row, _ in listed]
        with self._database.writing() as connection:
            known = set(connection.execute(sa.select(MADE.c.id).where(MADE.c.id.in_(names))).scalars())
            for row, drill in listed:
                if row.id not in known:
                    connection.execute(sa.insert(MADE).values(content=write(drill.data()), **asdict(row)))


# Parts of queries


def _rows_of(connection: sa.Connection, learner: Learner) -> tuple[Owner | None, Owner | None, str]:
    """Return the numbers of a learner as a user and as a guest, and the day when the first of them was seen."""
    query = sa.select(OWNERS.c.id, OWNERS.c.guest, OWNERS.c.seen).outerjoin(_USERS, _USERS.c.id == OWNERS.c.user_id)
    is_it = OWNERS.c.guest == learner.guest
    if learner.user is not None:
        is_it |= _USERS.c.name == learner.user
    own = guest = None
    days = [""]
    for row in connection.execute(query.where(is_it)):
        days.append(row.seen)
        if row.guest is None:
            own = row.id
        else:
            guest = row.id
    return own, guest, days[-1]


def _entered(connection: sa.Connection, learner: Learner, today: str) -> Owner:
    """Return the number of a learner, with the rows of the guest that it was before."""
    own, guest, _ = _rows_of(connection, learner)
    if learner.user is None:
        own, guest = guest, None
    if own is None:
        user = None
        if learner.user is None:
            _forget_guests(connection, today)
        else:
            user = connection.execute(sa.select(_USERS.c.id).where(_USERS.c.name == learner.user)).scalar_one()
        row = {"user_id": user, "guest": learner.guest if user is None else None, "seen": today}
        own = connection.execute(sa.insert(OWNERS).values(row).returning(OWNERS.c.id)).scalar_one()
    if guest is not None:
        _move(connection, guest, own)
    connection.execute(sa.update(OWNERS).values(seen=today).where(OWNERS.c.id == own))
    return own


def _move(connection: sa.Connection, guest: Owner, own: Owner) -> None:
    """Let a user have the rows of a guest, but for those that the user has already."""
    for table, key in ((RATINGS, "kind"), (ATTEMPTS, "drill"), (REPEATS, "drill"), (REPORTS, "drill")):
        known = sa.select(table.c[key]).where(table.c.owner_id == own)
        moving = sa.update(table).values(owner_id=own).where(table.c.owner_id == guest)
        connection.execute(moving.where(table.c[key].not_in(known)))
    connection.execute(sa.delete(OWNERS).where(OWNERS.c.id == guest))
    _make_room(connection, own, _count(connection, REPEATS, own) - MOST_REPEATS)
    latest = sa.select(REPEATS.c.drill).where(REPEATS.c.owner_id == own).order_by(REPEATS.c.due).limit(MOST_REPEATS)
    connection.execute(sa.delete(REPEATS).where(REPEATS.c.owner_id == own, REPEATS.c.drill.not_in(latest)))


def _forget_guests(connection: sa.Connection, today: str) -> None:
    """Forget guests who were not here for long, and make room for one more."""
    is_guest = OWNERS.c.guest.is_not(None)
    connection.execute(sa.delete(OWNERS).where(is_guest, OWNERS.c.seen < _in_days(today, -GUEST_DAYS)))
    last = sa.select(OWNERS.c.id).where(is_guest).order_by(OWNERS.c.seen.desc(), OWNERS.c.id.desc())
    over = connection.execute(last.offset(MOST_GUESTS - 1)).scalars().all()
    if over:
        connection.execute(sa.delete(OWNERS).where(OWNERS.c.id.in_(over)))


def _forget_old_attempts(connection: sa.Connection, owner: Owner) -> None:
    """Forget the oldest answers of an owner who has too many."""
    if _count(connection, ATTEMPTS, owner) <= MOST_ATTEMPTS:
        return
    newest = sa.select(ATTEMPTS.c.made).where(ATTEMPTS.c.owner_id == owner).order_by(ATTEMPTS.c.made.desc())
    oldest = connection.execute(newest.offset(MOST_ATTEMPTS - 1).limit(1)).scalar_one()
    connection.execute(sa.delete(ATTEMPTS).where(ATTEMPTS.c.owner_id == owner, ATTEMPTS.c.made < oldest))


def _make_room(connection: sa.Connection, owner: Owner, count: int) -> None:
    """Forget some own mistakes that are done."""
    if count > 0:
        done = sa.select(REPEATS.c.drill).where(REPEATS.c.owner_id == owner, REPEATS.c.due == "")
        oldest = done.order_by(REPEATS.c.answered).limit(count)
        connection.execute(sa.delete(REPEATS).where(REPEATS.c.owner_id == owner, REPEATS.c.drill.in_(oldest)))


def _count(connection: sa.Connection, table: sa.Table, owner: Owner) -> int:
    query = sa.select(sa.func.count()).select_from(table).where(table.c.owner_id == owner)
    return int(connection.execute(query).scalar_one())


def _is_repeat(owner: Owner, drill: str) -> sa.ColumnElement[bool]:
    return (REPEATS.c.owner_id == owner) & (REPEATS.c.drill == drill)


def _due(owner: Owner, today: str) -> sa.Select[tuple[object, ...]]:
    """Return the query for what is due, the oldest first."""
    is_due = (REPEATS.c.owner_id == owner) & (REPEATS.c.due != "") & (REPEATS.c.due <= today)
    return sa.select(REPEATS).where(is_due).order_by(REPEATS.c.due, REPEATS.c.drill)


def _left_today(connection: sa.Connection, owner: Owner, today: str) -> int:
    """Return how many own mistakes may still be asked today."""
    query = sa.select(sa.func.count()).where(REPEATS.c.owner_id == owner, REPEATS.c.answered == today)
    return max(0, MOST_A_DAY - int(connection.execute(query).scalar_one()))


def _rating_of(connection: sa.Connection, owner: Owner, kind: str) -> DrillRating:
    query = sa.select(RATINGS).where(RATINGS.c.owner_id == owner, RATINGS.c.kind == kind)
    row = connection.execute(query).first()
    return NEWCOMER if row is None else _rating(row)


def _rating(row: sa.Row[tuple[object, ...]]) -> DrillRating:
    return DrillRating(row.rating, row.deviation, row.volatility)
