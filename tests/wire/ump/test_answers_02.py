"""Tests the reading of answers as claims, and the writing of actions as answers."""

from __future__ import annotations

import pytest
from support.all_actions import ALL_ACTIONS
from support.rows import each_row

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    DeclareNoten,
    DeclareTenpai,
    Discard,
    Kakan,
    Kita,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.claims import Claim, Verb
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.model.phases import Phase
from ump.wire.text import UnwritableError, WireError
from ump.wire.ump.answers import COMMANDS_02, read_claim_02, write_action_02

F, FACES = parse_ump_face, parse_ump_faces

CLAIMS = [
    ("yes", Claim(Verb.YES)),
    ("ok", Claim(Verb.YES)),
    ("sutehai 5m", Claim(Verb.DISCARD, (F("5m"),))),
    ("sutehai 5M tsumogiri", Claim(Verb.DISCARD, (F("5M"),), tsumogiri=True)),
    ("sutehai 5z richi", Claim(Verb.RIICHI, (F("5z"),))),
    ("sutehai 5z richi tsumogiri", Claim(Verb.RIICHI, (F("5z"),), tsumogiri=True)),
    ("sutehai 5z tsumogiri richi", Claim(Verb.RIICHI, (F("5z"),), tsumogiri=True)),
    ("tsumo", Claim(Verb.TSUMO)),
    ("ankan 9s9s9s9s", Claim(Verb.ANKAN, FACES("9s9s9s9s"))),
    ("ankan 5M5m5m5m", Claim(Verb.ANKAN, FACES("5M5m5m5m"))),
    ("ankan 9s", Claim(Verb.ANKAN, FACES("9s"))),
    ("kakan 5M", Claim(Verb.KAKAN, (F("5M"),))),
    ("kita", Claim(Verb.KITA)),
    ("ryukyoku", Claim(Verb.RYUKYOKU)),
    ("no", Claim(Verb.NO)),
    ("ron", Claim(Verb.RON)),
    ("pon 4z4z", Claim(Verb.PON, FACES("4z4z"))),
    ("pon 5m5M", Claim(Verb.PON, FACES("5m5M"))),
    ("pon 5m 5M", Claim(Verb.PON, FACES("5m5M"))),
    ("pon", Claim(Verb.PON)),
    ("chi 2p4p", Claim(Verb.CHI, FACES("2p4p"))),
    ("chi 4p2p", Claim(Verb.CHI, FACES("4p2p"))),
    ("chi", Claim(Verb.CHI)),
    ("kan 6m6m6m", Claim(Verb.KAN, FACES("6m6m6m"))),
    ("kan", Claim(Verb.KAN)),
    ("tenpai", Claim(Verb.YES)),
    ("noten", Claim(Verb.NO)),
    ("x=1 sutehai y= 5z _a=%20 richi", Claim(Verb.RIICHI, (F("5z"),))),
    ("pon 4z4z comment=hm", Claim(Verb.PON, FACES("4z4z"))),
    ("no a=1", Claim(Verb.NO)),
    ("%73utehai %35m", Claim(Verb.DISCARD, (F("5m"),))),
]


@each_row(("text", "claim"), CLAIMS)
def test_answers_are_read_as_written(text: str, claim: Claim) -> None:
    """The claim has the verb, the tiles in the order of the answer, and the flags; options are removed."""
    assert read_claim_02(tuple(text.split())) == claim


@each_row(
    "text",
    [
        *(
            "",
            "x=1",
            "hello",
            "bye",
            "ack",
            "sute 5m",
            "richi 5z",
            "openrichi 5z",
            "no thanks",
            "Ron",
            "5m",
            "tsumo 5m",
        ),
        *("sutehai", "sutehai xx", "sutehai 5m5m", "sutehai 5m 6m", "sutehai richi", "sutehai 5m Richi", "sutehai %"),
        *("sutehai 5m a=%F", "chi 4m", "pon 4z4z4z", "kan 6m6m", "ankan", "ankan 6m6m", "kakan", "kakan 5m5m"),
        "tenpai 1m",
    ],
)
def test_invalid_answers_are_refused(text: str) -> None:
    """Unknown words and other forms raise WireError."""
    with pytest.raises(WireError):
        read_claim_02(tuple(text.split()))


HELD = FACES("5M5m5m5m1z1z1z")

ANSWERS: list[tuple[Action, str | None, str]] = [
    (Discard(F("5M")), None, "sutehai 5M"),
    (Discard(F("5M"), tsumogiri=True), None, "sutehai 5M tsumogiri"),
    (Riichi(F("1z")), None, "sutehai 1z richi"),
    (Riichi(F("1z"), tsumogiri=True), None, "sutehai 1z tsumogiri richi"),
    (Ankan(F("5m")), None, "ankan 5M5m5m5m"),
    (Ankan(F("1z")), None, "ankan 1z"),
    (Kakan(F("5M")), None, "kakan 5M"),
    (Kita(), None, "kita"),
    (Tsumo(), None, "tsumo"),
    (KyushuKyuhai(), None, "ryukyoku"),
    (Pass(), "5m", "no"),
    (Chi((F("4m"), F("5M"))), "6m", "chi 4m5M"),
    (Pon((F("5M"), F("5m"))), "5m", "pon 5M5m"),
    (Daiminkan(), "1z", "kan 1z1z1z"),
    (Daiminkan(), None, "kan"),
    (Daiminkan(), "2z", "kan"),
    (Ron(), "1m", "ron"),
    (DeclareTenpai(), None, "tenpai"),
    (DeclareNoten(), None, "noten"),
]


@each_row(("action", "tile", "text"), ANSWERS)
def test_actions_are_written(action: Action, tile: str | None, text: str) -> None:
    """Tiles have no spaces between them; those of a kan are written as the player holds them."""
    assert write_action_02(action, None if tile is None else F(tile), HELD) == text


def test_every_action_has_a_readable_answer() -> None:
    """The server reads each answer, except open riichi, as a claim of the same tiles."""
    for action in ALL_ACTIONS:
        if isinstance(action, Riichi) and action.opened:
            with pytest.raises(UnwritableError):
                write_action_02(action)
            continue
        claim = read_claim_02(tuple(write_action_02(action).split()))
        assert claim.tsumogiri == getattr(action, "tsumogiri", False)
        named = getattr(action, "own", None) or getattr(action, "face", getattr(action, "kind", None))
        assert claim.tiles == (() if named is None else named if isinstance(named, tuple) else (named,))


TURN = {"sutehai", "ankan", "kakan", "kita", "tsumo", "ryukyoku"}
CALL = {"no", "chi", "pon", "kan", "ron"}
SAID = {*TURN, *CALL, "yes", "ok", "tenpai", "noten", "hello", "bye", "ack"}


@each_row(
    ("phase", "own"),
    [
        (Phase.TURN, TURN),
        (Phase.CALL, CALL),
        (Phase.CHANKAN, CALL),
        (Phase.DECLARE, {"tenpai", "noten", "no"}),
        (None, {"yes", "ok"}),
    ],
)
def test_each_question_has_its_answers(phase: Phase | None, own: set[str]) -> None:
    """Answers to other kinds of question are distinguished from unknown words."""
    assert {word for word in SAID if phase in COMMANDS_02[word]} == own
    assert COMMANDS_02.keys() >= SAID
