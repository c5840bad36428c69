"""The base of native value classes, which makes values copyable; in a compiled wheel it is ``ump.model.copyable``."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


class Copyable:
    """A value that ``copy`` and ``pickle`` can copy."""

    def __reduce__(self) -> tuple[object, ...]:
        dataclass: Any = self
        return _create, (type(self), {field.name: getattr(self, field.name) for field in fields(dataclass)})


def _create(kind: Any, values: dict[str, Any]) -> Any:
    return kind(**values)
