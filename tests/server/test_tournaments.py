"""The orders of a tournament's director, their refusals, standings, and the database."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from support.rows import each_row

from ump.database.database import read_place
from ump.model.game_result import GameResult
from ump.server.tournaments import (
    MOST_ATTEMPTS,
    ORDERS,
    EventSettings,
    StaleError,
    TableState,
    Tournament,
    TournamentDatabase,
    TournamentError,
    as_csv,
    begun,
    carry_out,
    ended,
    event_key,
    lost,
    new_code,
    new_tournament,
    read_seating,
    read_tournament,
    result_rows,
    standing_rows,
    standings_of,
    tournament_data,
    written,
)
from ump.server.users.user_database import UserDatabase


def cup(players: int = 8, form: str = "swiss", rounds: int = 3, **play: Any) -> Tournament:
    """Return a tournament with guests."""
    found, _ = new_tournament("cup", "Cup", form, rounds, EventSettings(**play))
    found = replace(found, secret="5" * 64)
    for number in range(players):
        found = carry_out(found, "add", {"name": f"player {number + 1}", "code": new_code()})
    return found


def give(found: Tournament, *orders: str, **given: object) -> Tournament:
    """Give some orders."""
    for order in orders:
        found = carry_out(found, order, given)
    return found


def play(found: Tournament, table: int = 1, points: Sequence[int] = (40_000, 30_000, 20_000, 10_000)) -> Tournament:
    """Begin and end the game of a called table of the last published round."""
    number = len(found.published)
    at = found.table(number, table)
    assert at is not None
    key = event_key(found, number, at)
    found = begun(found, key, "cup-1001", at.played_by)
    return ended(found, key, GameResult(tuple(points), (1, 2, 3, 4), (500, 100, -100, -500)), "record")


def refusal(found: Tournament, order: str, **given: object) -> str:
    """Return why an order is refused."""
    with pytest.raises(TournamentError) as refused:
        carry_out(found, order, given)
    return str(refused.value)


def test_rounds_follow_each_other() -> None:
    """Each order waits for the one before it, and says for what; others change nothing."""
    found = cup()
    assert refusal(found, "publish") == "no round is planned"
    assert refusal(found, "start") == "no round is published"
    assert refusal(found, "finish") == "no round is published"
    found = give(found, "plan", "plan", "publish")
    assert found.state == "running" and len(found.rounds) == 1
    assert refusal(found, "plan") == "round 1 is not done: table 1 is ready"
    assert refusal(found, "void", table=1, reason="x") == "table 1 has not begun"
    found = give(found, "start")
    assert refusal(found, "pause", table=3) == "round 1 has no table 3"
    found = play(play(found), 2)
    assert refusal(found, "start") == "nothing is left to start: all these games run or are over"
    for _ in range(2):
        found = give(found, "plan", "publish", "start")
        found = play(play(found), 2)
    assert refusal(found, "plan") == "all 3 rounds are played or published"
    assert read_tournament(written(found)) == found
    found = give(found, "finish")
    assert refusal(found, "add", name="late") == "the tournament is finished"
    assert tournament_data(found)["secret"] == "5" * 64
    assert tournament_data(cup())["secret"] is None


def test_refusals_name_what_is_wrong() -> None:
    """Names, codes, kinds, seatings, and numbers that do not fill tables."""
    assert "18 players leave 2 without a table; add 2 bots" in refusal(cup(18), "plan")
    found = cup(4, "list")
    assert refusal(found, "add", name="player 1") == "'player 1' is entered already"
    assert "looks like" in refusal(found, "add", name="p1ayer 1", code=new_code())
    assert refusal(found, "add", name="Mika") == "a guest needs a code"
    for name in ("alice/akagi", "admin"):
        assert refusal(found, "add", name=name, code=new_code()) == f"{name!r} is not for such a player"
    assert "unknown built-in bot" in refusal(found, "add", name="Robo", kind="bot", policy="x")
    assert "unknown kind" in refusal(found, "add", name="Robo", kind="x")
    assert refusal(found, "plan") == "bring a seating: for each table the players by seat"
    rows = read_seating("round,east,south,west,north\n1,player 1,2,3,player 3\n")
    assert rows == [["player 1", "2", "3", "player 3"]]
    assert refusal(found, "plan", seating=rows) == "'player 3' has 2 seats in this round"
    assert refusal(found, "plan", seating=[["1", "2", "3"]]) == "table 1 has 3 players; expected 4"
    assert refusal(found, "plan", seating=[["1", "2", "3", "9"]]) == "there is no entrant '9'"
    assert refusal(give(found, "plan", seating=[["1", "2", "3", "4"]]), "x").startswith("unknown order")
    with pytest.raises(TournamentError, match="no spectators"):
        cup(duplicate=True, delay=5)
    late = give(give(cup(4), "plan"), "add", name="Mika", code=new_code())
    assert refusal(late, "publish") == "'Mika' has no seat in this round"
    for given in ({"tenths": 0}, {"tenths": True}, {"tenths": 5, "reason": "\x07"}, {"revoke": 1}):
        assert refusal(found, "penalty", entrant="player 1", **given)


def test_no_argument_breaks_an_order() -> None:
    """Whatever an argument is, an order is carried out, or refused in words."""
    found = give(cup(4), "plan", "publish")
    junks: tuple[object, ...] = (None, True, -1, 1.5, 10**9, "", "x" * 99, "1", [], [[]], [[1]], {})
    names = ("round", "table", "bots", "entrant", "by", "reason", "tenths", "revoke", "name", "kind", "policy")
    for order in ORDERS:
        for name in (*names, "team", "seating", "code"):
            for junk in junks:
                given = {"entrant": "1", "table": 1, "name": "Zoe", "kind": "bot", "reason": "x", "tenths": 5}
                with suppress(TournamentError):
                    assert read_tournament(written(carry_out(found, order, given | {name: junk})))


def test_standings_count_penalties_substitutes_and_replays() -> None:
    """A penalty counts until it is revoked; a voided game does not; a substitute has the result that was agreed."""
    found = give(cup(4, rounds=2, substitute=-300), "plan", "publish")
    first, second, *_ = found.rounds[0].tables[0].seats
    found = give(found, "substitute", entrant=str(second))
    found = play(give(found, "start"))
    found = give(found, "penalty", entrant=str(first), tenths=600, reason="late")
    totals = {each.player: each.total for each in standings_of(found)}
    assert totals[first] == -100 and totals[second] == -300
    (absent,) = [row for row in result_rows(found) if row["played_by"] == "bot"]
    assert (absent["result"], absent["place"], absent["points"]) == (-30.0, None, None)
    outcome = tournament_data(found)["rounds"][0]["tables"][0]["outcome"]
    assert (outcome["results"][1], outcome["places"][1], outcome["points"][1]) == (-300, None, None)
    assert refusal(found, "substitute", entrant=str(first)) == "the game at table 1 has begun; void it first"
    found = give(found, "penalty", revoke=1)
    assert standings_of(found)[0].player == first
    found = give(found, "void", table=1, reason="wrong seats")
    assert {each.total for each in standings_of(found)} == {0}
    table = found.rounds[0].tables[0]
    assert (table.state, table.attempt, table.voided[0].record) == (TableState.READY, 2, "record")
    with pytest.raises(TournamentError, match="does not count any more"):
        ended(found, "cup/1/1/1", GameResult(), None)
    for _ in range(MOST_ATTEMPTS - 2):
        found = give(found, "start")
        at = found.rounds[0].tables[0]
        found = lost(found, event_key(found, 1, at), "no result")
    found = play(give(found, "start"))
    assert "9 times" in refusal(found, "void", table=1, reason="x")
    assert [row["played_by"] for row in result_rows(found)].count("bot") == 1


def test_those_who_withdraw() -> None:
    """A bot plays where they have a seat; the next round is without them, and there may be nobody left."""
    found = give(cup(8), "plan", "publish")
    found = give(found, "withdraw", entrant="player 1")
    assert sum(who == 0 for table in found.rounds[0].tables for who in table.played_by) == 1
    found = give(found, "start")
    found = play(play(found), 2)
    assert "7 players leave 3" in refusal(found, "plan")
    for number in range(2, 9):
        found = give(found, "withdraw", entrant=f"player {number}")
    assert refusal(found, "plan") == "a tournament needs players"
    assert give(found, "finish").state == "finished"
    fixed = give(cup(8, "fixed", rounds=4), "plan")
    assert len(fixed.rounds) == 4
    assert refusal(fixed, "add", name="Mika", code=new_code()).startswith("the schedule is fixed already")
    fixed = give(give(fixed, "withdraw", entrant="player 1"), "publish")
    assert fixed.rounds[3].tables[0].played_by.count(0) + fixed.rounds[3].tables[1].played_by.count(0) == 1


def test_two_directors_and_a_database_of_two_programs(database: str) -> None:
    """A director who does not know the last order is told so; results of games make nothing stale.

    Users may be in the same database.
    """
    users = UserDatabase(read_place(database))
    users.add("alice", None, "2026-11-23T18:00:00Z")
    one, other = (TournamentDatabase(read_place(database)) for _ in range(2))
    assert one.revisions() == {}
    one.create(cup(4))
    with pytest.raises(TournamentError, match="there is a tournament 'cup'"):
        other.create(cup())
    planned = one.change("cup", lambda found: give(found, "plan", "publish", "start"), orders=4)
    with pytest.raises(StaleError):
        other.change("cup", lambda found: give(found, "plan"), orders=4)
    other.change("cup", play)
    assert one.revisions() == {"cup": planned.revision + 1}
    one.change("cup", lambda found: give(found, "plan"), orders=planned.orders)
    with pytest.raises(TournamentError, match="there is no tournament"):
        one.read("x")
    assert users.user("alice").name == "alice"


def test_no_cell_of_an_export_is_a_formula() -> None:
    """Names that a spreadsheet would calculate stand behind an apostrophe."""
    found = cup(0)
    for name in ("=1+1", "-2", "@x", "plain"):
        found = carry_out(found, "add", {"name": name, "code": new_code()})
    text = as_csv(standing_rows(found))
    assert all(f",'{name}," in text for name in ("=1+1", "-2", "@x")) and ",plain," in text
    assert json.dumps(tournament_data(found))
    assert as_csv([]) == ""


def test_who_withdraws_may_come_back() -> None:
    """Its tables that have not begun are its own again; the others are not."""
    found = give(cup(8, form="fixed"), "plan", "publish")
    found = give(found, "withdraw", entrant="player 1")
    found = give(found, "readmit", entrant="player 1")
    assert all(table.seats == table.played_by for each in found.rounds for table in each.tables)
    assert refusal(found, "readmit", entrant="player 1") == "'player 1' has not withdrawn"


def test_a_seating_in_which_not_everybody_plays() -> None:
    """Entrants without a row pause, without a result."""
    found = give(cup(8, form="list"), "plan", seating=[[1, 2, 3, 4]])
    found = play(give(give(found, "publish"), "start"))
    assert [row.total for row in standings_of(found) if row.player > 4] == [0] * 4
    assert read_tournament(written(found)) == found


@each_row("form", ["swiss", "random"])
def test_byes(form: str) -> None:
    """A round leaves out those with the fewest byes; they get the stated result, and no place."""
    found = cup(6, form=form, rounds=3, bye=-150)
    had: list[int] = []
    for _ in range(3):
        found = play(give(found, "plan", "publish", "start"))
        byes = found.published[-1].byes
        assert len(byes) == 2 and not {*byes} & {*found.published[-1].tables[0].seats}
        had += byes
    assert sorted(had) == [1, 2, 3, 4, 5, 6]
    assert all(sum(row.places) == 2 for row in standings_of(found))
    assert read_tournament(written(found)) == found
