"""Drills as text: the question, an answer that somebody has typed, and what is told about it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from ump.drills.drill import PASS, Drill, DrillError, DrillKind
from ump.model.notation import NotationError, parse_ump_face
from ump.model.tiles import KIND_OF
from ump.model.written import parse_written_tiles
from ump.model.yaku import Yaku
from ump.rules.presets import PRESETS
from ump.text.board import board_lines
from ump.text.hand import distance_words
from ump.text.layout import PLAIN, TextStyle, columns, indented, tile_text
from ump.text.position import Position
from ump.text.win import fu_words, yaku_words
from ump.text.wording import counted
from ump.wire.mjai.read import MjaiReader

ASKED: Mapping[DrillKind, str] = {
    DrillKind.DISCARD: "Which discard leaves the most useful tiles?",
    DrillKind.WAITS: "Which tiles complete the hand? Name all of them, as in 369m.",
    DrillKind.FURITEN: "Does the river forbid a ron: is the hand furiten?",
    DrillKind.POINTS: "What is the win worth?",
    DrillKind.SAFEST: "Which discard is the safest against the riichi?",
    DrillKind.PUSH: "Push or fold?",
    DrillKind.CALL: "Call or pass?",
    DrillKind.MISTAKE: "You lost points here. What was better?",
}

_VERBS = {"sute": "discard", "richi": "riichi", "openrichi": "open riichi", PASS: "pass"}
"""Words of records that are others for people."""

_YAKU = {yaku.romaji: yaku for yaku in Yaku}

_LABEL = 8
"""The width of the labels before the parts of a hand."""

MOST_TYPED = 100
"""Characters of an answer."""


def question_lines(drill: Drill, style: TextStyle = PLAIN) -> list[str]:
    """Return the question with all that is shown."""
    if "events" in drill.shown:
        lines = board_lines(_position(drill.shown), style)
    else:
        lines = list(_hand_lines(drill.shown))
    lines += ["", ASKED[drill.kind]]
    if not _is_tile_asked(drill):
        lines += indented(f"{number} {_choice_words(drill, choice)}" for number, choice in enumerate(drill.choices, 1))
    return lines


def _is_tile_asked(drill: Drill) -> bool:
    """Tell whether an answer is tiles, not one of some numbered words."""
    return drill.kind in (DrillKind.DISCARD, DrillKind.SAFEST, DrillKind.WAITS)


def _position(shown: Mapping[str, Any]) -> Position:
    """Return the table that a seat sees."""
    reader = MjaiReader()
    start, *rest = shown["events"]
    reader.read(start)
    position = Position(shown["seat"], start["names"], PRESETS["tenhou"])
    for message in rest:
        for event in reader.read(message):
            position.see(event)
    return position


def _hand_lines(shown: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts of a hand that are shown, each with its label."""
    hand = f"{shown['hand']}{shown.get('melds', '')}"
    if "drawn" in shown:
        hand += f"  [{shown['drawn']}]"
    parts = {"hand": hand, "win": shown.get("win", ""), "river": shown.get("river", "")}
    if shown.get("riichi"):
        parts["win"] += ", riichi"
    parts["dora"] = f"indicator {shown['dora']}" if shown.get("dora") else ""
    parts["ura"] = f"indicator {shown['ura']}" if shown.get("ura") else ""
    if "wind" in shown:
        parts["winds"] = f"seat {shown['wind']}, round {shown['bakaze']}"
    if "turn" in shown:
        parts["turn"] = str(shown["turn"])
    for label, text in parts.items():
        if text:
            yield f"{label:{_LABEL}}{text}"


def _choice_words(drill: Drill, choice: str) -> str:
    """Return an answer for people."""
    if drill.kind is DrillKind.POINTS:
        han, fu, paid = choice.split("-")
        return f"{han} han {fu} fu: {paid}"
    if drill.kind is DrillKind.FURITEN:
        return choice
    if drill.kind is DrillKind.PUSH and choice in drill.shown:
        return f"{choice}: {_action_words(drill.shown[choice])}"
    return _action_words(choice)


def _action_words(words: str) -> str:
    verb, *tiles = words.split()
    written = []
    for tile in tiles:
        try:
            written.append(tile_text(parse_ump_face(tile)))
        except NotationError:
            written.append(tile)
    return " ".join([_VERBS.get(verb, verb), *written])


# Answers


def read_answer(drill: Drill, typed: str) -> tuple[str, ...]:
    """Return what somebody has typed as an answer: tiles, a number or a word; raises DrillError."""
    text = typed.strip().lower()
    if not text or len(text) > MOST_TYPED:
        raise DrillError("type an answer, or q to end")
    if _is_tile_asked(drill):
        return _read_tiles(drill, text)
    for number, choice in enumerate(drill.choices, 1):
        if text in (str(number), choice, _choice_words(drill, choice)):
            return (choice,)
    by_start = [choice for choice in drill.choices if _choice_words(drill, choice).startswith(text)]
    if len(by_start) != 1:
        raise DrillError(f"type a number from 1 to {len(drill.choices)}")
    return (by_start[0],)


def _read_tiles(drill: Drill, text: str) -> tuple[str, ...]:
    try:
        faces = parse_written_tiles(text)
    except NotationError as error:
        raise DrillError(str(error)) from None
    tiles = tuple(dict.fromkeys(tile_text(KIND_OF[face]) for face in faces))
    if drill.choices and (len(tiles) != 1 or tiles[0] not in drill.choices):
        raise DrillError("name one tile of the hand")
    return tiles


def answer_lines(drill: Drill, answer: Collection[str], style: TextStyle = PLAIN) -> list[str]:
    """Return what is told about an answer: whether it is right, and the facts."""
    verdict = "Right." if drill.is_right(answer) else f"Wrong; right is {_right_words(drill)}."
    return [verdict, *indented(_fact_lines(drill, style))]


def key_lines(drill: Drill, style: TextStyle = PLAIN) -> list[str]:
    """Return what is right, and the facts."""
    return [f"Right is {_right_words(drill)}.", *indented(_fact_lines(drill, style))]


def _right_words(drill: Drill) -> str:
    if not drill.choices:
        return " ".join(drill.right)
    return " or ".join(_choice_words(drill, choice) for choice in drill.right)


def _fact_lines(drill: Drill, style: TextStyle) -> list[str]:
    facts = drill.facts
    match drill.kind:
        case DrillKind.WAITS:
            return columns([_wait_row(each) for each in facts["waits"]])
        case DrillKind.FURITEN:
            waits = ", ".join(each["tile"] for each in facts["waits"])
            river = " ".join(facts["inRiver"])
            return [f"waits for {waits}", f"{river} in the river" if river else "none of them in the river"]
        case DrillKind.POINTS:
            return _points_lines(facts, style)
        case DrillKind.DISCARD:
            return columns([_discard_row(each) for each in facts["candidates"]])
        case DrillKind.SAFEST:
            return columns([_risk_row(each) for each in facts["candidates"]])
        case _:
            rows = [_value_row(drill, each) for each in facts["candidates"]]
            lines = columns(rows, right=(1,))
            if "done" in facts:
                lines.append(f"you played {_action_words(facts['done'])}: {facts['loss']:,} points less")
            return lines


def _wait_row(wait: Mapping[str, Any]) -> tuple[str, str]:
    return wait["tile"], f"{wait['left']} left"


def _points_lines(facts: Mapping[str, Any], style: TextStyle) -> list[str]:
    rows = [(yaku_words(_YAKU[name], style.language), f"{han} han") for name, han in facts["yaku"]]
    rows += [(fu_words(reason, style.language), f"{fu} fu") for reason, fu in facts["fu"]]
    return [*columns(rows, right=(1,)), f"{facts['han']} han {facts['total']} fu"]


def _discard_row(candidate: Mapping[str, Any]) -> tuple[str, str, str]:
    return candidate["tile"], distance_words(candidate["shanten"]), counted(candidate["tiles"], "useful tile")


def _risk_row(candidate: Mapping[str, Any]) -> tuple[str, str]:
    return candidate["tile"], "safe" if candidate["safe"] else f"deals in {candidate['risk']:.1%}"


def _value_row(drill: Drill, candidate: Mapping[str, Any]) -> tuple[str, str, str]:
    best = drill.facts["candidates"]
    most = max(each["value"] for each in best)
    behind = most - candidate["value"]
    risk = candidate.get("risk")
    deals_in = f"deals in {risk:.1%}" if risk else ""
    return _choice_words(drill, candidate["choice"]), f"-{behind:,} points" if behind else "best", deals_in


def rating_line(kinds: Sequence[tuple[DrillKind, float, float]]) -> str:
    """Return ratings, each with twice its deviation."""
    return ", ".join(f"{kind.value} {rating:.0f} ±{2 * deviation:.0f}" for kind, rating, deviation in kinds)
