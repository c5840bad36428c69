"""Bots for each dialect of mjai, which follow their hand only by the messages that they receive."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from random import Random
from typing import Any

from ump.model.actions import Riichi
from ump.model.notation import parse_mjai_face
from ump.model.tiles import KIND_OF, KINDS
from ump.rules.analysis import shanten
from ump.wire.mjai.actions import cannot_dahai, complete_offers
from ump.wire.mjai.session_base import MjaiSession, PendingQuestion

Said = dict[str, Any]

NONE: Said = {"type": "none"}

EAGERNESS = {"hora": 0.95, "reach": 0.9, "ankan": 0.8, "kakan": 0.8, "daiminkan": 0.6, "ryukyoku": 0.5}
"""The chance to take an offer of each type."""

CALLING = 0.3


class Memory:
    """The knowledge of a bot: its seat, its hand, and the events."""

    def __init__(self) -> None:
        self.id = -1
        self.hand: list[str] = []
        self.drawn: str | None = None
        self.in_riichi = False
        self.story: list[Said] = []
        """Every event, without hints."""

    def see(self, said: Mapping[str, Any]) -> None:
        """Take an event. A tile that leaves the hand must have been in it."""
        event = {key: value for key, value in said.items() if key not in ("possible_actions", "cannot_dahai")}
        event.pop("can_act", None)
        self.story.append(event)
        if said["type"] == "start_game":
            self.id = said["id"]
        elif said["type"] == "start_kyoku":
            self.hand, self.drawn, self.in_riichi = list(said["tehais"][self.id]), None, False
            assert len(self.hand) == 13
        elif said.get("actor") == self.id:
            self._act(said)

    def _act(self, said: Mapping[str, Any]) -> None:
        if said["type"] == "tsumo":
            self.drawn = said["pai"]
            self.hand.append(said["pai"])
        elif said["type"] in ("chi", "pon", "daiminkan", "ankan"):
            self._lose(*said["consumed"])
        elif said["type"] == "kakan":
            self._lose(said["pai"])
        elif said["type"] == "dahai":
            assert not said["tsumogiri"] or said["pai"] == self.drawn
            self._lose(said["pai"])
        elif said["type"] == "reach_accepted":
            self.in_riichi = True

    def _lose(self, *tiles: str) -> None:
        for tile in tiles:
            self.hand.remove(tile)
        self.drawn = None


class Bot:
    """A bot that nearly always takes wins, riichi and kans, sometimes calls, and discards for the lowest shanten."""

    def __init__(self, chance: Random) -> None:
        self.memory = Memory()
        self._chance = chance

    def choose(self, offers: Sequence[Said]) -> Said | None:
        """Return one of these offers, none of which is a discard, or None."""
        for offer in offers:
            if self._chance.random() < EAGERNESS.get(offer["type"], CALLING):
                return {"actor": self.memory.id, **offer}
        return None

    def discard(self, forbidden: Sequence[str] = ()) -> Said:
        """Discard a tile that is not forbidden; in riichi the drawn one."""
        memory = self.memory
        allowed = [tile for tile in memory.hand if tile not in forbidden]
        tile = memory.drawn if memory.in_riichi else min(allowed, key=self._distance)
        assert tile is not None
        tsumogiri = tile == memory.drawn and (memory.in_riichi or memory.hand.count(tile) == 1)
        return {"type": "dahai", "actor": memory.id, "pai": tile, "tsumogiri": tsumogiri}

    def _distance(self, tile: str) -> tuple[int, bool]:
        kinds = [0] * KINDS
        for held in self.memory.hand:
            kinds[KIND_OF[parse_mjai_face(held)]] += 1
        kinds[KIND_OF[parse_mjai_face(tile)]] -= 1
        return shanten(kinds), tile.endswith("r")


class LockstepBot(Bot):
    """A bot like gimite's: one reply to each line."""

    def __init__(self, chance: Random, room: str = "default") -> None:
        super().__init__(chance)
        self._room = room

    def hear(self, message: str) -> list[str]:
        """Reply to a line."""
        said = json.loads(message)
        if said["type"] == "hello":
            return [json.dumps({"type": "join", "name": "bot", "room": self._room})]
        self.memory.see(said)
        return [json.dumps(self._reply(said))]

    def _reply(self, said: Said) -> Said:
        chosen = self.choose(said.get("possible_actions", ()))
        if said.get("actor") != self.memory.id:
            return chosen or NONE
        if said["type"] == "tsumo":
            return chosen or self.discard()
        if said["type"] in ("chi", "pon", "reach"):
            return self.discard(said["cannot_dahai"])
        return NONE


class _Prompted(Bot):
    """A bot whose dialect has no offers: it reads the legal actions from the session."""

    def __init__(self, chance: Random, session: MjaiSession) -> None:
        super().__init__(chance)
        self._session = session

    def _act(self, last: Said) -> Said:
        opened = self._session._open
        if opened is None:
            return NONE
        own = last["actor"] == self.memory.id
        if opened.riichi:
            assert last["type"] == "reach"
            return self.discard(cannot_dahai(opened.asked, opened.riichi))
        chosen = None if opened.asked.is_after_call else self.choose(complete_offers(opened.asked))
        return chosen or (self.discard(_forbidden(opened)) if own else NONE)


def _forbidden(opened: PendingQuestion) -> list[str]:
    legal = [action for action in opened.asked.question.legal() if not isinstance(action, Riichi)]
    return cannot_dahai(opened.asked, legal)


class BatchBot(_Prompted):
    """A bot like those for mjai.app: one reply to each array."""

    def hear(self, message: str) -> list[str]:
        """Reply to an array."""
        events = json.loads(message)
        assert isinstance(events, list)
        for event in events:
            self.memory.see(event)
        return [json.dumps(self._act(events[-1]))]


class LinesBot(_Prompted):
    """A bot like Mortal: it replies to the lines on which it can act."""

    def hear(self, message: str) -> list[str]:
        """Reply to a line on which the bot can act."""
        said = json.loads(message)
        self.memory.see(said)
        if said.get("can_act", True):
            assert self._session._open is not None
            return [json.dumps({**self._act(said), "meta": {"q_values": [0.5], "shanten": 1}})]
        return []


class RequestBot(Bot):
    """A client like RiichiLab's: it replies to requests, with or without their ids."""

    def __init__(self, chance: Random, *, with_id: bool = True) -> None:
        super().__init__(chance)
        self._with_id = with_id
        self.acknowledged: list[Said] = []
        self.result: Said | None = None

    def hear(self, message: str) -> list[str]:
        """Reply to a request."""
        said = json.loads(message)
        if said["type"] == "action_ack":
            self.acknowledged.append(said)
        elif said["type"] == "validation_result":
            self.result = said
        elif said["type"] == "request_action":
            reply = self._answer(said["possible_actions"])
            return [json.dumps({**reply, "request_id": said["request_id"]} if self._with_id else reply)]
        else:
            self.memory.see(said)
        return []

    def _answer(self, offers: list[Said]) -> Said:
        discards = {offer["pai"] for offer in offers if offer["type"] == "dahai"}
        chosen = self.choose([offer for offer in offers if offer["type"] not in ("dahai", "none")])
        if chosen is not None:
            return chosen
        if not discards:
            assert {"type": "none"} in offers
            return NONE
        return self.discard([tile for tile in self.memory.hand if tile not in discards])


class StrictBot(RequestBot):
    """A client that writes its actions as riichienv does, and answers only what equals an offer, field by field."""

    def _answer(self, offers: list[Said]) -> Said:
        calls = [offer for offer in offers if offer["type"] not in ("dahai", "none")]
        known = list(self._known())
        assert all(offer in known for offer in calls), (calls, known)
        return super()._answer(offers)

    def _known(self) -> Iterator[Said]:
        """Yield all actions that the hand and the last event may allow."""
        yield from ({"type": name} for name in ("hora", "reach", "ryukyoku"))
        last = self.memory.story[-1]
        if last["actor"] == self.memory.id:
            yield from self._kans()
        else:
            yield from self._calls(last["pai"])

    def _kans(self) -> Iterator[Said]:
        hand, story = self.memory.hand, self.memory.story
        for tile in hand:
            yield {"type": "kita", "pai": tile}
            own = _equal(hand, tile)
            yield {"type": "ankan", "pai": own[0], "consumed": own}
            for said in story:
                if said["type"] == "pon" and said["actor"] == self.memory.id:
                    pon = _equal([said["pai"], *said["consumed"]], tile)
                    yield {"type": "kakan", "pai": tile, "consumed": pon}

    def _calls(self, pai: str) -> Iterator[Said]:
        own = _equal(self.memory.hand, pai)
        yield {"type": "daiminkan", "pai": pai, "consumed": own}
        yield from ({"type": "pon", "pai": pai, "consumed": list(pair)} for pair in combinations(own, 2))
        for low, high in ((-2, -1), (-1, 1), (1, 2)):
            for pair in product(self._beside(pai, low), self._beside(pai, high)):
                yield {"type": "chi", "pai": pai, "consumed": list(pair)}

    def _beside(self, pai: str, step: int) -> list[str]:
        """Return the held tiles so many steps above a tile."""
        return _equal(self.memory.hand, f"{int(pai[0]) + step}{pai[1]}") if pai[0].isdigit() else []


def _equal(tiles: Sequence[str], tile: str) -> list[str]:
    """Return the tiles that are equal to one, red fives first."""
    return sorted((each for each in tiles if each.rstrip("r") == tile.rstrip("r")), key=lambda each: each[-1] != "r")
