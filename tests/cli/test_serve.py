"""``ump serve``: its help, its completion, and its messages for mistakes."""

from __future__ import annotations

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner
from support.rows import each_row

from ump.cli.main import main
from ump.players.policy import POLICIES
from ump.server.settings import Group, all_options
from ump.server.tap import Options

NUKIDORA = ("mjai-nukidora:", "mjai-lines-nukidora:")
"""The kinds of bots that call the north of a game of three so."""


def completed(*words: str) -> list[str]:
    """Return what a shell offers for the last word; files and folders by their kind."""
    found = ShellComplete(main, {}, "ump", "_UMP_COMPLETE").get_completions(["serve", *words[:-1]], words[-1])
    return [item.value if item.type == "plain" else item.type for item in found]


def test_help_has_each_option_in_its_group() -> None:
    """The help fits into 80 columns, and shows each option once, under the title of its group."""
    text = CliRunner().invoke(main, ["serve", "--help"], env={"COLUMNS": "80"}).output
    assert max(map(len, text.splitlines())) <= 80
    for group in Group:
        section = text.split(f"\n{group.value}:\n")[1].split("\n\n")[0]
        listed = [line.split()[0] for line in section.splitlines() if line.startswith("  --")]
        assert listed == [f"--{option.name}" for option in all_options() if option.group is group]


@each_row(
    ("words", "offered"),
    [
        (["--ho"], ["--house", "--house-after"]),
        (["--rules", "m"], ["mleague", "majsoul", "majsoul3"]),
        (["--set", "kuit"], ["kuitan="]),
        (["--house", ""], [*(f"{kind}:3" for kind in POLICIES), "mjai:", "mjai-lines:", *NUKIDORA, "none"]),
        (["--length", ""], ["kyoku", "tonpu", "hanchan", "one_kyoku", "tonnan"]),
        (["--faults", "c"], ["chombo"]),
        (["--config", ""], ["file"]),
        (["--log-dir", ""], ["dir"]),
        (["--time", ""], []),
    ],
)
def test_completion(words: list[str], offered: list[str]) -> None:
    """A shell completes the options and their values."""
    assert completed(*words) == offered


@each_row(
    "line",
    [
        "--hose x",
        "--rules",
        "--ask-all=yes",
        "--rules tenho",
        "--set kuikai=no",
        "--games -1",
        "--house foo",
        "--listen foo",
        "--listen none --mjai none --http none",
        "--config /nowhere",
    ],
)
def test_mistakes_end_as_under_twist(line: str) -> None:
    """A mistake ends with the message that ``twist ump-server`` would print, in one line, and with status 1."""
    ended = CliRunner().invoke(main, ["serve", *line.split()])
    with pytest.raises(SystemExit) as caught:
        Options().parseOptions(line.split())
    assert ended.stderr == f"Error: {str(caught.value).removeprefix('ump-server: ')}\n"
    assert ended.exit_code == 1


def test_a_folder_that_cannot_be_used() -> None:
    """A server that cannot record its games does not start."""
    ended = CliRunner().invoke(main, ["serve", "--record-dir", "/dev/null/records"])
    assert ended.stderr == (
        "Error: --record-dir /dev/null/records: Not a directory; choose a folder to write to, or none\n"
    )
    assert ended.exit_code == 1


def test_a_surplus_argument() -> None:
    """A word that belongs to no option is refused in one line."""
    ended = CliRunner().invoke(main, ["serve", "surplus"])
    assert (ended.stderr, ended.exit_code) == ("Error: Got unexpected extra argument (surplus)\n", 1)
