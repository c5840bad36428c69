"""The line of a room: its order, who completes a table, and when built-in bots are due."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ump.host.waiting_line import GamesLeft, WaitingLine


def line(*names: str, seats: int = 4) -> WaitingLine[str]:
    """Return a line in which these players came one second after the other, from second 0 on."""
    waiting: WaitingLine[str] = WaitingLine(seats, bots_after=3.0)
    for second, name in enumerate(names):
        waiting.join(name, float(second))
    return waiting


def test_players_are_seated_in_the_order_in_which_they_came() -> None:
    """The fifth player waits for the next table."""
    waiting = line("a", "b", "c", "d", "e")
    assert waiting.missing < 0
    assert waiting.take() == ["a", "b", "c", "d"]
    assert (list(waiting), waiting.missing) == (["e"], 3)


def test_players_who_stay_go_to_the_front_together() -> None:
    """They keep their order and their table."""
    waiting = line("a", "b")
    waiting.stay(["x", "y", "z"], 9.0)
    assert waiting.take() == ["x", "y", "z", "a"]


def test_a_player_who_leaves_is_forgotten() -> None:
    """The others move up."""
    waiting = line("a", "b", "c")
    waiting.leave("b")
    assert list(waiting) == ["a", "c"]


def test_bots_are_due_some_seconds_after_the_first_player_came() -> None:
    """A player who came before the one at the front counts as well: it has waited longest."""
    waiting = line("a", "b")
    assert waiting.bots_due() == 3.0
    waiting.stay(["x"], 7.0)
    assert waiting.bots_due() == 3.0
    waiting.leave("a")
    assert waiting.bots_due() == 4.0


def test_an_empty_line_waits_for_nobody() -> None:
    """No bot comes on its own."""
    assert line().bots_due() is None


@given(st.lists(st.sampled_from(["join", "leave", "take", "stay"]), max_size=40), st.integers(3, 4))
def test_nobody_is_lost_or_seated_twice(steps: list[str], seats: int) -> None:
    """Everybody who came waits, was seated or left, and is in one place only."""
    waiting = line(seats=seats)
    came, gone, driver = 0, set[str](), list[str]()
    for now, step in enumerate(steps):
        match step:
            case "join":
                waiting.join(f"p{came}", float(now))
                came += 1
            case "leave" if len(waiting):
                player = next(iter(waiting))
                waiting.leave(player)
                gone.add(player)
            case "take" if waiting.missing <= 0:
                taken = waiting.take()
                assert len(taken) == seats
                driver += taken
            case "stay":
                waiting.stay(driver, float(now))
                driver = []
    everybody = [*waiting, *driver, *gone]
    assert sorted(everybody) == sorted(f"p{number}" for number in range(came))
    assert waiting.missing == seats - len(waiting)


@pytest.mark.parametrize(
    ("games", "answered", "stays"),
    [
        (1, [True], [False]),
        (3, [True, True, True], [True, True, False]),
        (3, [True, False], [True, False]),
        (0, [True] * 5, [True] * 5),
        (0, [False], [False]),
    ],
)
def test_who_stays_for_another_game(games: int, answered: list[bool], stays: list[bool]) -> None:
    """A client stays for as many games as it asked for (0: any number), unless it was away for a whole game."""
    left = GamesLeft(games)
    for has_answered, expected in zip(answered, stays, strict=True):
        left.begin()
        if has_answered:
            left.answered()
        assert left.end() is expected
