"""Reads the pages of docs/protocols: sections, tables, examples and transcripts, and compares them with messages.

A section of messages has a table with the head ``message``, which names them, a table with the head ``field | in | type
| meaning`` with the fields and the messages that have them (``any`` for all), and examples in blocks ``json``. A table
with the head ``field .. | type | meaning`` has the fields of an inner object. A type is one of a table of the page, or
a list of values; ``, or absent`` after it marks a field that may be left out.

Examples and transcripts may be shorter than the messages: ``".."`` at the end of a text or an array stands for the
rest, and so does ``".."`` as the name of a field.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ump.model.value import value

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "protocols"

REST = ".."
"""Stands for the rest of a text, an array or an object."""

ABSENT = ", or absent"
"""The end of the type of a field that may be left out."""

PLAIN = frozenset(("actions", "count", "flag", "flag or token", "milliseconds", "object", "points", "seconds", "text"))
"""The types that explain themselves, or whose fields do."""

Message = dict[str, Any]

Check = Callable[[Any], bool]


def read_page(name: str) -> str:
    """Return the text of a page."""
    return (FOLDER / name).read_text(encoding="utf-8")


def section(page: str, title: str) -> str:
    """Return the text below a heading of the second or third level, up to the next one of its level or above."""
    for level in ("##", "###"):
        parts = page.split(f"\n{level} {title}\n")
        if len(parts) == 2:
            return re.split(rf"\n#{{2,{len(level)}}} ", parts[1])[0]
    raise AssertionError(f"the page has no section {title!r}, or more than one")


def tables(text: str) -> Iterator[list[list[str]]]:
    """Yield each table of a text: its rows of cells, the head first, without the line below the head."""
    for block in re.findall(r"(?:^\|.*\n?)+", text, re.MULTILINE):
        cells = [re.split(r"(?<!\\)\|", line.strip())[1:-1] for line in block.splitlines()]
        rows = [[cell.strip().replace("\\|", "|") for cell in row] for row in cells]
        yield [row for row in rows if not set("".join(row)) <= {"-"} or not any(row)]


def rows(text: str) -> list[list[str]]:
    """Return the rows of all tables of a text, without their heads."""
    return [row for table in tables(text) for row in table[1:]]


def coded(text: str) -> list[str]:
    """Return the code spans of a text."""
    return re.findall("`([^`]+)`", text)


def blocks(text: str, language: str) -> list[list[str]]:
    """Return the lines of each block of code in a language."""
    return [block.splitlines() for block in re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


# Messages


@value
class Field:
    """A row of a table of fields."""

    type: str
    may_be_absent: bool


@value
class Description:
    """The description of a message on a page."""

    fields: Mapping[str, Field]
    examples: tuple[str, ...]


def descriptions(text: str, type_of: Callable[[Message], str]) -> dict[str, Description]:
    """Return the messages that a section describes, by type, each with its own fields and examples."""
    named = [name for table in tables(text) if table[0][0] == "message" for row in table[1:] for name in coded(row[0])]
    assert len(set(named)) == len(named), "a message is described twice"
    fields: dict[str, dict[str, Field]] = {name: {} for name in named}
    for names, field, described in fields_in(text):
        for name in names:
            if name in fields:
                fields[name][field] = described
    examples = [line for block in blocks(text, "json") for line in block]
    return {
        name: Description(fields[name], tuple(each for each in examples if type_of(json.loads(each)) == name))
        for name in named
    }


def fields_in(text: str) -> Iterator[tuple[list[str], str, Field]]:
    """Yield the fields that a section lists, each with the types of its messages; none stands for any message."""
    for table in tables(text):
        if table[0][:2] == ["field", "in"]:
            for row in table[1:]:
                for field in coded(row[0]):
                    yield coded(row[1]), field, _field(row[2])


def fields_of(text: str) -> dict[str, Field]:
    """Return the fields of an inner object that a text describes."""
    listed = [row for table in tables(text) if "field" in table[0][0] and table[0][1] == "type" for row in table[1:]]
    return {coded(row[0])[0]: _field(row[1]) for row in listed}


def _field(type_: str) -> Field:
    return Field(type_.removesuffix(ABSENT), type_.endswith(ABSENT))


def types_in(text: str) -> set[str]:
    """Return the types that a table explains; a row may have several."""
    return {type_ for row in rows(text) for type_ in row[0].split(", ")}


def to_explain(types: Iterable[str], checks: Mapping[str, Check]) -> set[str]:
    """Return the types that a table has to explain: no lists of values, and none with another value, as `null`."""
    return {type_ for type_ in types if " or `" not in type_ and (type_ in checks or type_[0] != "`")} - PLAIN


def is_of(type_: str, content: Any, checks: Mapping[str, Check]) -> bool:
    """Tell whether a value has a type: one of ``checks``, or one of the values that the type lists."""
    check = checks.get(type_)
    if check is not None:
        return check(content)
    values = values_of(type_)
    return any(content == each and type(content) is type(each) for each in values)


def values_of(type_: str) -> list[Any]:
    """Return the values that a type lists: ``"a"``, ``"b"`` or ``3``, as code; raises AssertionError for a word."""
    assert re.fullmatch(r"`[^`]+`(?:(?:, | or )`[^`]+`)*", type_), f"{type_!r} is no type of the page"
    return [json.loads(each) for each in coded(type_)]


def check_messages(described: Mapping[str, Field], sent: Iterable[Message], checks: Mapping[str, Check]) -> None:
    """Compare the fields of a message on the page with those of messages that were sent, both ways."""
    messages = list(sent)
    assert messages, "no such message was sent"
    for message in messages:
        for name, content in message.items():
            assert name in described, f"the page has no row for {name}: {message}"
            assert is_of(described[name].type, content, checks), f"{name} is no {described[name].type}: {message}"
    for name, field in described.items():
        having = sum(name in message for message in messages)
        assert having, f"no message has the field {name}"
        assert (having < len(messages)) <= field.may_be_absent, f"{name} may be absent"


# Examples


def is_shown(shown: Any, real: Any) -> bool:
    """Tell whether an example shows a message, perhaps without its rest."""
    if isinstance(shown, dict) and isinstance(real, dict):
        names = shown.keys() - {REST}
        return (names == real.keys() or (REST in shown and names <= real.keys())) and all(
            is_shown(shown[name], real[name]) for name in names
        )
    if isinstance(shown, list) and isinstance(real, list):
        if shown[-1:] == [REST]:
            return len(real) >= len(shown) - 1 and is_shown(shown[:-1], real[: len(shown) - 1])
        return len(shown) == len(real) and all(map(is_shown, shown, real))
    if isinstance(shown, str) and isinstance(real, str) and shown.endswith(REST):
        return real.startswith(shown.removesuffix(REST))
    return bool(shown == real) and type(shown) is type(real)


def shows_line(shown: str, real: str) -> bool:
    """Tell whether a line of a transcript shows a line of a conversation."""
    if shown[:2] != real[:2] or real[2:3] not in ("{", "["):
        return shown == real
    return is_shown(json.loads(shown[2:]), json.loads(real[2:]))


def parts_of(transcript: Sequence[str]) -> list[list[str]]:
    """Return the parts of a transcript, which lines ``..`` separate, without remarks.

    A remark is a line with ``#``, or what follows three spaces behind a line that is not JSON.
    """
    parts: list[list[str]] = [[]]
    for line in transcript:
        if line == REST:
            parts.append([])
        elif not line.startswith("#"):
            parts[-1].append(line if line[2:3] in ("{", "[") else re.split(" {3,}", line)[0].rstrip())
    return parts


def shows(transcript: Sequence[str], conversation: Sequence[str]) -> bool:
    """Tell whether the parts of a transcript stand in a conversation, in this order."""
    start = 0
    for part in parts_of(transcript):
        places = range(start, len(conversation) - len(part) + 1)
        place = next((at for at in places if all(map(shows_line, part, conversation[at:]))), None)
        if place is None:
            return False
        start = place + len(part)
    return True
