"""An option of the server. ``ump.server.options`` lists all of them."""

from __future__ import annotations

from enum import Enum
from typing import Generic, TypeVar

from ump.model.value import value
from ump.server.option_kinds import Kind

T_co = TypeVar("T_co", covariant=True)


class ConfigError(ValueError):
    """An option or a file that cannot be used; the message is one line: the option, its value, and what is allowed."""


class Group(Enum):
    """A group of options in the help and in the documentation, with its title."""

    PORTS = "Ports"
    ROOMS = "Rooms"
    GAMES = "Games and records"
    LIMITS = "Limits"


class Scope(Enum):
    """The places where an option can stand, besides the command line."""

    ROOM = "in a room"
    """In the file above the rooms, for all of them, and in each room."""
    SERVER = "above the rooms"
    """In the file above the rooms."""
    COMMAND = "no"
    """Not in the file."""


@value
class Option(Generic[T_co]):
    """An option of the server."""

    name: str
    """The option on the command line, without its dashes."""
    kind: Kind[T_co]
    default: T_co
    group: Group
    scope: Scope
    help: str
    """Its description, as a sentence."""
    shown_default: str = ""
    """The default as help shows it; empty if there is nothing to show."""
    section: str = ""
    """The section of docs/server.md that says more."""

    @property
    def key(self) -> str:
        """The key in a file."""
        return self.name.replace("-", "_")

    @property
    def full_help(self) -> str:
        """Its description, with the default."""
        notes = ["repeatable"] if self.kind.is_repeatable else []
        if self.shown_default:
            notes.append(f"default: {self.shown_default}")
        return f"{self.help} [{'; '.join(notes)}]" if notes else self.help
