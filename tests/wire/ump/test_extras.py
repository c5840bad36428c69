"""Tests the additions of extensions to questions: offers, and the time left."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.all_actions import ALL_ACTIONS
from support.rows import each_row

from ump.game.deals import seeded_deals
from ump.game.game import Game
from ump.model.actions import Action, DeclareNoten, DeclareTenpai, Discard, Pass, Riichi
from ump.model.phases import Phase
from ump.rules.presets import PRESETS
from ump.rules.ruleset import Length
from ump.wire.text import WireError
from ump.wire.ump.extras import Extras, Time, offer_words, parse_extras

UNSAID = (Pass, DeclareTenpai, DeclareNoten)
"""Actions that are never offered, because they are always legal."""

ORDER = ["sute", "richi", "openrichi", "ankan", "kakan", "chi", "pon", "kita", "tsumo", "ryukyoku", "kan", "ron"]
"""The order of offers in a question."""


def offered(actions: tuple[Action, ...]) -> set[Action]:
    """Return these actions as offers are read: without ``tsumogiri``, which offers do not carry."""
    return {
        replace(action, tsumogiri=False) if isinstance(action, Discard | Riichi) else action
        for action in actions
        if not isinstance(action, UNSAID)
    }


@given(st.lists(st.sampled_from(ALL_ACTIONS), max_size=40).map(tuple))
@example(ALL_ACTIONS)
def test_offers_are_read_back(actions: tuple[Action, ...]) -> None:
    """Offers are read as the same actions, each once; their words have a fixed order."""
    words = offer_words(actions)
    read = parse_extras(words).offers or ()
    assert len(read) == len(set(read))
    assert set(read) == offered(actions)
    names = [word.partition("=")[0] for word in words]
    assert names == sorted(names, key=ORDER.index)
    assert offer_words(read) == words


@each_row("preset", ["ump", "classic"])
def test_legal_actions_are_read_back(preset: str) -> None:
    """All legal actions of the turns and calls of a game are offered, in one line of limited length."""
    rng = random.Random(preset)
    rules = replace(PRESETS[preset], length=Length.TONPU, open_riichi=True)
    game = Game(rules, "ABCD", seeded_deals(preset))
    game.begin()
    while not game.over:
        if game.between_kyoku:
            game.proceed()
            continue
        seat, question = next(iter(game.questions.items()))
        legal = question.legal()
        if question.phase is not Phase.DECLARE:
            extras = Extras(legal)
            assert set(parse_extras(extras.words()).offers or ()) == offered(legal)
            assert len(" ".join(extras.words())) < 500
        game.answer(seat, rng.choice(legal))


TIMES = [
    (Time(10, 20), "10+20"),
    (Time(0, 0.5), "0+0.5"),
    (Time(86_400, 0), "86400+0"),
    (Time(9.5, 19.9), "9.5+19.9"),
]


@each_row(("time", "text"), TIMES)
def test_time_is_written_in_tenths(time: Time, text: str) -> None:
    """The time of the move comes first, then the bank; whole seconds have no decimal point."""
    assert time.serialise() == text
    assert Time.parse(text) == time


def test_time_is_rounded_to_tenths() -> None:
    """Finer times are rounded."""
    assert Time(9.96, 19.04).serialise() == "10+19"


@each_row("text", ["", "10", "+", "10+", "+20", "-1+0", "1e3+0", "1.25+0", "1 + 2", "1+2+3", "nan+0", "1.+2"])
def test_invalid_times_are_refused(text: str) -> None:
    """A time is two decimal numbers, each with one decimal at most."""
    with pytest.raises(WireError):
        Time.parse(text)


@given(st.floats(0, 86_400), st.floats(0, 86_400))
def test_any_time_is_read_back(move: float, bank: float) -> None:
    """Every time that can be configured can be written, to a tenth of a second."""
    read = Time.parse(Time(move, bank).serialise())
    assert abs(read.move - move) <= 0.0501
    assert abs(read.bank - bank) <= 0.0501
