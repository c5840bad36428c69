"""The field ``ump`` that our writers add to formats of other programs, for facts that those have no place for.

It is one JSON object; the readers of the other programs skip it. ``rules`` has each field of the rules as a text, as in
a journal; ``results`` has the final results in tenths of a thousand points, and ``places`` the final places; ``dice``
has the two dice of each kyoku, ``fu`` the fu of each win, and ``own_counting`` is true for lobbies that count more
than points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ump.model import events as ev
from ump.record.hand_values import MOST_FU
from ump.record.recorded_game import RecordedGame, RecordedKyoku, RecordError
from ump.rules.options import OPTIONS, RulesetError
from ump.rules.ruleset import Ruleset
from ump.wire.json_text import JSON

FIELD = "ump"
"""The name of the field."""

MOST_NAME = 200
"""Limit of the name of rules, in characters."""

UNKNOWN_DICE = [1, 1]
"""The result of readers for dice that the record does not state."""

MOST_RESULT = 10_000_000
"""Limit of a result, in tenths of a thousand points."""


def written_rules(ruleset: Ruleset) -> dict[str, str]:
    """Return every field of a ruleset as a text."""
    return {"name": ruleset.name} | {field: option.format(ruleset) for field, option in OPTIONS.items()}


def read_rules(given: object) -> Ruleset:
    """Return the ruleset that these texts describe; raise RecordError if they are no rules."""
    if not isinstance(given, Mapping):
        raise RecordError("rules: expected an object")
    texts = {str(key).replace("-", "_"): text for key, text in given.items() if key != "name"}
    unknown = sorted(field[:40] for field in set(texts) - set(OPTIONS))
    if unknown:
        raise RecordError(f"rules: unknown rule {unknown[0]!a}")
    name = given.get("name", "")
    if not isinstance(name, str) or len(name) > MOST_NAME or not all(isinstance(text, str) for text in texts.values()):
        raise RecordError("rules: expected texts")
    if not name.isprintable():  # it is shown on terminals
        raise RecordError("rules: name: a character that cannot be printed")
    try:
        parsed: dict[str, Any] = {field: OPTIONS[field].parse(text) for field, text in texts.items()}
    except RulesetError as error:
        raise RecordError(f"rules: {error}") from None
    return Ruleset(name=name, **parsed)


def own_fields(game: RecordedGame, *, with_fu: bool = False) -> dict[str, object]:
    """Return the content of the field for a game; empty if the record says nothing of it.

    ``with_fu`` adds the fu of all wins, for formats that lack them at the limits.
    """
    own: dict[str, object] = {}
    if game.rules_stated:
        own["rules"] = written_rules(game.ruleset)
    if game.own_counting:
        own["own_counting"] = True
    if game.ended is not None and game.ended.results:
        own |= {"places": list(game.ended.places), "results": list(game.ended.results)}
    dice = [list(kyoku.dice) for kyoku in game.kyoku]
    if any(pair != UNKNOWN_DICE for pair in dice):
        own["dice"] = dice
    if with_fu:
        own["fu"] = [won.value.fu for won in _wins(game)]
    return own


def joined(own: JSON, more: JSON) -> JSON:
    """Return the content of the field for a game from those of its first kyoku and of the next one."""
    if not isinstance(own, dict) or not isinstance(more, dict):
        return None
    whole = dict(own)
    for name, unknown in (("dice", [list[JSON](UNKNOWN_DICE)]), ("fu", [])):
        lists = [each.get(name, unknown) for each in (own, more)]
        whole[name] = [entry for each in lists if isinstance(each, list) for entry in each]
    return whole


def stated_rules(own: JSON) -> Ruleset | None:
    """Return the rules in the content of the field; None if it has none. Raise RecordError if they are malformed."""
    return read_rules(own["rules"]) if isinstance(own, dict) and "rules" in own else None


def with_own_fields(game: RecordedGame, own: JSON) -> RecordedGame:
    """Return a game with the facts in the content of the field; raise RecordError if they are malformed."""
    if not isinstance(own, dict):
        return game
    game = replace(game, own_counting=own.get("own_counting") is True)
    dice = own.get("dice")
    if isinstance(dice, list) and len(dice) == len(game.kyoku):
        game = replace(game, kyoku=tuple(map(_with_dice, game.kyoku, dice)))
    if "fu" in own:
        fu = iter(_integers(own["fu"], "fu", len(_wins(game)), MOST_FU))
        game = replace(game, kyoku=tuple(_with_fu(kyoku, fu) for kyoku in game.kyoku))
    if game.ended is None or "results" not in own:
        return game
    results = _integers(own["results"], "results", len(game.names), MOST_RESULT)
    places = _integers(own.get("places"), "places", len(game.names), len(game.names))
    return replace(game, ended=ev.GameEnded(game.ended.points, places, results))


def _with_dice(kyoku: RecordedKyoku, given: JSON) -> RecordedKyoku:
    first, second = _integers(given, "dice", 2, 6)
    events = (replace(kyoku.started, dice=(first, second)), *kyoku.events[1:])
    return replace(kyoku, events=events, dice=(first, second))


def _with_fu(kyoku: RecordedKyoku, fu: Iterator[int]) -> RecordedKyoku:
    events = tuple(
        replace(event, value=replace(event.value, fu=next(fu))) if isinstance(event, ev.HandWon) else event
        for event in kyoku.events
    )
    return replace(kyoku, events=events)


def _wins(game: RecordedGame) -> list[ev.HandWon]:
    return [event for kyoku in game.kyoku for event in kyoku.events if isinstance(event, ev.HandWon)]


def _integers(given: JSON, name: str, count: int, most: int) -> tuple[int, ...]:
    listed = [each for each in given if type(each) is int and abs(each) <= most] if isinstance(given, Sequence) else []
    if not isinstance(given, list) or len(listed) != count or len(given) != count:
        raise RecordError(f"{name}: expected {count} numbers")
    return tuple(listed)
