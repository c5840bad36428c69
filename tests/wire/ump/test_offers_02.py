"""Tests the words that stand for legal actions in questions of 0.2."""

from __future__ import annotations

from support.rows import each_row

from ump.model.actions import (
    Action,
    Ankan,
    Chi,
    Daiminkan,
    Discard,
    Kakan,
    KyushuKyuhai,
    Pass,
    Pon,
    Riichi,
    Ron,
    Tsumo,
)
from ump.model.notation import parse_ump_face
from ump.wire.ump.sentences02 import NakiQuestion, SutehaiQuestion

F = parse_ump_face

TURNS: list[tuple[tuple[Action, ...], str]] = [
    ((Discard(F("1m")), Discard(F("5z"), tsumogiri=True)), "sutehai?"),
    ((Discard(F("1m")), Riichi(F("5z")), Riichi(F("5z"), tsumogiri=True), Riichi(F("5M"))), "sutehai? richi=5z5M"),
    ((Riichi(F("5z"), opened=True),), "sutehai?"),
    ((KyushuKyuhai(), Kakan(F("5m")), Ankan(F("1m")), Ankan(F("2m")), Tsumo()), "sutehai? tsumo ankan kakan ryukyoku"),
    ((Riichi(F("1z")), Tsumo(), Ankan(F("1m"))), "sutehai? richi=1z tsumo ankan"),
]

CALLS: list[tuple[tuple[Action, ...], str]] = [
    ((Pass(),), "naki? 5M"),
    ((Pass(), Pon((F("5m"), F("5m")))), "naki? 5M pon"),
    ((Pass(), Chi((F("4m"), F("6m"))), Chi((F("6m"), F("7m"))), Daiminkan(), Ron()), "naki? 5M ron kan chi"),
    ((Pass(), Chi((F("4m"), F("6m"))), Pon((F("5m"), F("5m"))), Daiminkan(), Ron()), "naki? 5M ron kan pon chi"),
]


@each_row(("legal", "text"), TURNS)
def test_offers_of_a_turn_are_words_in_order(legal: tuple[Action, ...], text: str) -> None:
    """Tiles for riichi come first, each once, then the words in their order; open riichi has no word."""
    assert SutehaiQuestion.offering(legal).serialise() == text


@each_row(("legal", "text"), CALLS)
def test_offers_of_a_call_are_words_in_order(legal: tuple[Action, ...], text: str) -> None:
    """Each kind of call is one word; to pass is none."""
    assert NakiQuestion.offering(F("5M"), legal).serialise() == text
