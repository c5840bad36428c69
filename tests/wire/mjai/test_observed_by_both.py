"""The same games on riichienv's engine: at every question, its own observation and its own offers equal ours."""

from __future__ import annotations

import json
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any

import pytest
from support.rows import each_row

pytest.importorskip("riichienv", reason="riichienv is not installed: pip install -e '.[oracle]'")

from support.budgets import few
from support.engine_comparison import POLICIES, EngineComparison
from support.policies import helpful_deals
from support.second_engine import FACES, SecondKyoku, Steps

from ump.game.deals import seeded_deals
from ump.model.actions import Action
from ump.model.events import Event
from ump.model.seats import Seat
from ump.model.tiles import Face, Tile
from ump.rules.analysis import waits
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.table.view import view
from ump.wire.mjai.actions import MjaiQuestion, minimal_offers
from ump.wire.mjai.events import MjaiNarrator
from ump.wire.mjai.riichienv_observation import ObservationWriter, face_of

Said = dict[str, Any]

TILES = ("dora_indicators", "last_tedashis", "riichi_sutehais")
"""Fields that are lists of tiles, or of None."""

HANDS = ("hands", "discards")
"""Fields with a list of tiles for each seat."""

ALONE = ("drawn_tile", "last_discard")

COMPARED = ("type", "actor", "pai", "tsumogiri", "target", "consumed", "dora_marker", "bakaze", "kyoku", "honba", "oya")
"""The fields of an event that are compared. The second engine adds a tile to closed kans, and has another order of
tiles."""


class ObservedByBoth(EngineComparison):
    """Compares our observation of each seat that is asked with the observation of the second engine."""

    def __init__(self, preset: str, seed: str, policy: str) -> None:
        chance = Random(seed)
        deals = helpful_deals(seed) if policy == "single-minded" else seeded_deals(seed)
        policies = [POLICIES[policy](chance) for _ in range(4)]
        super().__init__(PRESETS[preset], policies, deals, chance, Counter())
        self._observers = [ObservationWriter(seat, PRESETS[preset], waits) for seat in range(4)]
        self._narrators = [MjaiNarrator(seat) for seat in range(4)]
        self.compared = 0

    def _see(self, events: Iterable[Event]) -> None:
        events = list(events)
        super()._see(events)
        for seat, (observer, narrator) in enumerate(zip(self._observers, self._narrators, strict=True)):
            for event in events:
                seen = view(event, seat)
                observer.see(seen)
                message = narrator.tell(seen)
                if message is not None:
                    observer.add_message(message)

    def _compared_offers(self, second: SecondKyoku) -> dict[Seat, dict[Action, Steps]]:
        offers = super()._compared_offers(second)
        for seat, question in self._game.questions.items():
            ours = in_faces(self._observed(seat, question), face_of)
            theirs = in_faces(second._asked[seat].serialize_to_base64(), FACES.__getitem__)
            for field, said in theirs.items():
                if ours[field] != said:
                    raise self._differ(f"{field} of {seat}, asked to {question.phase.value}", ours[field], said)
            self.compared += 1
        return offers

    def _observed(self, seat: Seat, question: Question) -> str:
        asked = MjaiQuestion(seat, self._narrators[seat].source, question)
        return self._observers[seat].write(asked, question.legal())


def in_faces(observation: str, face: Callable[[Tile], Face]) -> Said:
    """Read an observation, with faces for tiles, without parts that may differ (see ``COMPARED`` and ``_events``)."""
    content: Said = json.loads(b64decode(observation))

    def seen(tile: Tile | None) -> Face | None:
        return None if tile is None else face(tile)

    content |= {field: seen(content[field]) for field in ALONE}
    content |= {field: list(map(seen, content[field])) for field in TILES}
    content |= {field: [list(map(seen, tiles)) for tiles in content[field]] for field in HANDS}
    for meld in (meld for melds in content["melds"] for meld in melds):
        meld |= {"tiles": list(map(seen, meld["tiles"])), "called_tile": seen(meld["called_tile"])}
    for action in content["_legal_actions"]:
        action |= {"tile": seen(action["tile"]), "consume_tiles": list(map(seen, action["consume_tiles"]))}
    content["_legal_actions"] = _actions(content["_legal_actions"])
    content["events"] = _events([json.loads(event) for event in content["events"]])
    if any(meld["meld_type"].endswith("kan") for meld in content["melds"][content["player_id"]]):
        _sort_hand(content)
    return content


def _actions(actions: Iterable[Said]) -> list[Said]:
    """Return the actions without calls that differ only in copies of equal tiles, which the second engine lists."""
    kept: list[Said] = []
    for action in actions:
        if action["action_type"] == "Discard" or action not in kept:
            kept.append(action)
    return kept


def _events(events: list[Said]) -> list[Said]:
    """Return the events of this kyoku since its last riichi: the second engine starts its list at both."""
    starts = [place for place, event in enumerate(events) if event["type"] in ("start_kyoku", "reach")]
    return [_compared(event) for event in events[starts[-1] + 1 if starts else 0 :]]


def _compared(event: Mapping[str, Any]) -> Said:
    compared = {key: event[key] for key in COMPARED if key in event}
    if "consumed" in compared:
        compared["consumed"] = sorted(compared["consumed"])
    if event["type"] == "ankan":
        compared.pop("pai", None)
    return compared


def _sort_hand(content: Said) -> None:
    """Sort a hand and its discards: after a kan the second engine does not sort the tile that was drawn before it."""
    hand: list[Face] = content["hands"][content["player_id"]]
    hand.sort()
    content["_legal_actions"].sort(key=lambda action: (action["action_type"], action["tile"] or 0))


@each_row("policy", ["eager", "efficiency", "single-minded"])
def test_both_engines_write_the_same_observation(policy: str) -> None:
    """Every field is equal throughout a hanchan with Tenhou's rules."""
    game = ObservedByBoth("tenhou", f"observed by both/{policy}", policy)
    game.play()
    assert game.compared > 300


def test_a_field_that_differs_is_found() -> None:
    """With Mahjong Soul's rules the second engine always marks the dealer's first discard as one from the hand."""
    with pytest.raises(Exception, match="forced_tedashi of 0, asked to turn"):
        ObservedByBoth("majsoul", "observed by both", "eager").play()


class OfferedByBoth(EngineComparison):
    """Compares our offers to each seat that is asked with those of the second engine, field by field."""

    def __init__(self, preset: str, seed: str) -> None:
        chance = Random(seed)
        ruleset = PRESETS[preset]
        policies = [POLICIES["random"](chance) for _ in range(ruleset.seats)]
        super().__init__(ruleset, policies, seeded_deals(seed, ruleset.seats), chance, Counter())
        self.met: set[tuple[str, bool]] = set()
        """The types of the offers, and whether a red five stood before other tiles."""

    def _compared_offers(self, second: SecondKyoku) -> dict[Seat, dict[Action, Steps]]:
        offers = super()._compared_offers(second)
        for seat, question in self._game.questions.items():
            source = getattr(question, "source", seat)
            ours = minimal_offers(MjaiQuestion(seat, source, question))
            theirs = [json.loads(action.to_mjai()) for action in second._asked[seat].legal_actions()]
            assert {action.pop("actor") for action in theirs} == {seat}
            if keys(ours) != keys(theirs):
                raise self._differ(f"the offers to {seat}", keys(ours) - keys(theirs), keys(theirs) - keys(ours))
            assert len(keys(ours)) == len(ours)
            self.met |= {(offer["type"], "r" in offer.get("consumed", [""])[0]) for offer in theirs}
        return offers


def keys(messages: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return messages as texts that do not depend on the order of their fields."""
    return {json.dumps(message, sort_keys=True) for message in messages}


@pytest.mark.no_cover
def test_both_engines_write_the_same_offers() -> None:
    """Every field of every offer is equal but ``actor``, which ours leave out, in random games of four and of three."""
    met: set[tuple[str, bool]] = set()
    for seed in range(few(60)):
        game = OfferedByBoth("tenhou3" if seed % 4 == 3 else "tenhou", f"offered by both/{seed}")
        game.play()
        met |= game.met
    types = {"none", "dahai", "reach", "hora", "ryukyoku", "kita", "chi", "pon", "daiminkan", "ankan", "kakan"}
    assert {type_ for type_, _ in met} == types
    assert {type_ for type_, is_red_first in met if is_red_first} >= {"chi", "pon"}
