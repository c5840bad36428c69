"""Replies: the word that counts, and its claim."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model.claims import Claim, Verb
from ump.model.notation import parse_majiang_face, parse_majiang_meld
from ump.model.phases import Phase
from ump.model.tiles import Face
from ump.wire.majiang.session import claim_of, read_reply
from ump.wire.text import WireError

TURN, CALL, CHANKAN = Phase.TURN, Phase.CALL, Phase.CHANKAN


def F(text: str) -> Face:
    """Return a face."""
    return parse_majiang_face(text)


def claim(reply: Any, phase: Phase | None, tile: str | None, *, is_old: bool = False) -> Claim | None:
    """Return the claim in a reply; None if it is unreadable."""
    read = read_reply(json.dumps(reply).encode(), is_old=is_old)
    try:
        return claim_of(read, phase, None if tile is None else F(tile))
    except WireError:
        return None


def named(verb: Verb, *tiles: str, tsumogiri: bool = False) -> Claim:
    """Return a claim."""
    return Claim(verb, tuple(map(F, tiles)), tsumogiri)


ON_TURN: list[tuple[dict[str, Any], Claim | None]] = [
    ({"dapai": "m3"}, named(Verb.DISCARD, "m3")),
    ({"dapai": "m0_"}, named(Verb.DISCARD, "m0", tsumogiri=True)),
    ({"dapai": "m3*"}, named(Verb.RIICHI, "m3")),
    ({"dapai": "z7_*"}, named(Verb.RIICHI, "z7", tsumogiri=True)),
    ({"gang": "m5550"}, named(Verb.ANKAN, "m0")),
    ({"gang": "m0555"}, named(Verb.ANKAN, "m0")),
    ({"gang": "z1111"}, named(Verb.ANKAN, "z1")),
    ({"gang": "p505-5"}, named(Verb.KAKAN, "p5")),
    ({"gang": "p555+0"}, named(Verb.KAKAN, "p0")),
    ({"gang": "p055+5"}, named(Verb.KAKAN, "p5")),
    ({"gang": "z6666="}, None),
    ({"gang": "m123"}, None),
    ({"gang": True}, None),
    ({"hule": "-"}, named(Verb.TSUMO)),
    ({"hule": True}, named(Verb.TSUMO)),
    ({"daopai": "-"}, named(Verb.RYUKYOKU)),
    ({"daopai": "-", "hule": "-", "gang": "z1111", "dapai": "m3"}, named(Verb.RYUKYOKU)),
    ({"hule": "-", "gang": "z1111", "dapai": "m3"}, named(Verb.TSUMO)),
    ({"gang": "z1111", "dapai": "m3"}, named(Verb.ANKAN, "z1")),
    ({"hule": "", "daopai": None, "gang": False, "dapai": "m3"}, named(Verb.DISCARD, "m3")),
    ({"gang": "?", "dapai": "m3"}, None),
    ({}, named(Verb.DISCARD, "m8", tsumogiri=True)),
    ({"log": "thinking", "dapai": ""}, named(Verb.DISCARD, "m8", tsumogiri=True)),
    ({"fulou": "m1-23"}, None),
    ({"dapai": "m3="}, named(Verb.DISCARD, "m3")),
    ({"dapai": "3m"}, None),
    ({"dapai": "z8"}, None),
    ({"dapai": "m3*_"}, None),
    ({"dapai": 3}, None),
    ({"dapai": ["m3"]}, None),
    ({"dapai": {"p": "m3"}}, None),
]


@each_row(("reply", "expected"), ON_TURN)
def test_the_first_word_counts_on_a_turn(reply: dict[str, Any], expected: Claim | None) -> None:
    """After a draw kyushu kyuhai, win, kan and discard count, in this order."""
    assert claim(reply, TURN, "m8") == expected


def test_an_empty_reply_after_a_call_is_unreadable() -> None:
    """An empty reply after a call is unreadable, because there is no drawn tile to discard."""
    assert claim({}, TURN, None) is None
    assert claim({"dapai": "m3"}, TURN, None) == named(Verb.DISCARD, "m3")


ON_CALL: list[tuple[str, dict[str, Any], Claim | None]] = [
    ("m3", {}, named(Verb.NO)),
    ("m3", {"hule": "-"}, named(Verb.RON)),
    ("m3", {"hule": "-", "fulou": "m333="}, named(Verb.RON)),
    ("m3", {"fulou": "m123-"}, named(Verb.CHI, "m1", "m2")),
    ("m3", {"fulou": "m3-21"}, named(Verb.CHI, "m1", "m2")),
    ("m2", {"fulou": "m12-3"}, named(Verb.CHI, "m1", "m3")),
    ("m4", {"fulou": "m034-"}, named(Verb.CHI, "m3", "m0")),
    ("m0", {"fulou": "m340-"}, named(Verb.CHI, "m3", "m4")),
    ("m0", {"fulou": "m34-0"}, named(Verb.CHI, "m3", "m4")),
    ("m0", {"fulou": "m345-"}, named(Verb.CHI, "m3", "m4")),
    ("p5", {"fulou": "p505="}, named(Verb.PON, "p0", "p5")),
    ("p5", {"fulou": "p055="}, named(Verb.PON, "p0", "p5")),
    ("p0", {"fulou": "p550="}, named(Verb.PON, "p5", "p5")),
    ("p0", {"fulou": "p055+"}, named(Verb.PON, "p5", "p5")),
    ("z6", {"fulou": "z666-"}, named(Verb.PON, "z6", "z6")),
    ("z6", {"fulou": "z6666-"}, named(Verb.KAN)),
    ("s0", {"fulou": "s5550+"}, named(Verb.KAN)),
    ("m4", {"fulou": "m12-3"}, None),
    ("m3", {"fulou": "m12+3"}, None),
    ("m3", {"fulou": "m123"}, None),
    ("m3", {"fulou": "m3333"}, None),
    ("m3", {"fulou": "m333=3"}, None),
    ("m3", {"fulou": "p333="}, None),
    ("m3", {"fulou": 1}, None),
    ("m3", {"dapai": "m3"}, named(Verb.NO)),
    ("m3", {"daopai": "-"}, named(Verb.NO)),
    ("m3", {"gang": "m3333"}, named(Verb.NO)),
]


@each_row(("tile", "reply", "expected"), ON_CALL)
def test_win_and_call_count_on_a_discard(tile: str, reply: dict[str, Any], expected: Claim | None) -> None:
    """On a discard win and call count, in this order; anything else passes."""
    assert claim(reply, CALL, tile) == expected


def test_a_reply_to_a_kan_robs_or_passes() -> None:
    """A reply to a kan robs it or passes."""
    assert claim({"hule": "-"}, CHANKAN, "m3") == named(Verb.RON)
    assert claim({}, CHANKAN, "m3") == claim({"fulou": "m333="}, CHANKAN, "m3") == named(Verb.NO)


def test_any_reply_says_ready() -> None:
    """Any reply says that the client is ready."""
    assert claim({}, None, None) == claim({"dapai": "x"}, None, None) == named(Verb.YES)


OLD: list[tuple[dict[str, Any], Phase, Claim | None]] = [
    ({"type": "dapai", "data": "m3_*"}, TURN, named(Verb.RIICHI, "m3", tsumogiri=True)),
    ({"type": "gang", "data": "z1111"}, TURN, named(Verb.ANKAN, "z1")),
    ({"type": "fule", "data": None}, TURN, named(Verb.TSUMO)),
    ({"type": "hule"}, CALL, named(Verb.RON)),
    ({"type": "pingju", "data": None}, TURN, named(Verb.RYUKYOKU)),
    ({"type": "fulou", "data": "m78-9"}, CALL, named(Verb.CHI, "m7", "m9")),
    ({"type": "", "data": None}, CALL, named(Verb.NO)),
    ({"type": "", "data": None}, TURN, named(Verb.DISCARD, "m8", tsumogiri=True)),
    ({"type": "say", "data": "m3"}, CALL, named(Verb.NO)),
    ({"dapai": "m3"}, TURN, named(Verb.DISCARD, "m3")),
]


@each_row(("reply", "phase", "expected"), OLD)
def test_words_of_2015_are_read_in_that_form(reply: dict[str, Any], phase: Phase, expected: Claim | None) -> None:
    """A client in the form of 2015 may use its words, and today's too."""
    assert claim(reply, phase, "m8", is_old=True) == expected


def test_words_of_2015_mean_nothing_today() -> None:
    """The words of 2015 have no meaning for a client that has not asked for that form."""
    assert claim({"type": "dapai", "data": "m3"}, TURN, "m8") == named(Verb.DISCARD, "m8", tsumogiri=True)


SEQS: list[tuple[Any, bool]] = [(7, True), (7.0, True), (8, False), ("7", False), (True, False), (None, False)]


@each_row(("seq", "answers"), [*SEQS, ([7], False), ({"seq": 7}, False), (1e300, False)])
def test_only_a_number_is_a_seq(seq: Any, answers: bool) -> None:
    """Only a number can be the seq; true is not one."""
    assert read_reply(json.dumps({"seq": seq}).encode()).answers(7) is answers
    assert not read_reply(json.dumps({"seq": True}).encode()).answers(1)


MELDS = ["m1-23", "s34-0", "p067-", "p500+", "s505=", "z666=", "s5505+", "z1111-"]


@given(st.sampled_from(MELDS), st.randoms())
def test_digits_of_a_call_may_have_any_order(text: str, chance: Any) -> None:
    """A call means the same with its digits in any order, as long as one of them is marked."""
    meld = parse_majiang_meld(text, 1)
    assert meld.called is not None
    tile = meld.called
    digits = [sign for sign in text if sign.isdigit()]
    chance.shuffle(digits)
    (mark,) = set(text) & set("-=+")
    shuffled = f"{text[0]}{''.join(digits)}{mark}"
    read = claim_of(read_reply(json.dumps({"fulou": shuffled}).encode()), CALL, tile)
    assert read == claim_of(read_reply(json.dumps({"fulou": text}).encode()), CALL, tile)
