"""Whole games of mjai bots, in every dialect and mixed: the messages they receive and their order."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from support.budgets import some
from support.mjai_bots import Bot, RequestBot, Said
from support.mjai_games import TABLES, game
from support.rows import each_row

from ump.model.events import GameEnded

GAMES = [(table, seed) for table in TABLES for seed in some(range(6))]


@pytest.mark.no_cover
@each_row(("table", "seed"), GAMES)
def test_bots_play_to_the_end(table: str, seed: int) -> None:
    """Every offer is accepted, and all seats receive the same story in the right order."""
    played, seats = game(table, seed)
    assert isinstance(played.events[-1], GameEnded)
    assert not played.refused
    assert not played.defaulted
    for seat in seats:
        assert not seat.faults()
        assert isinstance(seat.client, Bot)
        story = seat.client.memory.story
        assert not wrong_order(story)
        assert_hidden(story, seat.client.memory.id)
        assert story[-1]["type"] == "end_game"
    stories = [seat.client.memory.story for seat in seats if isinstance(seat.client, Bot)]
    assert all(agree(one, other) for one, other in pairwise(stories))


@pytest.mark.no_cover
def test_every_seat_is_asked_every_time() -> None:
    """If a table asks every seat every time, a client that could only pass does not have to reply."""
    for table in TABLES:
        played, seats = game(table, 1, ask_all=True)
        assert isinstance(played.events[-1], GameEnded)
        assert not played.refused
        assert not any(seat.faults() for seat in seats)


def test_every_reply_is_acknowledged() -> None:
    """Every reply is acknowledged with its id, even a late one; without a fault the validation passes."""
    _, seats = game("request", 2)
    for seat in seats:
        assert isinstance(seat.client, RequestBot)
        requests = [said for said in map(json.loads, seat.heard) if said["type"] == "request_action"]
        ids = [said["request_id"] for said in requests]
        assert ids == sorted(set(ids))
        assert [said["request_id"] for said in seat.client.acknowledged] == ids
        assert {said["status"] for said in seat.client.acknowledged} <= {"accepted", "stale"}
        assert seat.client.result in ({"type": "validation_result", "passed": True}, None)
    assert isinstance(seats[0].client, RequestBot)
    assert seats[0].client.result is not None


# The order of messages

_AFTER: dict[str, frozenset[str]] = {
    "start_game": frozenset(("start_kyoku",)),
    "start_kyoku": frozenset(("tsumo",)),
    "tsumo": frozenset(("dahai", "reach", "ankan", "kakan", "hora", "ryukyoku", "dora")),
    "reach": frozenset(("dahai",)),
    "dahai": frozenset(("tsumo", "chi", "pon", "daiminkan", "hora", "ryukyoku", "reach_accepted", "dora")),
    "reach_accepted": frozenset(("tsumo", "chi", "pon", "daiminkan", "ryukyoku")),
    "chi": frozenset(("dahai",)),
    "pon": frozenset(("dahai",)),
    "daiminkan": frozenset(("tsumo", "dora")),
    "ankan": frozenset(("tsumo", "dora", "hora")),
    "kakan": frozenset(("tsumo", "dora", "hora")),
    "dora": frozenset(("tsumo", "dahai", "dora", "hora", "chi", "pon", "daiminkan", "ryukyoku")),
    "hora": frozenset(("hora", "end_kyoku")),
    "ryukyoku": frozenset(("end_kyoku",)),
    "end_kyoku": frozenset(("start_kyoku", "end_game")),
    "end_game": frozenset(),
}
"""The messages that may follow each message."""

_SAME_ACTOR = frozenset(
    (("reach", "dahai"), ("chi", "dahai"), ("pon", "dahai"), ("ankan", "tsumo"), ("kakan", "tsumo"))
)

_UNHEARD = frozenset(("hora", "ryukyoku"))
"""The messages that batches leave out."""


def wrong_order(story: list[Said]) -> list[tuple[Said, Said]]:
    """Return each message that may not follow the one before it."""
    hears_results = any(said["type"] in _UNHEARD for said in story)
    wrong = []
    for before, after in pairwise(story):
        names = (before["type"], after["type"])
        is_cut = not hears_results and after["type"] == "end_kyoku"
        if not is_cut and (
            names[1] not in _AFTER[names[0]] or (names in _SAME_ACTOR and before["actor"] != after["actor"])
        ):
            wrong.append((before, after))
    return wrong


def assert_hidden(story: list[Said], seat: int) -> None:
    """No seat receives the tiles of another seat's deal or draw."""
    for said in story:
        if said["type"] == "tsumo":
            assert (said["pai"] == "?") == (said["actor"] != seat)
        if said["type"] == "start_kyoku":
            hidden = [hand == ["?"] * 13 for hand in said["tehais"]]
            assert hidden == [other != seat for other in range(4)]
            assert len(said["scores"]) == 4


def kyokus(story: list[Said]) -> list[list[Said]]:
    """Return a story by kyoku, without hidden tiles and without messages that some dialects leave out."""
    parts: list[list[Said]] = [[]]
    for said in story:
        if said["type"] in _UNHEARD:
            continue
        masked = {key: value for key, value in said.items() if key not in ("id", "names", "tehais")}
        if said["type"] in ("tsumo", "end_game"):
            masked = {"type": said["type"], "actor": said.get("actor")}
        if said["type"] == "end_kyoku":
            parts.append([])
        else:
            parts[-1].append(masked)
    return parts


def agree(one: list[Said], other: list[Said]) -> bool:
    """Tell whether two stories are the same; a batch leaves out events on which the bot cannot act any more."""
    return all(
        first[: len(second)] == second[: len(first)] for first, second in zip(kyokus(one), kyokus(other), strict=True)
    )
