"""The decorator that declares a value class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True)
def value(cls: type[T]) -> type[T]:
    """Turn a class into a hashable dataclass with slots whose fields are never assigned again.

    The type checker enforces that (``frozen_default``). At run time the class is not frozen: a frozen dataclass sets
    each field through ``object.__setattr__``, which makes construction eight times as slow, and a game constructs a
    value for every draw, discard and answer.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
