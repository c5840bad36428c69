"""Tests the reading of answers as claims, and the writing of actions and claims as answers."""

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
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.claims import Claim, Verb
from ump.model.notation import parse_ump_face
from ump.model.phases import Phase
from ump.wire.text import WireError
from ump.wire.ump.answers import COMMANDS_01, read_claim, write_action, write_claim

F = parse_ump_face

CLAIMS = [
    ("sute 5m", Claim(Verb.DISCARD, (F("5m"),))),
    ("sute 5M tsumogiri", Claim(Verb.DISCARD, (F("5M"),), tsumogiri=True)),
    ("richi 5z", Claim(Verb.RIICHI, (F("5z"),))),
    ("richi 5z tsumogiri", Claim(Verb.RIICHI, (F("5z"),), tsumogiri=True)),
    ("openrichi 5z", Claim(Verb.OPEN_RIICHI, (F("5z"),))),
    ("openrichi 5z what?", Claim(Verb.OPEN_RIICHI, (F("5z"),))),
    ("openrichi 5z 1m2m3m tsumogiri", Claim(Verb.OPEN_RIICHI, (F("5z"),), tsumogiri=True)),
    ("ankan 6z", Claim(Verb.ANKAN, (F("6z"),))),
    ("ankan 6z6z6z6z", Claim(Verb.ANKAN, (F("6z"),) * 4)),
    ("kakan 5M", Claim(Verb.KAKAN, (F("5M"),))),
    ("kita", Claim(Verb.KITA)),
    ("tsumo", Claim(Verb.TSUMO)),
    ("ryukyoku", Claim(Verb.RYUKYOKU)),
    ("no", Claim(Verb.NO)),
    ("chi 6m 4m", Claim(Verb.CHI, (F("6m"), F("4m")))),
    ("chi 4m6m", Claim(Verb.CHI, (F("4m"), F("6m")))),
    ("chi", Claim(Verb.CHI)),
    ("pon 5m 5M", Claim(Verb.PON, (F("5m"), F("5M")))),
    ("pon 5m5m", Claim(Verb.PON, (F("5m"), F("5m")))),
    ("pon", Claim(Verb.PON)),
    ("kan", Claim(Verb.KAN)),
    ("kan 6m6m6m", Claim(Verb.KAN, (F("6m"),) * 3)),
    ("ron", Claim(Verb.RON)),
    ("yes", Claim(Verb.YES)),
    ("ok", Claim(Verb.YES)),
]


@each_row(("text", "claim"), CLAIMS)
def test_answers_are_read_as_written(text: str, claim: Claim) -> None:
    """The claim has the verb, the tiles in the order of the answer, and the flag; legality is not checked."""
    assert read_claim(tuple(text.split())) == claim


@each_row(
    "text",
    [
        *("", "hello", "bye", "sutehai 5m", "riichi 5z", "Ron", "sute 5x", "no thanks", "5m"),
        *(
            "sute",
            "sute 0m",
            "sute 5m6m",
            "sute 5m 6m",
            "sute tsumogiri",
            "sute tsumogiri 5m",
            "richi",
            "openrichi",
            "openrichi 5z 1m2m 3m",
            "ankan",
            "ankan 6z6z",
            "ankan 6z 6z 6z",
            "kakan",
            "kakan 6z 6z",
        ),
        *(
            "tsumo 5m",
            "ryukyoku now",
            "chi 4m",
            "chi 4m5m6m",
            "chi 4m 5m 6m",
            "chi 4m,5m",
            "pon x",
            "kan 5m",
            "ron 5m",
            "no no",
            "yes please",
            "ok then",
        ),
    ],
)
def test_invalid_answers_are_refused(text: str) -> None:
    """Unknown words and other forms raise WireError."""
    with pytest.raises(WireError):
        read_claim(tuple(text.split()))


ANSWERS: list[tuple[Action, str]] = [
    (Discard(F("5M")), "sute 5M"),
    (Discard(F("5M"), tsumogiri=True), "sute 5M tsumogiri"),
    (Riichi(F("1z")), "richi 1z"),
    (Riichi(F("1z"), tsumogiri=True), "richi 1z tsumogiri"),
    (Riichi(F("1z"), opened=True), "openrichi 1z"),
    (Riichi(F("1z"), tsumogiri=True, opened=True), "openrichi 1z tsumogiri"),
    (Ankan(F("5m")), "ankan 5m"),
    (Kakan(F("5M")), "kakan 5M"),
    (Tsumo(), "tsumo"),
    (KyushuKyuhai(), "ryukyoku"),
    (Pass(), "no"),
    (Chi((F("4m"), F("5M"))), "chi 4m 5M"),
    (Pon((F("5M"), F("5m"))), "pon 5M 5m"),
    (Daiminkan(), "kan"),
    (Ron(), "ron"),
    (DeclareTenpai(), "yes"),
    (DeclareNoten(), "no"),
]


@each_row(("action", "text"), ANSWERS)
def test_actions_are_written(action: Action, text: str) -> None:
    """Each action has one answer."""
    assert write_action(action) == text


def test_every_action_has_a_readable_answer() -> None:
    """The server reads each answer as a claim of the same tiles."""
    for action in ALL_ACTIONS:
        claim = read_claim(tuple(write_action(action).split()))
        assert claim.tsumogiri == getattr(action, "tsumogiri", False)
        named = getattr(action, "own", None) or getattr(action, "face", getattr(action, "kind", None))
        assert claim.tiles == (() if named is None else named if isinstance(named, tuple) else (named,))


TURN = {"sute", "richi", "openrichi", "ankan", "kakan", "tsumo", "ryukyoku"}
CALL = {"no", "chi", "pon", "kan", "ron"}
SAID = {*TURN, *CALL, "yes", "ok", "hello", "bye"}


@each_row(
    ("phase", "own"),
    [
        (Phase.TURN, TURN),
        (Phase.CALL, CALL),
        (Phase.CHANKAN, CALL),
        (Phase.DECLARE, {"yes", "no"}),
        (None, {"ok", "yes"}),
    ],
)
def test_each_question_has_its_answers(phase: Phase | None, own: set[str]) -> None:
    """Answers to other kinds of question are distinguished from unknown words."""
    assert {word for word in SAID if phase in COMMANDS_01[word]} == own
    assert COMMANDS_01.keys() >= SAID


@each_row(
    ("claim", "written"),
    [
        (Claim(Verb.DISCARD, (F("5M"),), True), "sute 5M tsumogiri"),
        (Claim(Verb.RIICHI, (F("1m"),)), "richi 1m"),
        (Claim(Verb.OPEN_RIICHI, (F("1m"),), True), "openrichi 1m tsumogiri"),
        (Claim(Verb.ANKAN, (F("5p"), F("5p"), F("5P"), F("5p"))), "ankan 5p"),
        (Claim(Verb.ANKAN, (F("5P"), F("5p"), F("5p"), F("5p"))), "ankan 5p"),
        (Claim(Verb.KAKAN, (F("5S"),)), "kakan 5S"),
        (Claim(Verb.CHI), "chi"),
        (Claim(Verb.CHI, (F("4m"), F("6m"))), "chi 4m 6m"),
        (Claim(Verb.PON, (F("5m"), F("5M"))), "pon 5m 5M"),
        (Claim(Verb.KAN, (F("1z"),) * 3), "kan"),
        (Claim(Verb.TSUMO), "tsumo"),
        (Claim(Verb.RYUKYOKU), "ryukyoku"),
        (Claim(Verb.RON), "ron"),
        (Claim(Verb.YES), "yes"),
        (Claim(Verb.NO), "no"),
    ],
)
def test_claims_are_written(claim: Claim, written: str) -> None:
    """A written claim is read as the same claim; a kan is written so that any server can read it."""
    assert write_claim(claim) == written
    read = read_claim(tuple(written.split()))
    assert read == claim or claim.verb in (Verb.ANKAN, Verb.KAN)
