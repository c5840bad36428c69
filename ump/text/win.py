"""The value of a win and its payments, as text and as JSON, for a hand outside a game."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import lru_cache

from ump.model.constants import BAIMAN, HANEMAN, MANGAN, MAX_INDICATORS, SANBAIMAN, STICK_POINTS, YAKUMAN
from ump.model.hand import Hand
from ump.model.melds import KANS, Meld, MeldType
from ump.model.seats import Seat
from ump.model.tiles import Face, sort_faces
from ump.model.value import value
from ump.model.yaku import HandValue, Yaku
from ump.rules.analysis import is_complete
from ump.rules.payments import win_changes
from ump.rules.ruleset import Ruleset
from ump.rules.score import Circumstances, value_and_fu
from ump.text.layout import columns, indented, tile_text
from ump.web import pieces

_WORDS: Mapping[Yaku, tuple[str, str, str]] = {
    Yaku.MENZEN_TSUMO: ("Fully Concealed Hand", "门前清自摸和", "menzen tsumo"),
    Yaku.RIICHI: ("Riichi", "立直", "riichi"),
    Yaku.DOUBLE_RIICHI: ("Double Riichi", "两立直", "double riichi"),
    Yaku.OPEN_RIICHI: ("Open Riichi", "开立直", "open riichi"),
    Yaku.IPPATSU: ("Ippatsu", "一发", "ippatsu"),
    Yaku.CHANKAN: ("Robbing a Kan", "枪杠", "chankan"),
    Yaku.RINSHAN: ("After a Kan", "岭上开花", "rinshan kaihou"),
    Yaku.HAITEI: ("Under the Sea", "海底摸月", "haitei raoyue"),
    Yaku.HOUTEI: ("Under the River", "河底捞鱼", "houtei raoyui"),
    Yaku.RENHOU: ("Hand of Man", "人和", "renhou"),
    Yaku.PINFU: ("Pinfu", "平和", "pinfu"),
    Yaku.TANYAO: ("All Simples", "断幺九", "tanyao"),
    Yaku.IIPEIKOU: ("Pure Double Sequence", "一杯口", "iipeikou"),
    Yaku.SEAT_WIND: ("Seat Wind", "门风牌", "jikaze"),
    Yaku.ROUND_WIND: ("Prevalent Wind", "场风牌", "bakaze"),
    Yaku.HAKU: ("White Dragon", "白", "haku"),
    Yaku.HATSU: ("Green Dragon", "发", "hatsu"),
    Yaku.CHUN: ("Red Dragon", "中", "chun"),
    Yaku.CHIITOITSU: ("Seven Pairs", "七对子", "chiitoitsu"),
    Yaku.CHANTA: ("Half Outside Hand", "混全带幺九", "chanta"),
    Yaku.ITTSU: ("Pure Straight", "一气通贯", "ittsu"),
    Yaku.SANSHOKU_DOUJUN: ("Mixed Triple Sequence", "三色同顺", "sanshoku doujun"),
    Yaku.SANSHOKU_DOUKOU: ("Triple Triplets", "三色同刻", "sanshoku doukou"),
    Yaku.SANKANTSU: ("Three Quads", "三杠子", "sankantsu"),
    Yaku.TOITOI: ("All Triplets", "对对和", "toitoi"),
    Yaku.SANANKOU: ("Three Concealed Triplets", "三暗刻", "sanankou"),
    Yaku.SHOUSANGEN: ("Little Three Dragons", "小三元", "shousangen"),
    Yaku.HONROUTOU: ("All Terminals and Honors", "混老头", "honroutou"),
    Yaku.RYANPEIKOU: ("Twice Pure Double Sequence", "二杯口", "ryanpeikou"),
    Yaku.JUNCHAN: ("Fully Outside Hand", "纯全带幺九", "junchan"),
    Yaku.HONITSU: ("Half Flush", "混一色", "honitsu"),
    Yaku.CHINITSU: ("Full Flush", "清一色", "chinitsu"),
    Yaku.DORA: ("Dora", "宝牌", "dora"),
    Yaku.URA_DORA: ("Ura Dora", "里宝牌", "ura dora"),
    Yaku.RED_DORA: ("Red Five", "红宝牌", "aka dora"),
    Yaku.TENHOU: ("Blessing of Heaven", "天和", "tenhou"),
    Yaku.CHIHOU: ("Blessing of Earth", "地和", "chihou"),
    Yaku.RENHOU_YAKUMAN: ("Hand of Man", "人和", "renhou"),
    Yaku.OPEN_RIICHI_YAKUMAN: ("Open Riichi", "开立直", "open riichi"),
    Yaku.DAISANGEN: ("Big Three Dragons", "大三元", "daisangen"),
    Yaku.SUUANKOU: ("Four Concealed Triplets", "四暗刻", "suuankou"),
    Yaku.SUUANKOU_TANKI: ("Single-wait Four Concealed Triplets", "四暗刻单骑", "suuankou tanki"),
    Yaku.TSUUIISOU: ("All Honors", "字一色", "tsuuiisou"),
    Yaku.RYUUIISOU: ("All Green", "绿一色", "ryuuiisou"),
    Yaku.CHINROUTOU: ("All Terminals", "清老头", "chinroutou"),
    Yaku.CHUUREN: ("Nine Gates", "九莲宝灯", "chuuren poutou"),
    Yaku.JUNSEI_CHUUREN: ("True Nine Gates", "纯正九莲宝灯", "junsei chuuren poutou"),
    Yaku.KOKUSHI: ("Thirteen Orphans", "国士无双", "kokushi musou"),
    Yaku.KOKUSHI_13: ("Thirteen-wait Thirteen Orphans", "国士无双十三面", "kokushi musou juusanmen"),
    Yaku.DAISUUSHII: ("Four Big Winds", "大四喜", "daisuushii"),
    Yaku.SHOUSUUSHII: ("Four Little Winds", "小四喜", "shousuushii"),
    Yaku.SUUKANTSU: ("Four Quads", "四杠子", "suukantsu"),
}
"""The English and Chinese names, as Mahjong Soul has them, and the romanised ones."""


FU_WORDS: Mapping[str, tuple[str, str, str]] = {
    "base": ("winning", "副底", "底符"),
    "tsumo": ("tsumo", "ツモ", "自摸"),
    "hand_without_fu": ("open hand without fu", "喰い平和形", "副露平和形"),
    "valued_pair": ("pair of an honour with a yaku", "役牌の雀頭", "役牌雀头"),
    "double_valued_pair": ("pair of the seat and round wind", "連風牌の雀頭", "连风牌雀头"),
    "pair_wait": ("wait for the pair", "単騎待ち", "单骑听"),
    "kanchan": ("closed wait", "嵌張待ち", "坎张听"),
    "penchan": ("edge wait", "辺張待ち", "边张听"),
    "open_pon": ("open triplet of simples", "中張牌の明刻", "中张明刻"),
    "closed_pon": ("closed triplet of simples", "中張牌の暗刻", "中张暗刻"),
    "open_terminal_pon": ("open triplet of terminals or honours", "幺九牌の明刻", "幺九明刻"),
    "closed_terminal_pon": ("closed triplet of terminals or honours", "幺九牌の暗刻", "幺九暗刻"),
    "open_kan": ("open kan of simples", "中張牌の明槓", "中张明杠"),
    "closed_kan": ("closed kan of simples", "中張牌の暗槓", "中张暗杠"),
    "open_terminal_kan": ("open kan of terminals or honours", "幺九牌の明槓", "幺九明杠"),
    "closed_terminal_kan": ("closed kan of terminals or honours", "幺九牌の暗槓", "幺九暗杠"),
}
"""The reasons of fu in English, Japanese and Chinese."""

LANGUAGES = ("en", "romaji", "ja", "zh")
"""The languages of yaku. What stands beside romanised names is English."""


def yaku_words(yaku: Yaku, language: str) -> str:
    """Return a yaku's name for people, in one of ``LANGUAGES``."""
    english, chinese, romaji = _WORDS[yaku]
    return {"en": english, "romaji": romaji, "ja": yaku.japanese, "zh": chinese}[language]


def fu_words(reason: str, language: str) -> str:
    """Return the reason of fu in one of ``LANGUAGES``."""
    return FU_WORDS[reason][("en", "ja", "zh").index(_words_of(language))]


def _words_of(language: str) -> str:
    """Return the language of all words but yaku."""
    return "en" if language == "romaji" else language


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
        at = self.circumstances
        if tsumo:
            is_so = at.tsumo and not (at.chankan or at.houtei or at.loser_in_riichi)
            return at if is_so else replace(at, tsumo=True, chankan=False, houtei=False, loser_in_riichi=False)
        is_so = not (at.tsumo or at.rinshan or at.haitei)
        return at if is_so else replace(at, tsumo=False, rinshan=False, haitei=False)


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
    fu: tuple[tuple[str, int], ...] = ()
    """The fu before rounding, each with its reason as ``FU_WORDS`` has it; none for a yakuman."""
    faces: tuple[Face, ...] = ()
    """The concealed tiles without the winning one, sorted."""
    melds: tuple[Meld, ...] = ()

    def _repr_html_(self) -> str:
        """Show the win in a notebook: the hand, its yaku, and who pays."""
        shown = pieces.hand(self.faces, self.melds, self.tile)
        if self.value is None:
            return pieces.piece(pieces.line(shown), pieces.line(brief(self, "romaji")))
        yaku = [(yaku_words(yaku, "romaji"), yaku.japanese, str(han)) for yaku, han in self.value.yaku]
        words = f"{size(self.value, 'romaji')}, {self.points:,} points by {'tsumo' if self.tsumo else 'ron'}"
        table = pieces.table(("yaku", "in Japanese", "han"), yaku)
        return pieces.piece(pieces.line(shown), pieces.line(words), table, pieces.line(_payment_words(self)))


def check(conditions: Conditions, melds: Collection[MeldType]) -> None:
    """Raise ConditionsError if the circumstances contradict each other, the melds or the rules."""
    circumstances = conditions.circumstances
    contradictions = (*_contradictions(circumstances, melds), *_breaches(circumstances, conditions.ruleset))
    for is_impossible, reason in contradictions:
        if is_impossible:
            raise ConditionsError(reason)


def _contradictions(at: Circumstances, melds: Collection[MeldType]) -> tuple[tuple[bool, str], ...]:
    """Return whether circumstances contradict each other or the melds, each with the error."""
    is_riichi = at.riichi > 0
    has_open = any(meld is not MeldType.ANKAN for meld in melds)
    has_kan = any(meld in KANS for meld in melds)
    return (
        (at.ippatsu and not is_riichi, "ippatsu needs riichi"),
        (bool(at.ura) and not is_riichi, "ura dora need riichi"),
        (is_riichi and has_open, "riichi needs a closed hand"),
        (at.first_turn and bool(melds), "a hand with melds is past its first turn"),
        (at.first_turn and is_riichi, "a hand in riichi is past its first turn"),
        (at.first_turn and (at.haitei or at.houtei), "the first turn is not the last one"),
        (at.first_turn and at.chankan, "the first turn is over with a kan"),
        (at.ippatsu and at.rinshan, "a replacement draw ends ippatsu"),
        (at.chankan and at.houtei, "a kan that can be robbed is not the last discard"),
        (at.rinshan and at.haitei, "the replacement tile of a kan is never haitei"),
        (at.rinshan and not at.norths and not has_kan, "rinshan needs a kan or a kita"),
    )


def _breaches(at: Circumstances, rules: Ruleset) -> tuple[tuple[bool, str], ...]:
    """Return whether circumstances are against the rules or beyond the tiles, each with the error."""
    indicators, ura = len(at.indicators), len(at.ura)
    return (
        (at.norths > 0 and not rules.kita, "these rules have no kita; tenhou3 and majsoul3 do"),
        (at.norths > 0 and at.first_turn, "the first turn is over with a kita"),
        (at.seat_wind >= rules.seats, "these rules have no seat wind north"),
        (at.round_wind >= rules.seats, "these rules have no round wind north"),
        (at.open_riichi and not rules.open_riichi, "these rules have no open riichi"),
        (ura > 0 and not rules.ura_dora, "these rules have no ura dora"),
        (indicators > 1 and not rules.kan_dora, "these rules have no kan dora"),
        (ura > 1 and not rules.kan_ura, "these rules have no ura dora of kans"),
        (ura > indicators > 0, "more ura than dora indicators"),
        (ura > MAX_INDICATORS, f"at most {MAX_INDICATORS} ura indicators exist"),
        (indicators > MAX_INDICATORS, f"at most {MAX_INDICATORS} dora indicators exist"),
    )


def ways_to_win(circumstances: Circumstances) -> tuple[bool, ...]:
    """Return the possible ways to win, True for tsumo; raises ConditionsError if there are none."""
    is_tenhou = circumstances.first_turn and circumstances.seat_wind == _DEALER
    by_tsumo = circumstances.rinshan or circumstances.haitei or is_tenhou
    by_ron = circumstances.chankan or circumstances.houtei
    if by_tsumo and by_ron:
        raise ConditionsError("rinshan and haitei are won by tsumo, chankan and houtei by ron")
    if by_ron:
        return (False,)
    if by_tsumo:
        return (True,)
    return (False, True)


def win(conditions: Conditions, faces: tuple[Face, ...], melds: tuple[Meld, ...], tile: Face, *, tsumo: bool) -> Win:
    """Return the win with this tile, one of the concealed ``faces``; raises ConditionsError."""
    try:
        worth, fu = value_and_fu(conditions.ruleset, faces, melds, tile, conditions.by(tsumo=tsumo))
    except ValueError as error:
        raise ConditionsError(str(error)) from error
    at = len(faces) - 1 if faces[-1] == tile else faces.index(tile)
    rest = sort_faces(faces[:at] + faces[at + 1 :])
    if worth is None:
        return Win(tsumo, tile, is_complete=is_complete(Hand(faces).kinds), faces=rest, melds=melds)
    winner = conditions.circumstances.seat_wind
    payments, points = _payments(conditions.ruleset, worth.base, winner, conditions.honba, tsumo)
    sticks = conditions.kyotaku * STICK_POINTS
    return Win(tsumo, tile, True, worth, payments, points, sticks, fu, rest, melds)


@lru_cache(1 << 9)
def _payments(
    ruleset: Ruleset, base: int, winner: Seat, honba: int, tsumo: bool
) -> tuple[tuple[tuple[str, int], ...], int]:
    """Return the payers of base points with what each pays, and the sum."""
    others = [seat for seat in range(ruleset.seats) if seat not in (winner, _DEALER)]
    changes = win_changes(
        ruleset,
        HandValue((), 0, 0, 0, base),
        winner=winner,
        loser=None if tsumo else others[0],
        dealer=_DEALER,
        honba=honba,
        kyotaku=0,
    )
    if not tsumo:
        payers = [("discarder", others[0])]
    elif winner == _DEALER:
        payers = [("others", others[0])]
    else:
        payers = [("dealer", _DEALER), ("others", others[0])]
    return tuple((who, -changes[seat]) for who, seat in payers), changes[winner]


def size(worth: HandValue, lang: str) -> str:
    """Return han and fu, with the name of the limit from a mangan on."""
    if worth.yakuman:
        one, several = _YAKUMAN[_words_of(lang)]
        return one if worth.yakuman == 1 else several.format(worth.yakuman)
    han_fu = _HAN_FU[_words_of(lang)].format(worth.han, worth.fu)
    limit = limit_name(worth, lang)
    return f"{han_fu} {limit}" if limit else han_fu


def limit_name(worth: HandValue, lang: str) -> str | None:
    """Return the name of the limit; None below mangan."""
    if worth.yakuman:
        return size(worth, lang)
    return _LIMITS[worth.base][_words_of(lang)] if worth.base in _LIMITS else None


def brief(won: Win, lang: str) -> str:
    """Return a win in a few characters: ``2600 (2 han 40 fu)``, of a tsumo ``700/1300`` or ``1300 all``."""
    if won.value is None:
        return "no yaku" if won.is_complete else "not complete"
    match won.payments:
        case (("dealer", dealer), ("others", others)):
            points = f"{others}/{dealer}"
        case (("others", others),):
            points = f"{others} all"
        case _:
            points = f"{won.points}"
    return f"{points} ({size(won.value, lang)})"


def _payment_words(won: Win) -> str:
    """Return the payments of a win in words."""
    match won.payments:
        case (("dealer", dealer), ("others", others)):
            payers = "the other" if won.points == dealer + others else "each of the others"
            words = f"{dealer} from the dealer, {others} from {payers}"
        case (("others", others),):
            words = f"{others} from each of the others"
        case _:
            words = f"{won.points} from the discarder"
    return f"{words}, and {won.sticks} from the table" if won.sticks else words


def win_lines(won: Win, lang: str, *, with_fu: bool = False) -> list[str]:
    """Return a win in full: points, yaku and payments, and ``with_fu`` what each fu is for."""
    way = "tsumo of" if won.tsumo else "ron on"
    head = f"{way} {tile_text(won.tile)}: "
    if won.value is None:
        return [head + brief(won, lang)]
    yaku = [(yaku_words(yaku, lang), str(han)) for yaku, han in won.value.yaku]
    lines = columns(yaku, right=(1,))
    if with_fu:
        fu = [(fu_words(reason, lang), f"{count} fu") for reason, count in won.fu]
        lines += columns(fu, right=(1,))
    lines.append(_payment_words(won))
    return [f"{head}{size(won.value, lang)}, {won.points} points", *indented(lines)]


def win_data(won: Win, lang: str, *, with_fu: bool = False) -> dict[str, object]:
    """Return a win as data for JSON, ``with_fu`` with what each fu is for."""
    data: dict[str, object] = {"by": "tsumo" if won.tsumo else "ron", "tile": tile_text(won.tile)}
    if won.value is None:
        return {**data, "complete": won.is_complete, "value": None}
    yaku = [{"name": yaku_words(yaku, lang), "han": han} for yaku, han in won.value.yaku]
    worth: dict[str, object] = {"yaku": yaku, "han": won.value.han, "fu": won.value.fu}
    if with_fu:
        worth["fu_items"] = [{"for": fu_words(reason, lang), "fu": fu} for reason, fu in won.fu]
    worth["yakuman"] = won.value.yakuman
    worth["limit"] = limit_name(won.value, lang)
    worth["points"] = won.points
    worth["payments"] = dict(won.payments)
    worth["sticks"] = won.sticks
    return {**data, "complete": True, "value": worth}
