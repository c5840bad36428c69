"""``ump arena zoo``: recipes whose packages are installed once, and the table of all players."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.rows import each_row

from ump.arena import zoo
from ump.arena.zoo import Recipe, recipes
from ump.cli.arena_zoo import RecipeError, prepare
from ump.cli.main import main
from ump.server.program_arena import ChildProgram, read_program


def test_the_recipes_can_be_read() -> None:
    """A kind names its folder and starts a program, or is a built-in bot; a source has a commit."""
    for recipe in recipes().values():
        if not recipe.made:
            assert read_program(recipe.kind) is None
            continue
        assert "{folder}" in recipe.kind
        assert recipe.install or recipe.how
        assert re.fullmatch(r"([\w.-]+/[\w.-]+ at [0-9a-f]{40})?", recipe.source)
        if recipe.kind.startswith("mjai"):
            assert isinstance(read_program(recipe.kind_in("/tmp")), ChildProgram)


def test_packages_are_installed_once(tmp_path: Path) -> None:
    """The commands run in the folder of the bot, and not again when the file is there."""
    recipe = Recipe("bot", "a bot", "mjai:{folder}/bot {seat}", install=("echo here >> bot",), made="bot")
    for _ in range(2):
        assert prepare(recipe, tmp_path) == f"mjai:{tmp_path}/bot/bot {{seat}}"
    assert (tmp_path / "bot" / "bot").read_text("utf-8") == "here\n"


def test_an_installation_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    """Its file can be there before the last command has ended; a recipe that has changed installs anew."""
    recipe = Recipe("bot", "a bot", "mjai:x", install=("touch bot", "echo $((1 / $(cat divisor)))"), made="bot")
    folder = tmp_path / "bot"
    folder.mkdir()
    for divisor, is_installed in (("0", False), ("1", True)):
        (folder / "divisor").write_text(divisor, "utf-8")
        with nullcontext() if is_installed else pytest.raises(RecipeError, match=r"failed, see .*bot\.log"):
            prepare(recipe, tmp_path)
        assert (folder / "bot").exists()
        assert recipe.is_in(folder) is is_installed
    assert (tmp_path / "bot.log").read_text("utf-8") == "1\n"
    assert not replace(recipe, install=("touch bot",)).is_in(folder)


def test_a_source_is_put_there_by_hand(tmp_path: Path) -> None:
    """Nothing is installed before it is there; the error says which one belongs where."""
    recipe = Recipe("bot", "a bot", "mjai:x", source="a/b at 1", install=("touch x",), made="bot", how="ask somebody")
    with pytest.raises(RecipeError, match=rf"bot: put a/b at 1 into {tmp_path}/bot, .*; ask somebody"):
        prepare(recipe, tmp_path)
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot").touch()
    prepare(recipe, tmp_path)
    assert (tmp_path / "bot" / "x").exists()


@each_row(
    ("recipe", "error"),
    [
        (Recipe("bot", "", "x", needs=("no-such-program",), made="bot", how="get it"), "needs the program no-such"),
        (Recipe("bot", "", "x", made="bot", how="write it"), r"there is no .*/bot/bot; write it"),
        (Recipe("a bot", "", "x", made="bot"), "has a character that a shell reads"),
    ],
)
def test_bots_that_lack_something(tmp_path: Path, recipe: Recipe, error: str) -> None:
    """One line says why."""
    with pytest.raises(RecipeError, match=error):
        prepare(recipe, tmp_path)


def run(*words: str) -> tuple[int, str, str]:
    """Run the command; return its status, output and errors."""
    result = CliRunner().invoke(main, ["arena", "zoo", *words])
    return result.exit_code, result.stdout, result.stderr


def test_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Players are rated beside the reference; games that are there are counted, and more are added."""
    monkeypatch.setattr("ump.cli.arena_queue.LOOK_SECONDS", 0.01)  # processes inherit it
    monkeypatch.setattr(zoo, "REFERENCE", "efficiency")
    monkeypatch.setattr("ump.cli.arena_zoo.LENGTH", "kyoku")
    found = {name: Recipe(name, "", name) for name in ("tsumogiri", "random")}
    found["lost"] = Recipe("lost", "", "x", made="bot", how="find it")
    monkeypatch.setattr("ump.cli.arena_zoo.recipes", lambda: found)
    words = ("--out", str(tmp_path), "--cache", str(tmp_path / "cache"), "--jobs", "1")
    status, lines, errors = run(*words, "--games", "8")
    assert status == 0
    assert "left out: lost: there is no" in errors
    assert lines.startswith("| player ")
    status, text, _ = run("tsumogiri", *words, "--games", "16", "--json")
    players = {each["name"]: each for each in json.loads(text)["players"]}
    assert (players["tsumogiri"]["games"], players["random"]["games"], players["efficiency"]["games"]) == (16, 8, 24)
    assert players["efficiency"]["rating"] == 1500 > players["tsumogiri"]["rating"]
    assert players["tsumogiri"]["lead"] < 0
    listed = run("--list", *words)[1]
    assert [line.split()[:2] for line in listed.splitlines()] == [
        ["tsumogiri", "there"],
        ["random", "there"],
        ["lost", "not"],
    ]
    assert run("lost", *words)[0] == 2


@each_row(("words", "error"), [(("nobody",), "unknown bot 'nobody'"), (("efficiency",), "zoo needs --out FOLDER")])
def test_wrong_command_lines(words: tuple[str, ...], error: str) -> None:
    """One line says why."""
    status, _, errors = run(*words)
    assert status == 2
    assert error in errors
