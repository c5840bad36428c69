"""Players of a comparison by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from random import Random
from typing import Any

from ump.arena.play import BatchPolicy, OneTable, is_batched
from ump.arena.series import PLAYERS, RANDOM
from ump.model.choices import unknown
from ump.players.policy import POLICIES, Policy, RandomLegal

_CLASS = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)")


class ContestantError(ValueError):
    """A player that does not exist, or that cannot be created."""


def policy_factory(kind: str) -> Callable[[str], Policy]:
    """Return a function that creates a policy of this kind for one seat of one game, from the seed of its chances.

    The kind is one of ``PLAYERS``, or ``MODULE:CLASS`` with a class whose instances have the method ``choose`` of
    ``Policy`` or ``choose_all`` of ``BatchPolicy``; it is created without arguments. Raises ContestantError if there
    is no such player.
    """
    if kind == RANDOM:
        return lambda seed: RandomLegal(Random(seed))
    if kind in POLICIES:
        return lambda _seed: POLICIES[kind]()
    found = policy_class(kind)
    if is_batched(found):
        return lambda _seed: OneTable(batch_policy(kind))
    return lambda _seed: found()


def is_batched_kind(kind: str) -> bool:
    """Tell whether players of this kind decide about many tables in one call; raises ContestantError."""
    return kind not in PLAYERS and is_batched(policy_class(kind))


@cache
def batch_policy(kind: str) -> BatchPolicy:
    """Return the batched policy of ``MODULE:CLASS``: one for the whole process, because it may be large."""
    policy: BatchPolicy = policy_class(kind)()
    return policy


@cache
def policy_class(kind: str) -> Callable[[], Any]:
    """Return the class of ``MODULE:CLASS``, which has ``choose`` or ``choose_all``; raises ContestantError."""
    parts = _CLASS.fullmatch(kind)
    if parts is None:
        raise ContestantError(f"{unknown('player', kind, PLAYERS)}, or MODULE:CLASS")
    try:
        found = getattr(import_module(parts[1]), parts[2])
    except Exception as error:  # a module of somebody else may raise anything
        raise ContestantError(f"{kind}: {type(error).__name__}: {error}") from error
    if not (callable(getattr(found, "choose", None)) or is_batched(found)):
        raise ContestantError(f"{kind}: the class has neither choose nor choose_all")
    create: Callable[[], Any] = found
    return create
