"""The reading of answers as claims, the writing of actions and claims as answers, and offers, in UMP 0.1 and 0.2."""

from __future__ import annotations

import pytest
from support.all_actions import ALL_ACTIONS
from support.rows import each_row

from ump.model import actions
from ump.model.actions import Action
from ump.model.claims import Claim, Verb
from ump.model.notation import parse_ump_face, parse_ump_faces
from ump.model.phases import Phase
from ump.wire.text import UnwritableError, WireError
from ump.wire.ump.answers import (
    COMMANDS_01,
    COMMANDS_02,
    read_claim,
    read_claim_02,
    write_action,
    write_action_02,
    write_claim,
)
from ump.wire.ump.sentences02 import NakiQuestion, SutehaiQuestion

F, FACES = parse_ump_face, parse_ump_faces

CLAIMS_OF_BOTH = [
    ("yes", Claim(Verb.YES)),
    ("ok", Claim(Verb.YES)),
    ("tsumo", Claim(Verb.TSUMO)),
    ("ryukyoku", Claim(Verb.RYUKYOKU)),
    ("kita", Claim(Verb.KITA)),
    ("no", Claim(Verb.NO)),
    ("ron", Claim(Verb.RON)),
    ("ankan 9s", Claim(Verb.ANKAN, FACES("9s"))),
    ("ankan 9s9s9s9s", Claim(Verb.ANKAN, FACES("9s9s9s9s"))),
    ("ankan 5M5m5m5m", Claim(Verb.ANKAN, FACES("5M5m5m5m"))),
    ("kakan 5M", Claim(Verb.KAKAN, FACES("5M"))),
    ("chi", Claim(Verb.CHI)),
    ("chi 6m 4m", Claim(Verb.CHI, FACES("6m4m"))),
    ("chi 4m6m", Claim(Verb.CHI, FACES("4m6m"))),
    ("pon", Claim(Verb.PON)),
    ("pon 5m 5M", Claim(Verb.PON, FACES("5m5M"))),
    ("pon 5m5m", Claim(Verb.PON, FACES("5m5m"))),
    ("kan", Claim(Verb.KAN)),
    ("kan 6m6m6m", Claim(Verb.KAN, FACES("6m6m6m"))),
]

CLAIMS_01 = [
    ("sute 5m", Claim(Verb.DISCARD, FACES("5m"))),
    ("sute 5M tsumogiri", Claim(Verb.DISCARD, FACES("5M"), tsumogiri=True)),
    ("richi 5z", Claim(Verb.RIICHI, FACES("5z"))),
    ("richi 5z tsumogiri", Claim(Verb.RIICHI, FACES("5z"), tsumogiri=True)),
    ("openrichi 5z", Claim(Verb.OPEN_RIICHI, FACES("5z"))),
    ("openrichi 5z what?", Claim(Verb.OPEN_RIICHI, FACES("5z"))),
    ("openrichi 5z 1m2m3m tsumogiri", Claim(Verb.OPEN_RIICHI, FACES("5z"), tsumogiri=True)),
]

CLAIMS_02 = [
    ("sutehai 5m", Claim(Verb.DISCARD, FACES("5m"))),
    ("sutehai 5M tsumogiri", Claim(Verb.DISCARD, FACES("5M"), tsumogiri=True)),
    ("sutehai 5z richi", Claim(Verb.RIICHI, FACES("5z"))),
    ("sutehai 5z richi tsumogiri", Claim(Verb.RIICHI, FACES("5z"), tsumogiri=True)),
    ("sutehai 5z tsumogiri richi", Claim(Verb.RIICHI, FACES("5z"), tsumogiri=True)),
    ("tenpai", Claim(Verb.YES)),
    ("noten", Claim(Verb.NO)),
    ("x=1 sutehai y= 5z _a=%20 richi", Claim(Verb.RIICHI, FACES("5z"))),
    ("pon 4z4z comment=hm", Claim(Verb.PON, FACES("4z4z"))),
    ("no a=1", Claim(Verb.NO)),
    ("%73utehai %35m", Claim(Verb.DISCARD, FACES("5m"))),
]


@each_row(("text", "claim"), [*CLAIMS_OF_BOTH, *CLAIMS_01])
def test_answers_of_01_are_read_as_written(text: str, claim: Claim) -> None:
    """The claim has the verb, the tiles in the order of the answer, and the flag; legality is not checked."""
    assert read_claim(tuple(text.split())) == claim


@each_row(("text", "claim"), [*CLAIMS_OF_BOTH, *CLAIMS_02])
def test_answers_of_02_are_read_as_written(text: str, claim: Claim) -> None:
    """The claim has the verb, the tiles in the order of the answer, and the flags; options are removed."""
    assert read_claim_02(tuple(text.split())) == claim


INVALID_IN_BOTH = [
    *("", "hello", "bye", "5m", "Ron", "no thanks", "no no", "yes please", "ok then", "ron 5m", "tsumo 5m"),
    *("ryukyoku now", "ankan", "ankan 6z6z", "ankan 6m6m", "ankan 6z 6z 6z", "kakan", "kakan 6z 6z", "kakan 5m5m"),
    *("chi 4m", "chi 4m5m6m", "chi 4m 5m 6m", "chi 4m,5m", "pon x", "pon 4z4z4z", "kan 5m", "kan 6m6m"),
]

INVALID_01 = [
    *("sutehai 5m", "riichi 5z", "sute 5x", "sute", "sute 0m", "sute 5m6m", "sute 5m 6m", "sute tsumogiri"),
    *("sute tsumogiri 5m", "richi", "openrichi", "openrichi 5z 1m2m 3m"),
]

INVALID_02 = [
    *("x=1", "ack", "sute 5m", "richi 5z", "openrichi 5z", "sutehai", "sutehai xx", "sutehai 5m5m", "sutehai 5m 6m"),
    *("sutehai richi", "sutehai 5m Richi", "sutehai %", "sutehai 5m a=%F", "tenpai 1m"),
]


@each_row("text", [*INVALID_IN_BOTH, *INVALID_01])
def test_invalid_answers_of_01_are_refused(text: str) -> None:
    """Unknown words and other forms raise WireError."""
    with pytest.raises(WireError):
        read_claim(tuple(text.split()))


@each_row("text", [*INVALID_IN_BOTH, *INVALID_02])
def test_invalid_answers_of_02_are_refused(text: str) -> None:
    """Unknown words and other forms raise WireError."""
    with pytest.raises(WireError):
        read_claim_02(tuple(text.split()))


HELD = FACES("5M5m5m5m1z1z1z")

ANSWERS: list[tuple[Action, str | None, str, str]] = [
    # the action, the tile in question: the answer of 0.1, and that of 0.2
    (actions.Discard(F("5M")), None, "sute 5M", "sutehai 5M"),
    (actions.Discard(F("5M"), tsumogiri=True), None, "sute 5M tsumogiri", "sutehai 5M tsumogiri"),
    (actions.Riichi(F("1z")), None, "richi 1z", "sutehai 1z richi"),
    (actions.Riichi(F("1z"), tsumogiri=True), None, "richi 1z tsumogiri", "sutehai 1z tsumogiri richi"),
    (actions.Ankan(F("5m")), None, "ankan 5m", "ankan 5M5m5m5m"),
    (actions.Ankan(F("1z")), None, "ankan 1z", "ankan 1z"),
    (actions.Kakan(F("5M")), None, "kakan 5M", "kakan 5M"),
    (actions.Kita(), None, "kita", "kita"),
    (actions.Tsumo(), None, "tsumo", "tsumo"),
    (actions.KyushuKyuhai(), None, "ryukyoku", "ryukyoku"),
    (actions.Pass(), "5m", "no", "no"),
    (actions.Chi((F("4m"), F("5M"))), "6m", "chi 4m 5M", "chi 4m5M"),
    (actions.Pon((F("5M"), F("5m"))), "5m", "pon 5M 5m", "pon 5M5m"),
    (actions.Daiminkan(), "1z", "kan", "kan 1z1z1z"),
    (actions.Daiminkan(), None, "kan", "kan"),
    (actions.Daiminkan(), "2z", "kan", "kan"),
    (actions.Ron(), "1m", "ron", "ron"),
    (actions.DeclareTenpai(), None, "yes", "tenpai"),
    (actions.DeclareNoten(), None, "no", "noten"),
]


@each_row(("action", "tile", "text_01", "text_02"), ANSWERS)
def test_actions_are_written(action: Action, tile: str | None, text_01: str, text_02: str) -> None:
    """Each action has one answer. In 0.2 tiles have no spaces between them; a kan has those that the player holds."""
    assert write_action(action) == text_01
    assert write_action_02(action, None if tile is None else F(tile), HELD) == text_02


def test_open_riichi_has_an_answer_in_01_alone() -> None:
    """0.2 has no word for it."""
    opened = actions.Riichi(F("1z"), opened=True)
    assert write_action(opened) == "openrichi 1z"
    assert write_action(actions.Riichi(F("1z"), tsumogiri=True, opened=True)) == "openrichi 1z tsumogiri"
    with pytest.raises(UnwritableError):
        write_action_02(opened)


def _tiles_of(action: Action) -> tuple[int, ...]:
    """Return the tiles that an answer names."""
    match action:
        case actions.Chi(own) | actions.Pon(own):
            return own
        case actions.Ankan(kind):
            return (kind,)
        case actions.Discard(face) | actions.Riichi(face) | actions.Kakan(face):
            return (face,)
        case _:
            return ()


@each_row("action", ALL_ACTIONS)
def test_every_action_has_a_readable_answer(action: Action) -> None:
    """The server reads each answer as a claim of the same tiles."""
    claims = [read_claim(tuple(write_action(action).split()))]
    if not (isinstance(action, actions.Riichi) and action.opened):
        claims.append(read_claim_02(tuple(write_action_02(action).split())))
    for claim in claims:
        assert claim.tsumogiri == getattr(action, "tsumogiri", False)
        assert claim.tiles == _tiles_of(action)


TURN_01 = {"sute", "richi", "openrichi", "ankan", "kakan", "tsumo", "ryukyoku"}
TURN_02 = {"sutehai", "ankan", "kakan", "kita", "tsumo", "ryukyoku"}
CALL = {"no", "chi", "pon", "kan", "ron"}
SAID_01 = {*TURN_01, *CALL, "yes", "ok", "hello", "bye"}
SAID_02 = {*TURN_02, *CALL, "yes", "ok", "tenpai", "noten", "hello", "bye", "ack"}


@each_row(
    ("phase", "own_01", "own_02"),
    [
        (Phase.TURN, TURN_01, TURN_02),
        (Phase.CALL, CALL, CALL),
        (Phase.CHANKAN, CALL, CALL),
        (Phase.DECLARE, {"yes", "no"}, {"tenpai", "noten", "no"}),
        (None, {"ok", "yes"}, {"yes", "ok"}),
    ],
)
def test_each_question_has_its_answers(phase: Phase | None, own_01: set[str], own_02: set[str]) -> None:
    """Answers to other kinds of question are distinguished from unknown words."""
    assert {word for word in SAID_01 if phase in COMMANDS_01[word]} == own_01
    assert {word for word in SAID_02 if phase in COMMANDS_02[word]} == own_02
    assert COMMANDS_01.keys() >= SAID_01
    assert COMMANDS_02.keys() >= SAID_02


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


# The words of 0.2 that stand for legal actions in questions

CHI_46, CHI_67 = actions.Chi((F("4m"), F("6m"))), actions.Chi((F("6m"), F("7m")))
PON_55 = actions.Pon((F("5m"), F("5m")))

TURNS: list[tuple[tuple[Action, ...], str]] = [
    ((actions.Discard(F("1m")), actions.Discard(F("5z"), tsumogiri=True)), "sutehai?"),
    (
        (
            actions.Discard(F("1m")),
            *(actions.Riichi(F("5z")), actions.Riichi(F("5z"), tsumogiri=True), actions.Riichi(F("5M"))),
        ),
        "sutehai? richi=5z5M",
    ),
    ((actions.Riichi(F("5z"), opened=True),), "sutehai?"),
    (
        (
            *(actions.KyushuKyuhai(), actions.Kakan(F("5m"))),
            *(actions.Ankan(F("1m")), actions.Ankan(F("2m")), actions.Tsumo()),
        ),
        "sutehai? tsumo ankan kakan ryukyoku",
    ),
    ((actions.Riichi(F("1z")), actions.Tsumo(), actions.Ankan(F("1m"))), "sutehai? richi=1z tsumo ankan"),
]

CALLS: list[tuple[tuple[Action, ...], str]] = [
    ((actions.Pass(),), "naki? 5M"),
    ((actions.Pass(), PON_55), "naki? 5M pon"),
    ((actions.Pass(), CHI_46, CHI_67, actions.Daiminkan(), actions.Ron()), "naki? 5M ron kan chi"),
    ((actions.Pass(), CHI_46, PON_55, actions.Daiminkan(), actions.Ron()), "naki? 5M ron kan pon chi"),
]


@each_row(("legal", "text"), TURNS)
def test_offers_of_a_turn_are_words_in_order(legal: tuple[Action, ...], text: str) -> None:
    """Tiles for riichi come first, each once, then the words in their order; open riichi has no word."""
    assert SutehaiQuestion.offering(legal).serialise() == text


@each_row(("legal", "text"), CALLS)
def test_offers_of_a_call_are_words_in_order(legal: tuple[Action, ...], text: str) -> None:
    """Each kind of call is one word; to pass is none."""
    assert NakiQuestion.offering(F("5M"), legal).serialise() == text
