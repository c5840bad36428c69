"""The waiting line of a room: its order, and the arrival of built-in bots."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.table.waiting_line import GamesLeft, WaitingLine


def line(*names: str, seats: int = 4) -> WaitingLine[str]:
    """Return a line that these players have joined one second after the other, from second 0 on."""
    waiting: WaitingLine[str] = WaitingLine(seats, 3.0, None)
    for second, name in enumerate(names):
        waiting.join(name, float(second))
    return waiting


def take(waiting: WaitingLine[str]) -> list[str]:
    """Remove the players of the next table from a line, and return them."""
    players = waiting.next_players
    for player in players:
        waiting.leave(player)
    return players


def test_players_are_seated_in_order_of_arrival() -> None:
    """The fifth player waits for the next table."""
    waiting = line("a", "b", "c", "d", "e")
    assert waiting.missing < 0
    assert take(waiting) == ["a", "b", "c", "d"]
    assert (list(waiting), waiting.missing) == (["e"], 3)


def test_players_that_stay_go_to_the_front_together() -> None:
    """Players who stay keep their order, before all waiting players."""
    waiting = line("a", "b")
    waiting.stay(["x", "y", "z"], 9.0)
    assert take(waiting) == ["x", "y", "z", "a"]


def test_a_player_that_leaves_is_forgotten() -> None:
    """A player who leaves is removed from the line."""
    waiting = line("a", "b", "c")
    waiting.leave("b")
    assert list(waiting) == ["a", "c"]


def test_bots_are_due_after_the_earliest_arrival() -> None:
    """Bots are due ``bots_after`` seconds after the arrival of the player who has waited longest."""
    waiting = line("a", "b")
    assert waiting.bots_due() == 3.0
    waiting.stay(["x"], 7.0)
    assert waiting.bots_due() == 3.0
    waiting.leave("a")
    assert waiting.bots_due() == 4.0


def test_players_that_stay_alone_need_not_wait() -> None:
    """Bots come at once to players who have just finished a game, unless somebody else waits with them."""
    waiting = line()
    waiting.stay(["x", "y"], 9.0)
    assert waiting.bots_due() == 9.0
    take(waiting)
    waiting.join("a", 10.0)
    waiting.stay(["x", "y"], 11.0)
    assert waiting.bots_due() == 13.0
    assert take(waiting) == ["x", "y", "a"]


def test_no_bots_are_due_in_an_empty_line() -> None:
    """No bots are due for an empty line."""
    assert line().bots_due() is None


@given(st.lists(st.sampled_from(["join", "leave", "take", "stay"]), max_size=40), st.integers(3, 4))
def test_players_are_neither_lost_nor_seated_twice(steps: list[str], seats: int) -> None:
    """Every player who came is waiting, seated or gone, and only one of these."""
    waiting = line(seats=seats)
    came, gone, seated = 0, set[str](), list[str]()
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
                taken = take(waiting)
                assert len(taken) == seats
                seated += taken
            case "stay":
                waiting.stay(seated, float(now))
                seated = []
    everybody = [*waiting, *seated, *gone]
    assert sorted(everybody) == sorted(f"p{number}" for number in range(came))
    assert waiting.missing == seats - len(waiting)


@each_row(
    ("games", "answered", "stays"),
    [
        (1, [True], [False]),
        (3, [True, True, True], [True, True, False]),
        (3, [True, False], [True, False]),
        (0, [True] * 5, [True] * 5),
        (0, [False], [False]),
    ],
)
def test_clients_stay_for_the_games_they_asked_for(games: int, answered: list[bool], stays: list[bool]) -> None:
    """A client stays for as many games as it asked for (0: any number), unless it answered nothing in a whole game."""
    left = GamesLeft(games)
    for has_answered, expected in zip(answered, stays, strict=True):
        left.begin()
        if has_answered:
            left.has_answered = True
        assert left.end() is expected
