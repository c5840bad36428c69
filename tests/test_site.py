"""The documentation as a whole: links, generated pages, and what docs/evidence.md names."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from support.rows import each_row
from support.scripted_server import ROOT

import ump
from scripts.site_reference import PAGES, write
from ump.bots.check.situations import OF_THREE
from ump.cli.main import COMMANDS, main
from ump.env.dataset import COLUMNS
from ump.net.endpoints import EXAMPLES as ENDPOINTS
from ump.record.findings import Rule
from ump.record.formats import FORMATS
from ump.record.player_statistics import MEANINGS
from ump.rules.options import OPTIONS as RULES
from ump.rules.presets import PRESETS
from ump.server.settings import Group, all_options
from ump.server.status import FIELDS as STATUS
from ump.wire.ump.sentences01 import SERVER_NAMED

pytestmark = pytest.mark.once

WRITTEN = sorted({*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "protocols").glob("*.md")})
EVIDENCE = (ROOT / "docs" / "evidence.md").read_text("utf-8")
DEFENCES = EVIDENCE.partition("\n## Defences\n")[2]
OPTIONS = {option.name: option for option in all_options()}
NAMED = re.findall(r"`--([a-z-]+)`(?: ([^\s|,]+))?", DEFENCES)


def ump_commands(page: Path) -> Iterator[list[str]]:
    """Yield the words behind ``ump`` of each command in the shell blocks of a page."""
    for block in re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE):
        for line in block.replace("\\\n", " ").splitlines():
            for part in re.split(r" (?:&&|\|) |; ", line):
                found = re.match(r"(?:as-ump )?(?:\S*/bin/)?ump ([a-z][^>&]*)", part)
                if found is not None:
                    yield shlex.split(found[1], comments=True)


@each_row("words", [words for page in WRITTEN for words in ump_commands(page)])
def test_commands_of_all_pages_are_valid(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command exists and takes these arguments; the files that it reads are there."""
    monkeypatch.chdir(tmp_path)
    for place in ("USERS", "TOURNAMENTS", "INDEX"):
        monkeypatch.setenv(f"UMP_{place}", "file.sqlite")
    (tmp_path / "game.journal.gz").touch()
    for folder in ("ump-records", "arena/games"):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    if words[0] == "serve":
        return  # Twisted reads its options; the tests of operate.md and README.md do so
    command: click.Command = main
    context = click.Context(main)
    while isinstance(command, click.Group):
        name, found, words = command.resolve_command(context, words)
        assert name is not None and found is not None
        context = found.make_context(
            name, list(words), parent=context, resilient_parsing=isinstance(found, click.Group)
        )
        command = found


@each_row("path", WRITTEN)
def test_links_lead_somewhere(path: Path) -> None:
    """Each link leads to an existing file and heading."""
    for target in re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8")):
        if re.match(r"https?:", target):
            continue
        name, _, anchor = target.partition("#")
        file = path.parent / name if name else path
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.+)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}, (
                target
            )


def test_generated_pages_are_complete(tmp_path: Path) -> None:
    """Every option, command, preset, format, rule of the linter, situation, sentence and module has its place."""
    write(tmp_path)
    pages = {name: (tmp_path / f"{name}.md").read_text(encoding="utf-8") for name in PAGES}
    for page, names in {
        "options": [*(f"`--{name}" for name in OPTIONS), *(f"`{each.endpoint}`" for each in ENDPOINTS)],
        "commands": [f"\n## ump {name}\n" for name in COMMANDS],
        "formats": [*(f"`{each.key}`" for each in FORMATS), *(f"`{rule.key}`" for rule in Rule)],
        "presets": [*(f"`{name}`" for name in PRESETS), *(f"`{each.name}`" for each in RULES.values())],
        "figures": [f"`{name}`" for name in (*MEANINGS, *STATUS)],
        "situations": [f"`{each.name}`" for each in OF_THREE],
        "arrays": [f"`{name}`" for name, _, _ in COLUMNS],
        "wire": [f"`{each.FORM}`" for each in SERVER_NAMED.values()],
        "library": [place.replace(":", ".") for place in ump._IMPORTS.values() if ":" not in place],
    }.items():
        assert [name for name in names if name not in pages[page]] == []


def test_files_of_the_evidence_exist() -> None:
    """Each script and test is there."""
    named = set(re.findall(r"`((?:tests|scripts)/[\w/.-]+)", EVIDENCE))
    assert len(named) > 10
    assert [path for path in sorted(named) if not (ROOT / path).exists()] == []


def test_each_option_of_the_defences_has_its_default() -> None:
    """Each option is one of the server."""
    assert [name for name, default in NAMED if default not in ("", OPTIONS[name].shown_default)] == []


def test_every_limit_has_a_row() -> None:
    """A limit that is added needs a row."""
    limits = {option.name for option in OPTIONS.values() if option.group is Group.LIMITS}
    assert limits <= {option for option, _ in NAMED}
