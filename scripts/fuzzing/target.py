"""What a target of the fuzzer is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Target:
    """A part of the program that takes bytes from outside."""

    name: str
    about: str
    seeds: Callable[[], Sequence[bytes]]
    """Returns good inputs, which are then changed."""
    run: Callable[[bytes], object]
    """Takes an input: raises one of ``refusals``, or nothing."""
    refusals: tuple[type[Exception], ...] = ()
    """The documented errors. Any other exception is a bug."""

    def take(self, data: bytes) -> bool:
        """Run an input; return whether it was accepted. Raises whatever is a bug."""
        try:
            self.run(data)
        except self.refusals:
            return False
        return True
