"""The value of a win and its payments, as text and as JSON, for a hand outside a game."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ump.model.constants import BAIMAN, HANEMAN, MANGAN, MAX_INDICATORS, SANBAIMAN, STICK_POINTS, YAKUMAN
from ump.model.melds import Meld
from ump.model.tiles import KIND_OF, KINDS, Face
from ump.model.value import value
from ump.model.yaku import HandValue, Yaku
from ump.rules.analysis import is_complete
from ump.rules.payments import win_changes
from ump.rules.ruleset import Ruleset
from ump.rules.score import Circumstances, hand_value
from ump.text.layout import columns, tile_text

_NAMES: Mapping[Yaku, str] = {
    Yaku.MENZEN_TSUMO: "menzen tsumo",
    Yaku.DOUBLE_RIICHI: "double riichi",
    Yaku.OPEN_RIICHI: "open riichi",
    Yaku.RINSHAN: "rinshan kaihou",
    Yaku.SEAT_WIND: "seat wind",
    Yaku.ROUND_WIND: "round wind",
    Yaku.HAKU: "white dragon",
    Yaku.HATSU: "green dragon",
    Yaku.CHUN: "red dragon",
    Yaku.SANSHOKU_DOUJUN: "sanshoku doujun",
    Yaku.SANSHOKU_DOUKOU: "sanshoku doukou",
    Yaku.URA_DORA: "ura dora",
    Yaku.RED_DORA: "red dora",
    Yaku.OPEN_RIICHI_YAKUMAN: "open riichi",
    Yaku.SUUANKOU_TANKI: "suuankou tanki",
    Yaku.CHUUREN: "chuuren poutou",
    Yaku.JUNSEI_CHUUREN: "junsei chuuren poutou",
    Yaku.KOKUSHI: "kokushi musou",
    Yaku.KOKUSHI_13: "kokushi musou, 13 waits",
}
"""The names that differ from those of ``ump.model.yaku``, which are one word."""


_CHINESE: Mapping[str, str] = {
    "両立直": "两立直",
    "オープン立直": "开立直",
    "一発": "一发",
    "槍槓": "抢杠",
    "嶺上開花": "岭上开花",
    "河底撈魚": "河底捞鱼",
    "門前清自摸和": "门前清自摸和",
    "一盃口": "一杯口",
    "自風": "自风",
    "場風": "场风",
    "發": "发",
    "七対子": "七对子",
    "混全帯幺九": "混全带幺九",
    "一気通貫": "一气通贯",
    "三色同順": "三色同顺",
    "三槓子": "三杠子",
    "対々和": "对对和",
    "混老頭": "混老头",
    "二盃口": "二杯口",
    "純全帯幺九": "纯全带幺九",
    "ドラ": "宝牌",
    "裏ドラ": "里宝牌",
    "赤ドラ": "赤宝牌",
    "四暗刻単騎": "四暗刻单骑",
    "緑一色": "绿一色",
    "清老頭": "清老头",
    "九蓮宝燈": "九莲宝灯",
    "純正九蓮宝燈": "纯正九莲宝灯",
    "国士無双": "国士无双",
    "国士無双十三面": "国士无双十三面",
    "四槓子": "四杠子",
}
"""The Chinese names that differ from the Japanese ones."""


def yaku_words(yaku: Yaku, language: str) -> str:
    """Return a yaku's name for people, in one of the languages of ``ump.text.style.Style``."""
    if language == "zh":
        return _CHINESE.get(yaku.japanese, yaku.japanese)
    if language == "ja":
        return yaku.japanese
    return _NAMES.get(yaku, yaku.romaji)


LANGUAGES = ("en", "ja")

_DEALER = 0
"""The dealer's seat. Outside a game a seat's number is its wind."""

_LIMITS = {
    MANGAN: {"en": "mangan", "ja": "満貫", "zh": "满贯"},
    HANEMAN: {"en": "haneman", "ja": "跳満", "zh": "跳满"},
    BAIMAN: {"en": "baiman", "ja": "倍満", "zh": "倍满"},
    SANBAIMAN: {"en": "sanbaiman", "ja": "三倍満", "zh": "三倍满"},
    YAKUMAN: {"en": "kazoe yakuman", "ja": "数え役満", "zh": "累计役满"},
}
"""The names of the limits by base points; those of yakuman are in ``_YAKUMAN``."""

_YAKUMAN = {"en": ("yakuman", "{}-fold yakuman"), "ja": ("役満", "{}倍役満"), "zh": ("役满", "{}倍役满")}
"""One yakuman, and several."""

_HAN_FU = {"en": "{} han {} fu", "ja": "{}翻{}符", "zh": "{}番{}符"}


class ConditionsError(ValueError):
    """Circumstances of a win that contradict each other or the rules; the message is one line."""


@value
class Conditions:
    """All that the value of a hand depends on besides its tiles."""

    ruleset: Ruleset
    circumstances: Circumstances
    """Its ``tsumo`` is ignored: each win says how it is won."""
    honba: int = 0
    kyotaku: int = 0
    """The number of riichi sticks on the table."""

    def by(self, *, tsumo: bool) -> Circumstances:
        """Return the circumstances of a win by tsumo or by ron, without those that need the other way."""
        given = self.circumstances
        return replace(
            given,
            tsumo=tsumo,
            rinshan=given.rinshan and tsumo,
            haitei=given.haitei and tsumo,
            chankan=given.chankan and not tsumo,
            houtei=given.houtei and not tsumo,
            loser_in_riichi=given.loser_in_riichi and not tsumo,
        )


@value
class Win:
    """A win, or an attempt at one: its tile, its value and its payments."""

    tsumo: bool
    tile: Face
    is_complete: bool
    value: HandValue | None = None
    """None if the hand is not complete, or complete without a yaku."""
    payments: tuple[tuple[str, int], ...] = ()
    """Payers and what each pays, with honba: ``discarder``; or ``dealer`` and ``others``; or only ``others``."""
    points: int = 0
    """The sum of the payments."""
    sticks: int = 0
    """Points from the riichi sticks on the table, which come on top."""


def check(conditions: Conditions, melds: Sequence[Meld]) -> None:
    """Raise ConditionsError if the circumstances contradict each other, the melds or the rules."""
    for is_impossible, reason in _IMPOSSIBLE:
        if is_impossible(conditions.ruleset, conditions.circumstances, melds):
            raise ConditionsError(reason)


def ways_to_win(circumstances: Circumstances) -> tuple[bool, ...]:
    """Return the possible ways to win, True for tsumo; raises ConditionsError if there are none."""
    is_tenhou = circumstances.first_turn and circumstances.seat_wind == _DEALER
    by_tsumo = circumstances.rinshan or circumstances.haitei or is_tenhou
    by_ron = circumstances.chankan or circumstances.houtei
    if by_tsumo and by_ron:
        raise ConditionsError("rinshan and haitei are won by tsumo, chankan and houtei by ron")
    return (False,) if by_ron else (True,) if by_tsumo else (False, True)


def win(conditions: Conditions, faces: Sequence[Face], melds: Sequence[Meld], tile: Face, *, tsumo: bool) -> Win:
    """Return the win with this tile, one of the concealed ``faces``; raises ConditionsError."""
    counts = [0] * KINDS
    for face in faces:
        counts[KIND_OF[face]] += 1
    if not is_complete(counts):
        return Win(tsumo, tile, is_complete=False)
    try:
        worth = hand_value(conditions.ruleset, faces, melds, tile, conditions.by(tsumo=tsumo))
    except ValueError as error:
        raise ConditionsError(str(error)) from error
    if worth is None:
        return Win(tsumo, tile, is_complete=True)
    payments, points = _payments(conditions, worth, tsumo=tsumo)
    return Win(tsumo, tile, True, worth, payments, points, conditions.kyotaku * STICK_POINTS)


_IMPOSSIBLE: tuple[tuple[Callable[[Ruleset, Circumstances, Sequence[Meld]], bool], str], ...] = (
    (lambda rules, at, melds: at.ippatsu and not at.riichi, "ippatsu needs riichi"),
    (lambda rules, at, melds: bool(at.ura) and not at.riichi, "ura dora need riichi"),
    (lambda rules, at, melds: at.riichi > 0 and any(each.is_open for each in melds), "riichi needs a closed hand"),
    (lambda rules, at, melds: at.first_turn and bool(melds), "a hand with melds is past its first turn"),
    (lambda rules, at, melds: at.first_turn and at.riichi > 0, "a hand in riichi is past its first turn"),
    (lambda rules, at, melds: at.first_turn and (at.haitei or at.houtei), "the first turn is not the last one"),
    (lambda rules, at, melds: at.first_turn and at.chankan, "the first turn is over with a kan"),
    (lambda rules, at, melds: at.ippatsu and at.rinshan, "a replacement draw ends ippatsu"),
    (lambda rules, at, melds: at.chankan and at.houtei, "a kan that can be robbed is not the last discard"),
    (lambda rules, at, melds: at.rinshan and at.haitei, "the replacement tile of a kan is never haitei"),
    (
        lambda rules, at, melds: at.rinshan and not at.norths and not any(each.is_kan for each in melds),
        "rinshan needs a kan or a kita",
    ),
    (lambda rules, at, melds: at.norths > 0 and not rules.kita, "these rules have no kita; tenhou3 and majsoul3 do"),
    (lambda rules, at, melds: at.norths > 0 and at.first_turn, "the first turn is over with a kita"),
    (lambda rules, at, melds: at.seat_wind >= rules.seats, "these rules have no seat wind north"),
    (lambda rules, at, melds: at.round_wind >= rules.seats, "these rules have no round wind north"),
    (lambda rules, at, melds: at.open_riichi and not rules.open_riichi, "these rules have no open riichi"),
    (lambda rules, at, melds: bool(at.ura) and not rules.ura_dora, "these rules have no ura dora"),
    (lambda rules, at, melds: len(at.indicators) > 1 and not rules.kan_dora, "these rules have no kan dora"),
    (lambda rules, at, melds: len(at.ura) > 1 and not rules.kan_ura, "these rules have no ura dora of kans"),
    (lambda rules, at, melds: len(at.ura) > len(at.indicators) > 0, "more ura than dora indicators"),
    (lambda rules, at, melds: len(at.ura) > MAX_INDICATORS, f"at most {MAX_INDICATORS} ura indicators exist"),
    (
        lambda rules, at, melds: len(at.indicators) > MAX_INDICATORS,
        f"at most {MAX_INDICATORS} dora indicators exist",
    ),
)
"""Tests for impossible circumstances, each with the error."""


def _payments(conditions: Conditions, worth: HandValue, *, tsumo: bool) -> tuple[tuple[tuple[str, int], ...], int]:
    """Return the payers with what each pays, and the sum."""
    seats, winner = conditions.ruleset.seats, conditions.circumstances.seat_wind
    others = [seat for seat in range(seats) if seat not in (winner, _DEALER)]
    changes = win_changes(
        conditions.ruleset,
        worth,
        winner=winner,
        loser=None if tsumo else others[0],
        dealer=_DEALER,
        honba=conditions.honba,
        kyotaku=0,
    )
    payers = {"discarder": others[0]} if not tsumo else {"dealer": _DEALER, "others": others[0]}
    return tuple((who, -changes[seat]) for who, seat in payers.items() if seat != winner), changes[winner]


def yaku_name(yaku: Yaku, lang: str) -> str:
    """Return a yaku's name in one of the languages."""
    return yaku.japanese if lang == "ja" else yaku.romaji


def size(worth: HandValue, lang: str) -> str:
    """Return han and fu, with the name of the limit from a mangan on."""
    if worth.yakuman:
        one, several = _YAKUMAN[lang]
        return one if worth.yakuman == 1 else several.format(worth.yakuman)
    han_fu = _HAN_FU[lang].format(worth.han, worth.fu)
    return f"{han_fu} {limit}" if (limit := limit_name(worth, lang)) else han_fu


def limit_name(worth: HandValue, lang: str) -> str | None:
    """Return the name of the limit; None below mangan."""
    if worth.yakuman:
        return size(worth, lang)
    return _LIMITS[worth.base][lang] if worth.base in _LIMITS else None


def brief(each: Win, lang: str) -> str:
    """Return a win in a few characters: ``2600 (2 han 40 fu)``, of a tsumo ``700/1300`` or ``1300 all``."""
    if each.value is None:
        return "no yaku" if each.is_complete else "not complete"
    paid = dict(each.payments)
    points = {
        ("discarder",): f"{each.points}",
        ("others",): f"{paid.get('others')} all",
        ("dealer", "others"): f"{paid.get('others')}/{paid.get('dealer')}",
    }[tuple(paid)]
    return f"{points} ({size(each.value, lang)})"


def win_lines(each: Win, lang: str) -> list[str]:
    """Return a win in full: points, yaku and payments."""
    head = f"{'tsumo of' if each.tsumo else 'ron on'} {tile_text(each.tile)}: "
    if each.value is None:
        return [head + brief(each, lang)]
    yaku = [(yaku_name(yaku, lang), str(han)) for yaku, han in each.value.yaku]
    paid = dict(each.payments)
    others = "the other" if each.points == sum(paid.values()) else "each of the others"
    payment = {
        ("discarder",): "{discarder} from the discarder",
        ("others",): "{others} from each of the others",
        ("dealer", "others"): "{dealer} from the dealer, {others} from " + others,
    }[tuple(paid)].format_map(paid)
    sticks = f", and {each.sticks} from the table" if each.sticks else ""
    lines = [*columns(yaku, right=(1,)), payment + sticks]
    return [f"{head}{size(each.value, lang)}, {each.points} points", *("  " + line for line in lines)]


def win_data(each: Win, lang: str) -> dict[str, object]:
    """Return a win as data for JSON."""
    data: dict[str, object] = {"by": "tsumo" if each.tsumo else "ron", "tile": tile_text(each.tile)}
    if each.value is None:
        return {**data, "complete": each.is_complete, "value": None}
    worth = each.value
    data["complete"] = True
    data["value"] = {
        "yaku": [{"name": yaku_name(yaku, lang), "han": han} for yaku, han in worth.yaku],
        "han": worth.han,
        "fu": worth.fu,
        "yakuman": worth.yakuman,
        "limit": limit_name(worth, lang),
        "points": each.points,
        "payments": dict(each.payments),
        "sticks": each.sticks,
    }
    return data
