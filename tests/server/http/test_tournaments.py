"""The requests of a tournament's page: what each may see, and the orders of the director."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.memory_server import room, server_parts
from support.memory_site import memory_site
from twisted.internet.defer import maybeDeferred

from ump.database.database import file_place
from ump.server.http.api import PageSources
from ump.server.tournament_play import Events
from ump.server.tournaments import EventSettings, TournamentDatabase, carry_out, new_code, new_tournament

CUP = "/api/tournaments/cup"


def test_a_tournament_over_http(tmp_path: Path) -> None:
    """Only the director sees what is planned and gives orders; a guest is known by its code; wrong keys are counted."""
    database, code = TournamentDatabase(file_place(tmp_path / "club.sqlite")), new_code()
    made, key = new_tournament("cup", "Cup", "random", 2, EventSettings())
    database.create(made)
    for number in range(4):
        name = {"name": f"=player {number}", "code": code if number == 0 else new_code()}
        database.change("cup", lambda found, name=name: carry_out(found, "add", name))  # type: ignore[misc]
    with memory_site() as plain:
        events = Events(database, lambda: [room()], server_parts(plain.clock), maybeDeferred, None)
    events.load()
    director, guest = {"Authorization": f"Director {key}"}, {"Authorization": f"Entrant {code}"}
    with memory_site(sources=PageSources(list, list, None, maybeDeferred, events=events)) as site:

        def give(order: str, headers: dict[str, str] = director, **given: object) -> tuple[int, Any]:
            answer = site.fetch(f"{CUP}/{order}", headers, method="POST", body=json.dumps(given).encode())
            return answer.code, json.loads(answer.body) if answer.code == 200 else answer.text.strip()

        def seen(headers: dict[str, str] | None = None) -> Any:
            return json.loads(site.fetch(CUP, headers).body)

        listed = json.loads(site.fetch("/api/tournaments").body)
        assert listed == {"tournaments": [{"id": "cup", "name": "Cup", "state": "draft"}]}
        assert give("plan", orders=3) == (409, "somebody else has changed the tournament meanwhile; look at it again")
        assert give("publish", orders=4) == (422, "no round is planned")
        assert give("plan", orders=4)[0] == 200
        assert [len(seen(headers)["rounds"]) for headers in (director, guest, None)] == [1, 0, 0]
        assert give("publish", orders=5)[0] == 200
        assert (seen(guest)["me"], seen()["me"], seen(director)["director"], seen()["director"]) == (
            1,
            None,
            True,
            False,
        )
        tag = site.fetch(CUP).headers["etag"]
        assert [site.fetch(CUP, headers | {"If-None-Match": tag}).code for headers in ({}, guest)] == [304, 200]
        added = give("add", orders=6, name="Zoe")[1]["code"]
        assert seen({"Authorization": f"Entrant {added}"})["me"] == 5
        shown = site.fetch(f"{CUP}/standings.csv")
        assert "'=player 1" in shown.text and shown.headers["content-disposition"].endswith('"cup-standings.csv"')
        assert [site.fetch(f"{CUP}/{name}").code for name in ("results.csv", "export.json", "x.csv")] == [200, 200, 404]
        for headers, method, path, status in (
            ({}, "GET", "/api/tournaments/nix", 404),
            ({}, "POST", f"{CUP}/plan", 401),
            (guest, "POST", f"{CUP}/plan", 401),
            ({"Authorization": "Director x"}, "GET", CUP, 401),
            (director | {"Origin": "http://there.example"}, "POST", f"{CUP}/plan", 403),
            (director, "POST", f"{CUP}/x", 404),
            (director, "POST", f"{CUP}/plan", 400),
            (director, "PUT", CUP, 405),
        ):
            assert site.fetch(path, headers, method=method, body=b"{}").code == status, (method, path)
        assert key not in site.fetch(CUP, director).text
        guesses = [site.fetch(CUP, {"Authorization": f"Entrant {new_code()}"}).code for _ in range(60)]
        assert set(guesses) == {401, 429}
        assert [site.fetch(CUP, asked).code for asked in (director, {})] == [429, 200]
