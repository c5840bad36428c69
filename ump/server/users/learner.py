"""People who practise, and what is known of them. The modules that store it need SQLAlchemy; this one does not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from ump.drills.rating import DrillRating
from ump.model.value import value

Owner: TypeAlias = int
"""The number of an owner."""


@value
class Learner:
    """Somebody who practises, as a request tells it."""

    guest: str
    """The hash of the browser's secret."""
    user: str | None = None
    """The name of the user who has logged in there."""


@value
class ChangedRating:
    """The change that an answer has made."""

    before: DrillRating
    after: DrillRating
    """The same as before if the answer does not count."""


@value
class Progress:
    """The progress of an owner."""

    ratings: Mapping[str, DrillRating]
    """By kind; a kind without a rated answer has none."""
    due: int
    """Own mistakes that are due, and may be asked today."""
    waiting: int
    """All own mistakes that are not done."""


NOTHING_YET = Progress({}, 0, 0)


@value
class ListedDrill:
    """A drill of a pool, without what is asked."""

    id: str
    kind: str
    side: str
    """The side of its answer, such as ``push``: both are asked equally often; "" if there are no sides."""
    rating: int
    made: str = ""
    """When a server has made it; "" for the drills of the installation."""
