"""What a target of the fuzzer is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Taken:
    """The outcome of an input that has shown no bug."""

    is_accepted: bool
    messages: int = 0
    """How many changed messages were said in a session."""


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
    is_session: bool = False
    """Whether an input is what a client says in a whole game, a message on each line.

    Then half to all messages are changed, and ``run`` returns how many changed ones were said before the game was over.
    """

    def take(self, data: bytes) -> Taken:
        """Run an input; return what became of it. Raises whatever is a bug."""
        try:
            said = self.run(data)
        except self.refusals:
            return Taken(is_accepted=False)
        return Taken(is_accepted=True, messages=said if self.is_session and isinstance(said, int) else 0)
