"""A field of a dataclass that an option sets: its description stands at the field, as plain data.

``ump.server.settings`` makes the options of the server from it, and ``ump.cli.command_line`` those of commands. So a
package below them describes its settings itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, field
from enum import Enum
from typing import Any, TypeVar

from ump.model.value import value

T = TypeVar("T")

MAX_NUMBER = 999_999_999
"""The largest number of an option."""

_SETTING = "setting"
"""The key of the description in the metadata of a field."""


@value
class Setting:
    """The description of a field that an option sets. The default of the field is that of the option."""

    help: str
    """A sentence; ``{least}`` and ``{most}`` in it are the bounds."""
    name: str = ""
    """The option without its dashes; empty: the name of the field, with ``-`` for ``_``."""
    section: str = ""
    """The section of docs/server.md that says more."""
    shown: str | None = None
    """The default as help shows it; None: as the command line would give it."""
    group: Enum | None = None
    """The group of the option, if it is another one than that of its class."""
    scope: Enum | None = None
    """The places where the option may stand, if they are not those of its class."""
    needs: str = ""
    """The key of the option without which this one has no effect."""
    metavar: str = ""
    """The placeholder of a value, where the type of the default does not decide it."""
    noun: str = ""
    """The noun by which errors call the words of an option that takes choices."""
    choices: Mapping[str, Any] | None = None
    """The words that the option takes, and what they stand for; those of an enum need not be given."""
    words: tuple[str, ...] = ()
    """Other values, or beginnings of values, that a shell completes."""
    variable: str = ""
    """The variable of the environment that sets it, where the command line does not: for secrets."""
    least: int = 1
    most: int = MAX_NUMBER
    unit: int = 1
    """The number in the field that 1 in the option stands for: 1,024 for KiB in a field of bytes."""
    read: Callable[[str], Any] | None = None
    """Returns the value of a text; raises ValueError. If the default is a tuple, the option is repeatable."""
    is_clearable: bool = True
    """Whether ``none`` removes the values before it, if it is."""
    prepare: Callable[[Any], Any] | None = None
    """Returns the field for a value that was given, when the server starts; raises ValueError."""

    @property
    def turns_off(self) -> bool:
        """Whether the option is a switch such as ``no-pages``, for a field that is true without it."""
        return self.name.startswith("no-")


def setting(default: T, help_text: str, **about: Any) -> T:
    """Return a field that an option sets; ``about`` are further fields of ``Setting``."""
    return field(default=default, metadata={_SETTING: Setting(help_text, **about)})


def setting_of(described: Field[Any]) -> Setting | None:
    """Return the description of a field; None if no option sets it."""
    return described.metadata.get(_SETTING)


def key_of(described: Field[Any], about: Setting) -> str:
    """Return the key of a field's option in a file: ``house_after`` for ``--house-after``."""
    return (about.name or described.name).replace("-", "_")
