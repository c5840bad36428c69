"""The pages of the documentation that follow from the code.

``scripts/docs`` writes them into docs/reference, where Sphinx finds them. They are not in the repository.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

import ump
from ump.bots.check.situations import CALLS, CONNECTION, EVENTS, OF_THREE, TURNS
from ump.cli.main import main
from ump.env.action_ids import ACTION_NAMES
from ump.env.dataset import COLUMNS
from ump.env.extras import ARRAYS, EVENT_FIELDS, EVENT_TYPES, ORACLE_ROWS
from ump.env.rows import OWN_ROWS, ROWS, ROWS_OF_PLAYER, TABLE_ROWS
from ump.model.yaku import Yaku
from ump.net.endpoints import EXAMPLES as ENDPOINTS
from ump.record.findings import Rule
from ump.record.formats import FORMATS
from ump.record.player_statistics import MEANINGS
from ump.record.record_format import Carried, Fact, RecordFormat
from ump.record.tables import TABLES
from ump.rules.options import OPTIONS as RULES
from ump.rules.preset_sources import SOURCES, UNSURE
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Ruleset
from ump.server.settings import Group, Scope, ServerOption, all_options
from ump.server.status import FIELDS as STATUS
from ump.wire.majiang.events import RULE_ENTRIES
from ump.wire.mjai.events import YAKU_NAMES
from ump.wire.mjai.riichienv_observation import FIELDS
from ump.wire.ump import sentences01, sentences02
from ump.wire.ump.render01 import Language
from ump.wire.ump.sentence import Sentence

PLACES = {Scope.ROOM: "for all rooms, or in each", Scope.SERVER: "once", Scope.COMMAND: "no"}
"""The places in the file of a server where an option may stand."""

MARKS = {Carried.YES: "yes", Carried.OWN: "own field", Carried.PARTLY: "partly", Carried.NO: "-"}

SITUATIONS = {
    "Own turns": TURNS,
    "Tiles of other players": CALLS,
    "Actions of others": EVENTS,
    "The connection": CONNECTION,
    "Three players, with `--players 3`": OF_THREE,
}


def table(*rows: Iterable[str]) -> Iterator[str]:
    """Yield the lines of a table; the first row is its head."""
    for place, row in enumerate(rows):
        cells = [cell.replace("|", r"\|") for cell in row]
        yield f"| {' | '.join(cells)} |"
        if not place:
            yield f"|{'---|' * len(cells)}"
    yield ""


def options_page() -> Iterator[str]:
    """Yield the lines of the page of the server's options, and of the endpoints that its ports take."""
    yield from ("# Options of the server", "", "Those of `ump serve`, `twist ump-server` and `twistd ump-server`.", "")
    for group in Group:
        yield from (f"## {group.value}", "")
        head = ("option", "what it does", "default", "in the file")
        yield from table(head, *(_option_row(option) for option in all_options() if option.group is group))
    yield from ("## Endpoints", "", "In the place of a port of 127.0.0.1:", "")
    yield from table(("endpoint", "where it listens"), *((f"`{each.endpoint}`", each.meaning) for each in ENDPOINTS))


def _option_row(option: ServerOption[Any]) -> Iterator[str]:
    written = f"`{f'--{option.name} {option.kind.metavar}'.strip()}`"
    yield f"[{written}](../server.md#{option.section})" if option.section else written
    yield f"{option.help}{' Repeatable.' if option.kind.is_repeatable else ''}"
    yield option.shown_default
    yield PLACES[option.scope]


def commands_page() -> Iterator[str]:
    """Yield the lines of the page of the commands: the help of each."""
    yield from ("# Commands", "")
    context = click.Context(main, info_name="ump")
    for name in main.list_commands(context):
        command = main.get_command(context, name)
        assert command is not None
        yield from _help(command, click.Context(command, info_name=name, parent=context))


def _help(command: click.Command, context: click.Context) -> Iterator[str]:
    yield from (f"## {context.command_path}", "", "```text", command.get_help(context), "```", "")
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from _help(inner, click.Context(inner, info_name=name, parent=context))


def formats_page() -> Iterator[str]:
    """Yield the lines of the page of record formats: what each can carry, the columns of tables, the linter's rules."""
    yield from ("# Formats of records", "", "[Records](../records.md) explains them.", "")
    head = ("format", "files", "key", "read", "written", "for games of", "needs")
    yield from table(head, *map(_format_row, FORMATS))
    yield from ("## Facts that each can carry", "")
    facts = ((fact.value, *(MARKS[each.carried(fact)] for each in FORMATS)) for fact in Fact)
    yield from table(("", *(each.key for each in FORMATS)), *facts)
    yield from ("## Columns of tables", "")
    for name, columns in TABLES.items():
        rows = ((f"`{column.name}`", column.kind.value, column.meaning) for column in columns)
        yield from table((f"`{name}`", "type", "content"), *rows)
    yield from ("## Rules of the linter", "")
    yield from table(("rule", "what a record must fulfil"), *((f"`{rule.key}`", rule.sentence) for rule in Rule))


def _format_row(each: RecordFormat) -> Iterator[str]:
    yield from (each.name, f"`{each.suffix}`", f"`{each.key}`")
    yield from ("yes" if able else "-" for able in (each.read, each.is_written))
    yield " or ".join(map(str, each.players)) if each.is_written else "-"
    yield "; ".join(fact.value for fact in Fact if fact in each.needs) or "-"


def presets_page() -> Iterator[str]:
    """Yield the lines of the page of the fields of rules, and of the presets side by side."""
    yield from ("# Presets side by side", "", "[Rules](../rules.md) says more about some fields.", "")
    yield from ("## Fields", "")
    meanings = ((f"`{each.name}`", each.meaning, each.type.allowed) for each in RULES.values())
    yield from table(("field", "what it does", "values"), *meanings)
    yield from ("## Values", "")
    rows = ((f"`{each.name}`", *map(each.format, PRESETS.values())) for each in RULES.values())
    yield from table(("field", *(f"`{name}`" for name in PRESETS)), *rows)
    yield from (
        "## Sources",
        "",
        "Fields in which a preset differs from `tenhou`. A `?` marks an uncertain value.",
        "",
    )
    for name, source in SOURCES.items():
        yield from (f"### {name}", "", f"Source: {source.about}", "")
        if source.fields:
            head = ("field", "value", "where")
            yield from table(head, *(_source_row(PRESETS[name], *each) for each in source.fields.items()))


def _source_row(preset: Ruleset, names: str, text: str) -> Iterator[str]:
    options = [RULES[name] for name in names.split()]
    yield ", ".join(f"`{each.name}`" for each in options)
    yield options[0].format(preset) + (" ?" if text.startswith(UNSURE) else "")
    yield text.removeprefix(UNSURE)


def situations_page() -> Iterator[str]:
    """Yield the lines of the page of the situations through which ``ump check-client`` leads a bot."""
    yield from ("# Situations of `ump check-client`", "", "[Check a bot](../check-client.md) explains the command.", "")
    for title, situations in SITUATIONS.items():
        yield from (f"## {title}", "")
        rows = ((f"`{each.name}`", each.teaches, each.expected) for each in situations)
        yield from table(("situation", "what it shows", "expected"), *rows)


def arrays_page() -> Iterator[str]:
    """Yield the lines of the page of the rows of an observation, the action ids, and the columns of a data set."""
    yield from ("# Arrays", "", "[Learning](../learning.md) explains them.", "", "## Rows of an observation", "")
    own = ROWS[: len(OWN_ROWS) + len(TABLE_ROWS) + ROWS_OF_PLAYER]
    rows = (
        (f"{place}", f"`{row.name}`", f"{row.most}", "all" if row.is_even else "each", row.meaning)
        for place, row in enumerate(own)
    )
    yield from table(("row", "name", "maximum", "kinds", "number"), *rows)
    yield from ("## Action ids", "")
    yield from table(("ids", "actions"), *_action_rows())
    yield from ("## Columns of a data set", "")
    yield from table(("column", "type", "content"), *((f"`{name}`", kind, meaning) for name, kind, meaning in COLUMNS))
    yield from ("## Additional arrays", "")
    yield from table(("group", "array", "type", "shape", "content"), *_extra_rows())
    yield from ("Numbers of an event: " + _listed(EVENT_FIELDS), "", "Types of events, from 1:", "")
    yield from (_listed([kind.__name__ for kind in EVENT_TYPES]), "", "Rows of `oracle`: " + _listed(ORACLE_ROWS), "")


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) + "."


def _extra_rows() -> Iterator[tuple[str, ...]]:
    """Yield the additional arrays with their groups."""
    for group, arrays in ARRAYS.items():
        for array in arrays:
            yield f"`{group}`", f"`{array.name}`", array.type, f"{array.shape}", array.meaning


def _action_rows() -> Iterator[tuple[str, str]]:
    """Yield the ids and names of actions: those of the same class whose names end in tiles share a row."""
    groups: dict[str, list[int]] = {}
    for number, name in enumerate(ACTION_NAMES):
        groups.setdefault(re.sub(r" \d[mpszMPS]$", "", name), []).append(number)
    for numbers in groups.values():
        first, last = numbers[0], numbers[-1]
        names = f"`{ACTION_NAMES[first]}`"
        yield (f"{first}", names) if first == last else (f"{first}..{last}", f"{names} to `{ACTION_NAMES[last]}`")


def wire_page() -> Iterator[str]:
    """Yield the lines of the page of what protocols write: sentences, names of yaku, and two objects."""
    yield from ("# Sentences and objects", "", "[Protocols](../protocols/README.md) explains them.", "")
    for version, named in {"0.1": sentences01.SERVER_NAMED, "0.2": sentences02.SERVER_NAMED}.items():
        yield from (f"## Sentences of UMP {version}", "", "Those of the server, without their ids.", "")
        yield from table(("sentence", "meaning"), *map(_sentence_row, named.values()))
        patterns = {word: pattern for each in named.values() for word, pattern in each.PATTERNS.items()}
        rows = ((f"`{word}`", f"`{pattern}`") for word, pattern in sorted(patterns.items()))
        yield from table((f"word of {version}", "as a regular expression"), *rows)
    yield from ("## Names of yaku", "")
    names = ((*(language.name_of(each) for language in Language), YAKU_NAMES[each]) for each in Yaku)
    yield from table((*(f"UMP, `_lang={language.value}`" for language in Language), "mjai"), *names)
    yield from ("## Observations in mjai C", "")
    yield from table(("field", "type", "meaning"), *((f"`{name}`", kind, meaning) for name, kind, meaning in FIELDS))
    yield from ("## Rules in Majiang", "")
    entries = ((f"`{name}`", each.type, each.meaning) for name, each in RULE_ENTRIES.items())
    yield from table(("field of `rule`", "type", "meaning"), *entries)


def _sentence_row(kind: type[Sentence]) -> Iterator[str]:
    yield from (f"`{kind.FORM}`", " ".join((kind.__doc__ or "").replace("``", "`").split()))


def library_page() -> Iterator[str]:
    """Yield the lines of the page of the public names of ``ump``, which Sphinx fills with their docstrings."""
    yield from ("# Public names of `ump`", "", "[The library](../library.md) has examples.", "", "```{eval-rst}")
    whole = {place for place in ump._IMPORTS.values() if ":" not in place}
    for name in sorted(ump.__all__, key=str.lower):
        module, _, attribute = ump._IMPORTS[name].partition(":")
        if not attribute:
            yield from (f".. automodule:: {module}", "   :members:", "")
        elif module not in whole:
            found = getattr(ump, name)
            kind = "class" if inspect.isclass(found) else "function" if inspect.isfunction(found) else "data"
            yield from (f".. auto{kind}:: {module}.{attribute}", "   :members:" if kind == "class" else "", "")
    yield "```"


def figures_page() -> Iterator[str]:
    """Yield the lines of the page of the figures of players, and of the fields of a server's status."""
    yield from ("# Figures", "", "## Figures of players", "")
    yield from ("`ump records --players --json` and `--csv` have these keys ([records](../records.md#counting)).", "")
    yield from table(("key", "meaning"), *((f"`{key}`", meaning) for key, meaning in MEANINGS.items()))
    yield from ("## Fields of the status", "", "`/status` has these ([operate](../operate.md#is-it-alive)).", "")
    yield from table(("field", "meaning"), *((f"`{key}`", meaning) for key, meaning in STATUS.items()))


PAGES: Mapping[str, Callable[[], Iterator[str]]] = {
    "options": options_page,
    "commands": commands_page,
    "presets": presets_page,
    "formats": formats_page,
    "figures": figures_page,
    "situations": situations_page,
    "arrays": arrays_page,
    "wire": wire_page,
    "library": library_page,
}
"""The pages by their file names."""


def write(folder: Path) -> None:
    """Write all pages into a folder."""
    folder.mkdir(exist_ok=True)
    for name, lines in PAGES.items():
        (folder / f"{name}.md").write_text("\n".join(lines()), encoding="utf-8")
