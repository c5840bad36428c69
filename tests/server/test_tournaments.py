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
    names = (
        "round",
        "table",
        "bots",
        "entrant",
        "by",
        "reason",
        "tenths",
        "revoke",
        "name",
        "kind",
        "policy",
        "missed",
    )
    for order in ORDERS:
        for name in (*names, "team", "seating", "code", "seats", "seconds", "points", "results"):
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
    counted = {each.player: each.total for each in standings_of(found)}
    assert counted[first] == -100 and counted[second] == -300
    (absent,) = [row for row in result_rows(found) if row["played_by"] == "bot"]
    assert (absent["result"], absent["place"], absent["points"]) == (-30.0, None, None)
    assert [each.best for each in standings_of(found) if each.player == second] == [0]
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
    assert {row["place"] for row in standing_rows(found)} == {None}  # nobody has played
    assert as_csv([]) == ""


def seats_of(found: Tournament, table: int = 1) -> tuple[int, ...]:
    """Return the entrants of a table of the last published round by seat."""
    at = found.table(len(found.published), table)
    assert at is not None
    return at.seats


def totals(found: Tournament) -> dict[int, int]:
    """Return the total of each entrant in tenths, after a look at whether the exported results add up to it."""
    shown = {each.player: each.total for each in standings_of(found)}
    exported = dict.fromkeys(shown, 0.0)
    numbers = {entrant.name: entrant.number for entrant in found.entrants}
    for row in result_rows(found):
        exported[numbers[row["name"]]] += row["result"] or 0.0
    assert {number: round(10 * total) for number, total in exported.items()} == shown
    return shown


def test_seats_that_were_wrong() -> None:
    """A game that has begun is played again with other seats; who comes changes places with who leaves."""
    found = give(cup(8, "list"), "plan", seating=[[1, 2, 3, 4], [5, 6, 7, 8]])
    found = give(found, "publish")
    assert refusal(found, "reseat", table=1, seats=[1, 2, 3, 4], reason="x") == "these are the seats of table 1 already"
    assert "has 2 seats" in refusal(found, "reseat", table=1, seats=[1, 1, 3, 4], reason="x")
    assert "bring the seats" in refusal(found, "reseat", table=1, reason="x")
    waiting = give(found, "reseat", table=1, seats=[2, 1, 3, 4], reason="x")
    assert waiting.rounds[0].tables[0].attempt == 1 and waiting.rounds[0].tables[0].voided == ()
    found = give(give(found, "substitute", entrant="2"), "start")
    for number in (1, 2):
        at = found.table(1, number)
        assert at is not None
        found = begun(found, event_key(found, 1, at), "cup-1001", at.played_by)
    found = give(found, "reseat", table=1, seats=[2, 1, 3, 5], reason="the wrong table")
    assert (seats_of(found, 1), seats_of(found, 2)) == ((2, 1, 3, 5), (4, 6, 7, 8))
    first, second = found.rounds[0].tables
    assert first.played_by == (0, 1, 3, 5) and first.state is second.state is TableState.READY
    assert [each.reason for each in first.voided + second.voided] == ["the wrong table"] * 2
    assert "has no result" in refusal(found, "void", table=1, revoke=1)
    back = give(found, "reseat", table=1, seats=[1, 2, 3, 4], reason="they were right")
    assert (seats_of(back, 1), seats_of(back, 2)) == ((1, 2, 3, 4), (5, 6, 7, 8))
    called = give(give(back, "start"), "reseat", table=1, seats=[2, 1, 3, 4], reason="x").rounds[0].tables[0]
    assert (called.state, called.attempt, len(called.voided)) == (TableState.CALLED, 3, 1)
    assert read_tournament(written(found)) == found


def test_seats_for_those_who_have_none() -> None:
    """An entrant with a bye, or a late one, takes a seat; a substitute of another table does not."""
    found = give(cup(6, rounds=2, bye=-150), "plan", "publish")
    (bye, other), seats = found.rounds[0].byes, seats_of(found)
    found = give(found, "reseat", table=1, seats=[bye, *seats[1:]], reason="x")
    assert found.rounds[0].byes == (seats[0], other)
    found = give(give(found, "add", name="Zoe", code=new_code()), "substitute", entrant=str(seats[1]), by="Zoe")
    taken = [bye, "Zoe", *seats[2:]]
    assert seats_of(give(found, "reseat", table=1, seats=taken, reason="x")) == (bye, 7, *seats[2:])
    wrong = [bye, seats[1], "Zoe", seats[3]]
    assert refusal(found, "reseat", table=1, seats=wrong, reason="x") == "'Zoe' plays for somebody else in this round"
    found = give(found, "withdraw", entrant=str(seats[1]))
    assert "has withdrawn" in refusal(found, "substitute", entrant=str(seats[1]), by=str(seats[1]))


def test_more_time_for_a_table() -> None:
    """It lasts until the game is over or played again, and 0 takes it back."""
    found = give(cup(4), "plan", "publish")
    found = give(found, "time", table=1, seconds=60)
    assert tournament_data(found)["rounds"][0]["tables"][0]["extra"] == 60
    assert give(found, "time", table=1, seconds=0).rounds[0].tables[0].extra == 0
    assert refusal(found, "time", table=1, seconds=3_601) == "expected 0 to 3600 seconds"
    found = play(give(found, "start"))
    assert refusal(found, "time", table=1, seconds=5) == "the game at table 1 is over"
    assert give(found, "void", table=1, reason="x").rounds[0].tables[0].extra == 0


def test_a_voided_game_may_count_again() -> None:
    """As long as the next one has not begun; the number of a game is never used twice."""
    found = play(give(cup(4), "plan", "publish", "start"))
    before = totals(found)
    assert any(before.values())
    found = give(found, "void", table=1, reason="the wrong table")
    assert not any(totals(found).values())
    assert refusal(found, "void", table=1, revoke=2) == "table 1 has no game 2 that was voided"
    again = play(give(found, "start"))
    assert refusal(again, "void", table=1, revoke=1) == "the next game at table 1 has begun; void it first"
    again = give(give(again, "void", table=1, reason="a fault"), "void", table=1, revoke=1)
    assert totals(again) == totals(give(found, "void", table=1, revoke=1)) == before
    assert [each.attempt for each in again.rounds[0].tables[0].voided] == [2]
    assert give(again, "void", table=1, reason="x").rounds[0].tables[0].attempt == 3
    old = json.loads(written(again))
    for key in ("seats", "played_by", "result", "correction"):
        del old["rounds"][0]["tables"][0]["voided"][0][key]
    assert read_tournament(json.dumps(old)).rounds[0].tables[0].voided[0].result is None


def test_a_result_by_hand() -> None:
    """Points count as the preset says, or with stated results; a table without a game may have one, too."""
    found = play(give(cup(4, rules="wrc", rounds=2), "plan", "publish", "start"))
    first, points = seats_of(found)[0], [10_000, 20_000, 30_000, 60_000]
    given = {"table": 1, "points": points, "reason": "seats 1 and 4 were exchanged"}
    assert "other rules than 'wrc'" in refusal(found, "correct", **given)
    given["results"] = [-350, -150, 50, 450]
    found = give(found, "correct", **given)
    assert totals(found)[first] == -350 and standing_rows(found)[3]["place_4"] == 1
    outcome = tournament_data(found)["rounds"][0]["tables"][0]["outcome"]
    assert (outcome["points"], outcome["corrected"]) == (points, given["reason"])
    assert totals(give(found, "correct", table=1, revoke=True))[first] == 500
    voided = give(found, "void", table=1, reason="x")
    assert totals(give(voided, "void", table=1, revoke=1)) == totals(found)
    assert read_tournament(written(voided)) == voided and read_tournament(written(found)) == found
    found = give(found, "plan", "publish")
    for wrong in ([60_000, 30_000, 20_000, 9_900], [60_000, 30_000, 30_000, 10_000], [60_000, 60_000]):
        assert refusal(found, "correct", table=1, points=wrong, reason="paper")
    paper = give(found, "correct", table=1, points=[60_000, 30_000, 20_000, 10_000], reason="played on paper")
    assert paper.rounds[1].is_done and totals(paper)[seats_of(paper)[0]] == 450 + totals(found)[seats_of(paper)[0]]
    back = give(paper, "correct", table=1, revoke=True)
    assert back.rounds[1].tables[0].state is TableState.READY and totals(back) == totals(found)
    assert refusal(back, "correct", table=1, revoke=True) == "the result of table 1 is not corrected"
    assert "is called" in refusal(give(back, "start"), "correct", table=1, points=points, reason="x")


def test_late_entrants(monkeypatch: pytest.MonkeyPatch) -> None:
    """They have a stated result for each round that they missed; who leaves before any seat was never there."""
    monkeypatch.setattr("ump.arena.tournament.STEPS", 400)  # a good schedule takes seconds
    found = play(give(cup(4, "fixed", rounds=5), "plan", "publish", "start"))
    for name in ("Ann", "Bob", "Eva", "Zoe"):
        found = give(found, "add", name=name, code=new_code(), missed=-150)
    assert totals(found)[8] == -150
    assert refusal(found, "publish") == "'Ann' has no seat in this round"
    found = give(found, "plan", "publish")
    assert len(found.rounds) == 5 and sorted(found.rounds[1].seated) == [*range(1, 9)]
    mistake = give(give(found, "add", name="Typo", code=new_code(), missed=-150), "withdraw", entrant="Typo")
    assert totals(mistake) == totals(found)
    assert totals(give(mistake, "readmit", entrant="Typo"))[9] == -300
    assert read_tournament(written(found)) == found


def test_each_order_is_in_the_log() -> None:
    """With its instant, its round, and its arguments but codes; the director alone sees it."""
    found = cup(4)
    orders: tuple[tuple[str, dict[str, object]], ...] = (
        ("add", {"name": "Zoe", "code": "ABCD2345", "policy": "\x07\t" + 9_000 * "x"}),
        ("withdraw", {"entrant": "Zoe"}),
        ("plan", {}),
        ("publish", {}),
        ("time", {"table": 1, "seconds": 60}),
        ("start", {"bots": True}),
        ("pause", {"table": 1}),
        ("correct", {"table": 1, "points": [100_000, 0, 0, 0], "reason": "played on paper"}),
    )
    for order, given in orders:
        found = carry_out(found, order, given, "2026-11-28T08:00:00Z")
    assert [each.text for each in found.log[4:]] == [
        "add name Zoe, policy ? " + 158 * "x",
        "withdraw entrant Zoe",
        "plan",
        "publish",
        "time round 1, table 1, seconds 60",
        "start round 1, bots",
        "pause round 1, table 1",
        "correct round 1, table 1, points 100000 0 0 0, reason played on paper",
    ]
    assert [each.number for each in found.log] == [*range(1, 13)] and found.log[-1].at == "2026-11-28T08:00:00Z"
    assert len(tournament_data(found, is_director=True)["log"]) == 12 and tournament_data(found)["log"] == []
    assert read_tournament(written(found)) == found


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
