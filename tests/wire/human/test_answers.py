"""Tests for the answers of people: every word in every phase, explanations, and anything that can be typed."""

from __future__ import annotations

from copy import deepcopy
from functools import cache
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.budgets import some
from support.rows import each_row

from ump.game.deals import seeded_deals
from ump.game.game import Game
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
from ump.model.claims import IllegalAction, Reason
from ump.model.hand import Hand
from ump.model.notation import parse_mpsz
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.rules.presets import PRESETS
from ump.rules.questions import Question
from ump.wire.human.answers import SENTENCES, WISHES, Explained, choice_of, read_answer


def F(text: str) -> Face:
    """Return the only tile in a text."""
    (face,) = parse_mpsz(text)
    return face


class Asked:
    """A question with chosen legal actions; it refuses the others."""

    def __init__(self, phase: Phase, tile: str | None, hand: str, *legal: Action) -> None:
        self.phase = phase
        self.tile = None if tile is None else F(tile)
        self.hand = Hand(parse_mpsz(hand))
        self._legal = legal

    def legal(self) -> tuple[Action, ...]:
        """Return every legal action."""
        return self._legal

    def check(self, action: Action) -> None:
        """Refuse what is not legal."""
        if action not in self._legal:
            raise IllegalAction(Reason.NOT_HELD)


DISCARDS = (Discard(F("5m")), Discard(F("0p")), Discard(F("5s")), Discard(F("0s")), Discard(F("4z")))
TURN = Asked(
    Phase.TURN,
    "4z",
    "5m0p50s44z",
    *DISCARDS,
    Discard(F("4z"), tsumogiri=True),
    Riichi(F("4z")),
    Riichi(F("4z"), tsumogiri=True),
    Ankan(F("5z")),
    Tsumo(),
    KyushuKyuhai(),
)
NORTH = Asked(Phase.TURN, "4z", "19m4z", Discard(F("1m")), Discard(F("4z"), tsumogiri=True), Kita())
TWO_KANS = Asked(Phase.TURN, "1z", "1111z9m", Discard(F("9m")), Ankan(F("1z")), Kakan(F("9m")))
IN_RIICHI = Asked(Phase.TURN, "3p", "123m3p", Discard(F("3p"), tsumogiri=True))
CALL = Asked(
    Phase.CALL,
    "5m",
    "44667m055m",
    Pass(),
    Chi((F("4m"), F("6m"))),
    Chi((F("6m"), F("7m"))),
    Pon((F("0m"), F("5m"))),
    Daiminkan(),
)
ONE_CHI = Asked(Phase.CALL, "3s", "45s", Pass(), Chi((F("4s"), F("5s"))))
RON = Asked(Phase.CALL, "3s", "45s", Pass(), Ron())
CHANKAN = Asked(Phase.CHANKAN, "3s", "45s", Pass(), Ron())
DECLARE = Asked(Phase.DECLARE, None, "45s", DeclareTenpai(), DeclareNoten())

READ: list[tuple[Asked, str, Action]] = [
    *((TURN, text, Discard(F("4z"))) for text in ("4z", "4Z", "d 4z", "discard 4z", "sute 4z", "SUTE 4Z", "d4z", "北")),
    (TURN, "sute 4z tsumogiri", Discard(F("4z"), tsumogiri=True)),
    *((TURN, text, Discard(F("5m"))) for text in ("5m", "5M", "0m")),
    *((TURN, text, Discard(F("0p"))) for text in ("5p", "5P", "0p")),
    (TURN, "5s", Discard(F("5s"))),
    *((TURN, text, Discard(F("0s"))) for text in ("0s", "5S")),
    *((TURN, text, Riichi(F("4z"))) for text in ("r 4z", "l 4z", "riichi 4z", "richi 4z", "reach 4z", "riichi", "R")),
    *((TURN, text, Ankan(F("5z"))) for text in ("k", "kan", "kan 5z", "ankan", "ankan 5z5z5z5z", "k 5z")),
    *((TURN, text, Tsumo()) for text in ("t", "tsumo", "w", "win", "hora")),
    *((TURN, text, KyushuKyuhai()) for text in ("q", "nine", "ryukyoku")),
    *((NORTH, text, Kita()) for text in ("kita", "KITA", "kita 4z", "nukidora")),
    (NORTH, "4z", Discard(F("4z"), tsumogiri=True)),
    (TWO_KANS, "k 9m", Kakan(F("9m"))),
    (TWO_KANS, "ankan", Ankan(F("1z"))),
    (TWO_KANS, "kakan", Kakan(F("9m"))),
    (IN_RIICHI, "", Discard(F("3p"), tsumogiri=True)),
    (IN_RIICHI, "3p", Discard(F("3p"), tsumogiri=True)),
    *((CALL, text, Chi((F("4m"), F("6m")))) for text in ("chi 46m", "chi 4m 6m", "c 6m4m", "chii 4M6M", "chi 456m")),
    *((CALL, text, Pon((F("0m"), F("5m")))) for text in ("p", "pon", "pon 5m5M", "pon [0m5m]")),
    *((CALL, text, Daiminkan()) for text in ("k", "kan", "kan 5m")),
    *((CALL, text, Pass()) for text in ("", "x", "n", "no", "pass", "NO")),
    *((TURN, text, Discard(F("4z"))) for text in ("z4", "Z4", "d z4", "４ｚ", "\U0001f003")),
    *((TURN, text, Discard(F("0p"))) for text in ("p5", "p0", "赤五筒", "d 5pr")),
    *((CALL, text, Chi((F("4m"), F("6m")))) for text in ("chi m46", "c m4m6", "chi 四六萬")),
    *((ONE_CHI, text, Chi((F("4s"), F("5s")))) for text in ("c", "chi", "chii", "chi 45s")),
    *((RON, text, Ron()) for text in ("ron", "w", "win", "hora")),
    (RON, "pass", Pass()),
    (CHANKAN, "ron", Ron()),
    (CHANKAN, "no", Pass()),
    *((DECLARE, text, DeclareTenpai()) for text in ("", "y", "yes", "ok", "tenpai")),
    *((DECLARE, text, DeclareNoten()) for text in ("n", "no", "noten")),
]


@each_row(("question", "text", "action"), READ)
def test_answers(question: Asked, text: str, action: Action) -> None:
    """Each text means exactly this action."""
    assert read_answer(text, question) == action


EXPLAINED: list[tuple[Asked, str, str]] = [
    (TURN, "", "Enter does nothing"),
    (TURN, "d", "Name one tile"),
    (TURN, "4", "cannot read"),
    (TURN, "9z", "cannot read"),
    (TURN, "1m", "You do not hold 1m"),
    (TURN, "frog", "do not know 'frog'"),
    (TWO_KANS, "k", "several ways: k 1z, k 9m"),
    (IN_RIICHI, "kan", "No kan"),
    (CALL, "chi", "several ways: c 4m6m, c 6m7m"),
    (RON, "", "type ron, or pass"),
    (RON, "t", "type ron."),
    (TURN, "kita", "You do not have the tiles for that."),
    (NORTH, "kita 5m", "That is not possible now."),
    (RON, "roon", "did you mean ron"),
    (TURN, "ron", "type t."),
    (TURN, "m4", "You do not hold 4m."),
    (TURN, "kan 4z", "A closed kan needs four 4z; you hold 2."),
    (TURN, "kakan 4z", "You have no pon of 4z."),
    (TURN, "kakan 1z", "You do not hold 1z."),
    (RON, "pon", "Pon needs two more 3s; you hold 0."),
    (RON, "kan", "Kan needs three more 3s; you hold 0."),
    (RON, "chi", "You have no two tiles that make a run with 3s."),
    (RON, "chi 12s", "You do not hold 1s and 2s."),
    (RON, "chi 4s5s", "4s and 5s make no run with 3s."),
    (CALL, "pon 5s5s", "You do not hold 5s and 5s."),
]


@each_row(("question", "text", "words"), EXPLAINED)
def test_explanations(question: Asked, text: str, words: str) -> None:
    """A text that is no answer is explained."""
    found = read_answer(text, question)
    assert isinstance(found, Explained) and words in found.why


def test_every_reason_has_a_sentence() -> None:
    """Each reason of the rules is explained in plain words."""
    assert SENTENCES.keys() == set(Reason)
    assert all(sentence.endswith(".") for sentence in SENTENCES.values())


@cache
def questions() -> tuple[Question, ...]:
    """Return the questions of some games between players that act by chance."""
    found: list[Question] = []
    for seed in (*some(range(5)), *some(range(5, 9))):
        chance = Random(seed)
        ruleset = PRESETS["ump" if seed < 5 else "tenhou3"]
        game = Game(ruleset, "ABCD"[: ruleset.seats], seeded_deals(f"human/{seed}", ruleset.seats))
        game.begin()
        for _ in range(150):
            if game.over:
                break
            if game.between_kyoku:
                game.proceed()
                continue
            seat, question = next(iter(game.questions.items()))
            found.append(deepcopy(question))
            game.answer(seat, chance.choice(question.legal()))
    return tuple(found)


@pytest.mark.no_cover
def test_what_is_shown_can_be_typed() -> None:
    """The short and the full form of every legal action mean it, up to which of two equal tiles is discarded."""
    assert any(Kita() in question.legal() for question in questions())
    for question in questions():
        legal = question.legal()
        for action in legal:
            choice = choice_of(action, legal)
            for text in ("" if choice.typed == "Enter" else choice.typed, choice.full, choice.full.upper()):
                if "5" in text and text.isupper():
                    continue  # a red five
                found = read_answer(text, question)
                assert isinstance(found, type(action)), (text, found)
                if isinstance(action, (Discard, Riichi)):
                    assert isinstance(found, (Discard, Riichi)) and found.face == action.face
                else:
                    assert found == action


WORDS = st.sampled_from([*WISHES, "5m", "0p", "46m", "4z", "55s5S", "tsumogiri", "[", "東", "123456789m", "0z", ""])


@given(st.integers(0), st.one_of(st.text(max_size=30), st.lists(WORDS, max_size=4).map(" ".join)))
def test_anything_typed(at: int, text: str) -> None:
    """Any text gives a legal action or an explanation."""
    question = questions()[at % len(questions())]
    found = read_answer(text, question)
    if isinstance(found, Explained):
        assert found.why
    else:
        assert found in question.legal()
