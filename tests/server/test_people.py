"""People who let others see that they are here: presence, challenges, and rematches of games that are over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from support.memory_server import MemoryServer, Robot, memory_server, room
from support.memory_site import MemorySite, memory_site
from twisted.internet.defer import Deferred, maybeDeferred, succeed
from twisted.internet.task import Clock

from ump.server import people
from ump.server.http.api import PageSources
from ump.server.people import (
    CHALLENGE_SECONDS,
    NOT_HERE,
    REMATCH_SECONDS,
    SEEN_SECONDS,
    TOO_MANY_CHALLENGES,
    ChallengeRefused,
    People,
    id_of,
)
from ump.server.seat_tokens import hashes_of_guest
from ump.wire.session import TableWish

KEYS = {name: letter * 22 for name, letter in zip(("Mika", "Bob", "Eva"), "mbe", strict=True)}


def is_alice(name: str) -> Deferred[bool]:
    """Return whether a name is that of the only user."""
    return succeed(name == "alice")


@contextmanager
def opened() -> Iterator[tuple[MemoryServer, MemorySite]]:
    """Open a server with a room of one kyoku, and its pages; the name "alice" belongs to a user."""
    with memory_server(room(length="kyoku", house=["hard:2"], house_after=0, time="5+15")) as server:
        sources = PageSources(list, list, None, maybeDeferred, guests=server.lobby, is_reserved=is_alice)
        with memory_site(sources=sources) as site:
            yield server, site


def ask(site: MemorySite, method: str, path: str, name: str, given: object = None) -> tuple[int, Any]:
    """Return the status and the content of an answer to somebody's request below ``/api``."""
    headers = {"Authorization": f"Guest {KEYS[name]}", "Content-Type": "application/json"}
    body = b"" if given is None else json.dumps(given).encode()
    found = site.fetch(f"/api/{path}", headers, method=method, body=body)
    return found.code, json.loads(found.body) if found.body.startswith(b"{") else found.text.strip()


def test_only_those_who_want_it_are_seen() -> None:
    """They see each other, under names that belong to nobody else; a challenge leads to a table of its own."""
    with opened() as (server, site):
        assert ask(site, "POST", "me/here", "Mika", {"name": "Mika"}) == (200, {"people": [], "challenges": []})
        assert ask(site, "POST", "me/here", "Bob", {"name": "alice"})[0] == 409
        assert ask(site, "POST", "me/here", "Bob", {"name": "admin"})[0] == 409
        assert ask(site, "POST", "me/here", "Bob", {"name": ""})[0] == 400
        mika = {"id": id_of(hashes_of_guest(KEYS["Mika"])[0]), "name": "Mika", "is_playing": False}
        assert ask(site, "POST", "me/here", "Bob", {"name": "Bob"})[1]["people"] == [mika]
        status, made = ask(site, "POST", "tables", "Bob", {"person": mika["id"], "length": "kyoku", "bots": "easy"})
        assert status == 201
        assert server.lobby.find_table(made["code"]).card.bots == "easy"  # type: ignore[union-attr]
        called = ask(site, "POST", "me/here", "Mika", {"name": "Mika"})[1]
        assert called["challenges"] == [{"name": "Bob", "code": made["code"]}]
        assert ask(site, "DELETE", f"me/challenges/{made['code']}", "Mika")[1]["challenges"] == []
        assert ask(site, "POST", "tables", "Eva", {"person": mika["id"]}) == (409, NOT_HERE)  # Eva is not seen
        assert ask(site, "POST", "tables", "Eva", {"room": "mian"})[0] == 400
        assert ask(site, "DELETE", "me/here", "Mika")[1] == {"people": [], "challenges": []}
        assert ask(site, "POST", "me/here", "Bob", {"name": "Bob"})[1]["people"] == []


def test_the_same_people_play_again() -> None:
    """The first who wants it makes a table with the settings of the room, the second comes there, nobody else does."""
    with opened() as (server, site):
        peers = [server.enter(name, f"_person=1 _guest={KEYS[name]}") for name in ("Mika", "Bob")]
        server.clock.advance(0)
        game = server.table.name
        assert ask(site, "GET", f"me/rematch?game={game}", "Mika")[1] == {"possible": False, "wanting": []}
        server.play([Robot(peer) for peer in peers])
        assert ask(site, "GET", f"me/rematch?game={game}", "Mika")[1] == {"possible": True, "wanting": []}
        status, made = ask(site, "POST", f"me/rematch?game={game}", "Mika")
        assert status == 201
        card = server.lobby.find_table(made["code"]).card  # type: ignore[union-attr]
        assert (card.length, card.clock, card.bots) == ("kyoku", "5+15", "hard")
        assert ask(site, "GET", f"me/rematch?game={game}", "Bob")[1] == {"possible": True, "wanting": ["Mika"]}
        assert ask(site, "POST", f"me/rematch?game={game}", "Bob")[1] == made
        assert ask(site, "POST", f"me/rematch?game={game}", "Eva")[0] == 404
        server.clock.advance(REMATCH_SECONDS + 1)
        assert ask(site, "GET", f"me/rematch?game={game}", "Bob")[1]["possible"] is False


def test_everything_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """People, their challenges, and games; a person who gives no sign is away, unless it plays."""
    monkeypatch.setattr(people, "MOST_PEOPLE", 8)
    monkeypatch.setattr(people, "MOST_GAMES", 2)
    clock = Clock()
    found = People(clock)
    for number in range(10):
        found.see([f"{number}"], f"n{number}")
    assert [each.name for each in found.others(["9"])] == [f"n{number}" for number in range(2, 9)]
    for number in range(2, 7):
        found.challenge([f"{number}"], id_of("9"), f"code{number}")
    found.challenge(["6"], id_of("7"), "other")
    with pytest.raises(ChallengeRefused, match=TOO_MANY_CHALLENGES):
        found.challenge(["7"], id_of("9"), "code7")
    clock.advance(SEEN_SECONDS + 1)
    assert found.others(["9"]) == []
    with pytest.raises(ChallengeRefused, match=NOT_HERE):
        found.challenge(["9"], id_of("8"), "code")
    found.is_playing = lambda hashes: hashes == ["8"]
    assert [(each.name, each.is_playing) for each in found.others(["9"])] == [("n8", True)]
    assert len(found.challenges(["9"])) == 5
    clock.advance(CHALLENGE_SECONDS)
    assert found.challenges(["9"]) == []
    for game in "abc":
        found.note_game(game, {"1": "x", "2": "y"}, TableWish(), "main")
    assert [found.rematch(game, ["1"]) is not None for game in "abc"] == [False, True, True]
