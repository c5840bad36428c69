"""``ump arena zoo``: recipes that are built once, and the table of all players."""

from __future__ import annotations

import json
import subprocess
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
    """A kind names its folder and starts a program, or is a built-in bot; what is cloned has a commit."""
    for recipe in recipes().values():
        if not recipe.made:
            assert read_program(recipe.kind) is None
            continue
        assert "{folder}" in recipe.kind
        assert recipe.build or recipe.how
        assert len(recipe.commit) == (40 if recipe.git else 0)
        if recipe.kind.startswith("mjai"):
            assert isinstance(read_program(recipe.kind_in("/tmp")), ChildProgram)


def test_a_bot_is_built_once(tmp_path: Path) -> None:
    """The commands run in its folder, and not again when the file is there."""
    recipe = Recipe("bot", "a bot", "mjai:{folder}/bot {seat}", build=("echo built >> bot",), made="bot")
    for _ in range(2):
        assert prepare(recipe, tmp_path) == f"mjai:{tmp_path}/bot/bot {{seat}}"
    assert (tmp_path / "bot" / "bot").read_text("utf-8") == "built\n"


def test_a_build_that_was_interrupted_goes_on(tmp_path: Path) -> None:
    """Its file can be there before the last command has ended; a recipe that has changed builds anew."""
    recipe = Recipe("bot", "a bot", "mjai:x", build=("touch bot", "echo $((1 / $(cat divisor)))"), made="bot")
    folder = tmp_path / "bot"
    folder.mkdir()
    for divisor, is_built in (("0", False), ("1", True)):
        (folder / "divisor").write_text(divisor, "utf-8")
        with nullcontext() if is_built else pytest.raises(RecipeError):
            prepare(recipe, tmp_path)
        assert (folder / "bot").exists()
        assert recipe.is_in(folder) is is_built
    assert not replace(recipe, build=("touch bot",)).is_in(folder)


def test_a_repository_without_all_of_its_files(tmp_path: Path) -> None:
    """The copy of a repository may lack large files, which git does not take for a failure; they can be added."""
    origin, folder = tmp_path / "origin", tmp_path / "bot"
    for command in (
        f"git init --quiet {origin}",
        f"echo large > {origin}/large && git -C {origin} add large",
        f"git -C {origin} -c user.name=x -c user.email=x@example.org commit --quiet -m x",
        f"rm -f $(find {origin}/.git/objects -name $(git -C {origin} rev-parse HEAD:large | cut -c3-))",
    ):
        subprocess.run(command, shell=True, check=True)
    head = subprocess.run(["git", "-C", origin, "rev-parse", "HEAD"], capture_output=True, text=True, check=True)
    recipe = Recipe("bot", "", "x", git=str(origin), commit=head.stdout.strip(), build=("touch made",), made="made")
    with pytest.raises(RecipeError, match="failed, see"):
        prepare(recipe, tmp_path)
    assert "large" in (tmp_path / "bot.log").read_text("utf-8")
    (folder / "large").write_text("another", "utf-8")
    prepare(recipe, tmp_path)
    assert recipe.is_in(folder)


def test_a_repository_is_cloned_at_its_commit(tmp_path: Path) -> None:
    """Without it, the error says where the output is, and what to do."""
    recipe = Recipe("bot", "a bot", "mjai:x", git=str(tmp_path / "none"), commit="0", made="bot", how="ask somebody")
    with pytest.raises(RecipeError, match=r"bot: 'git clone .* failed, see .*bot\.log; ask somebody"):
        prepare(recipe, tmp_path / "cache")
    assert "does not exist" in (tmp_path / "cache" / "bot.log").read_text("utf-8")


@each_row(
    ("recipe", "error"),
    [
        (Recipe("bot", "", "x", needs=("no-such-program",), made="bot", how="get it"), "needs the program no-such"),
        (Recipe("bot", "", "x", made="bot", how="write it"), r"there is no .*/bot/bot; write it"),
        (Recipe("a bot", "", "x", made="bot"), "has a character that a shell reads"),
    ],
)
def test_bots_that_cannot_be_built(tmp_path: Path, recipe: Recipe, error: str) -> None:
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
