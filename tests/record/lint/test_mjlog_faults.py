"""The linter finds planted faults in Tenhou's mjlog, each with its element."""

from __future__ import annotations

import gzip
import re

from support.own_games import own_game
from support.rows import each_row
from support.sample_games import EAGER, sample

from ump.record.findings import Rule
from ump.record.lint.lint import lint
from ump.record.mjlog import write_mjlog
from ump.rules.presets import PRESETS

FAULTS: dict[str, tuple[str, str, Rule]] = {
    "draw twice": (r"(<T\d+/>)(<D\d+/>)", r"\1\1\2", Rule.TURN_ORDER),
    "unknown element": (r"<T\d+/>", r"<X1/>\g<0>", Rule.UNKNOWN_EVENT),
    "unknown move": (r"<T\d+/>", r"<T999/>\g<0>", Rule.UNKNOWN_EVENT),
    "unknown attribute": (r"<DORA ", r'<DORA no="1" ', Rule.UNKNOWN_FIELD),
    "stick": (r'<REACH who="(\d)" ten="[^"]*" step="2"/>', "", Rule.STICK),
    "payment": (r'(<AGARI .*?sc="\d+),(-?\d+)', r"\1,999", Rule.PAYMENT),
    "yaku": (r'(<AGARI [^>]*yaku=")\d+', r"\g<1>77", Rule.WRONG_VALUE),
    "no meld": (r'(<N who="\d" m=")\d+', r"\g<1>65535", Rule.MELD),
    "no number": (r'(<DORA hai=")\d+', r"\g<1>x", Rule.WRONG_VALUE),
    "short hand": (r'hai1="\d+,', 'hai1="', Rule.DEAL),
    "tile twice": (r"<U\d+/>(.*?)<U(\d+)/>", r"<U\2/>\1<U\2/>", Rule.FIFTH_TILE),
    "no type": (r'type="\d+"', "", Rule.WRONG_VALUE),
    "move before INIT": (r"<INIT ", r"<T1/><INIT ", Rule.UNREADABLE),
    "attribute twice": (r'owari="([^"]*)"', r"\g<0> owari='\1,0'", Rule.DOUBLED_FIELD),
    "final score": (r'owari="(\d+)', 'owari="999', Rule.FINAL_SCORE),
}


@each_row("what", FAULTS)
def test_mjlog(what: str) -> None:
    """The planted fault is among the first findings."""
    old, new, rule = FAULTS[what]
    text = gzip.decompress(sample(EAGER)).decode()
    altered = re.sub(old, new, text, count=1, flags=re.DOTALL)
    assert altered != text
    found = lint("planted", altered.encode()).findings
    assert rule in [each.rule for each in found][:3], found[:4]


def test_shared_places() -> None:
    """An mjlog states no places, so that players may share them: two are third in this game."""
    assert lint("shared", write_mjlog(own_game(PRESETS["ema"], "e1", rare=False))).findings == ()
