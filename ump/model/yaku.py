"""Yaku, the value of a winning hand, and Tenhou's numbers of yaku."""

from __future__ import annotations

from enum import Enum

from ump.model.value import value


class Yaku(Enum):
    """Every yaku, with its Japanese name and its romanised name in ASCII (one word)."""

    MENZEN_TSUMO = ("門前清自摸和", "menzentsumo")
    RIICHI = ("立直", "riichi")
    DOUBLE_RIICHI = ("両立直", "doubleriichi")
    OPEN_RIICHI = ("オープン立直", "openriichi")
    IPPATSU = ("一発", "ippatsu")
    CHANKAN = ("槍槓", "chankan")
    RINSHAN = ("嶺上開花", "rinshankaihou")
    HAITEI = ("海底摸月", "haitei")
    HOUTEI = ("河底撈魚", "houtei")
    RENHOU = ("人和", "renhou")
    PINFU = ("平和", "pinfu")
    TANYAO = ("断幺九", "tanyao")
    IIPEIKOU = ("一盃口", "iipeikou")
    SEAT_WIND = ("自風", "jikaze")
    ROUND_WIND = ("場風", "bakaze")
    HAKU = ("白", "haku")
    HATSU = ("發", "hatsu")
    CHUN = ("中", "chun")
    CHIITOITSU = ("七対子", "chiitoitsu")
    CHANTA = ("混全帯幺九", "chanta")
    ITTSU = ("一気通貫", "ittsu")
    SANSHOKU_DOUJUN = ("三色同順", "sanshokudoujun")
    SANSHOKU_DOUKOU = ("三色同刻", "sanshokudoukou")
    SANKANTSU = ("三槓子", "sankantsu")
    TOITOI = ("対々和", "toitoi")
    SANANKOU = ("三暗刻", "sanankou")
    SHOUSANGEN = ("小三元", "shousangen")
    HONROUTOU = ("混老頭", "honroutou")
    RYANPEIKOU = ("二盃口", "ryanpeikou")
    JUNCHAN = ("純全帯幺九", "junchan")
    HONITSU = ("混一色", "honitsu")
    CHINITSU = ("清一色", "chinitsu")
    DORA = ("ドラ", "dora")
    URA_DORA = ("裏ドラ", "uradora")
    RED_DORA = ("赤ドラ", "akadora")
    TENHOU = ("天和", "tenhou")
    CHIHOU = ("地和", "chihou")
    RENHOU_YAKUMAN = ("人和", "renhou")
    OPEN_RIICHI_YAKUMAN = ("オープン立直", "openriichi")
    DAISANGEN = ("大三元", "daisangen")
    SUUANKOU = ("四暗刻", "suuankou")
    SUUANKOU_TANKI = ("四暗刻単騎", "suuankoutanki")
    TSUUIISOU = ("字一色", "tsuuiisou")
    RYUUIISOU = ("緑一色", "ryuuiisou")
    CHINROUTOU = ("清老頭", "chinroutou")
    CHUUREN = ("九蓮宝燈", "chuurenpoutou")
    JUNSEI_CHUUREN = ("純正九蓮宝燈", "junseichuurenpoutou")
    KOKUSHI = ("国士無双", "kokushimusou")
    KOKUSHI_13 = ("国士無双十三面", "kokushimusou13")
    DAISUUSHII = ("大四喜", "daisuushii")
    SHOUSUUSHII = ("小四喜", "shousuushii")
    SUUKANTSU = ("四槓子", "suukantsu")

    def __new__(cls, japanese: str, romaji: str) -> Yaku:
        """Number the members: members with the same names (renhou as han and as yakuman) would be aliases otherwise."""
        member = object.__new__(cls)
        member._value_ = len(cls.__members__)
        return member

    def __init__(self, japanese: str, romaji: str) -> None:
        self.japanese = japanese
        self.romaji = romaji


@value
class HandValue:
    """The value of a complete hand with at least one yaku.

    A record may state it in part: then yaku are missing, or han, fu or base points are 0.
    """

    yaku: tuple[tuple[Yaku, int], ...]
    """Each yaku with its han, never 0; dora, ura dora and red dora last. A yakuman has 13 han, a double one 26."""
    han: int
    """The sum of their han."""
    fu: int
    """Rounded fu; 0 for a yakuman, but not for a kazoe yakuman."""
    yakuman: int
    """The number of yakuman, a double one counted twice; 0 for other hands and for a kazoe yakuman."""
    base: int
    """Base points, before they are multiplied for each payer: 2,000 for a mangan, 8,000 for each yakuman."""

    def points(self, seats: int, *, is_dealer: bool, is_tsumo: bool) -> int:
        """Return the points that all payers together pay for the hand, without honba and sticks.

        ``seats`` is the number of players, ``is_dealer`` says that the winner is the dealer. Each payment is rounded up
        to hundreds (docs/rules.md).
        """
        if not is_tsumo:
            return up_to_hundreds(self.base * (6 if is_dealer else 4))
        if is_dealer:
            return up_to_hundreds(2 * self.base) * (seats - 1)
        return up_to_hundreds(2 * self.base) + up_to_hundreds(self.base) * (seats - 2)


def up_to_hundreds(points: int) -> int:
    """Return points rounded up to hundreds."""
    return -(-points // 100) * 100


TENHOU_YAKU: tuple[Yaku, ...] = (
    Yaku.MENZEN_TSUMO,
    Yaku.RIICHI,
    Yaku.IPPATSU,
    Yaku.CHANKAN,
    Yaku.RINSHAN,
    Yaku.HAITEI,
    Yaku.HOUTEI,
    Yaku.PINFU,
    Yaku.TANYAO,
    Yaku.IIPEIKOU,
    *[Yaku.SEAT_WIND] * 4,
    *[Yaku.ROUND_WIND] * 4,
    Yaku.HAKU,
    Yaku.HATSU,
    Yaku.CHUN,
    Yaku.DOUBLE_RIICHI,
    Yaku.CHIITOITSU,
    Yaku.CHANTA,
    Yaku.ITTSU,
    Yaku.SANSHOKU_DOUJUN,
    Yaku.SANSHOKU_DOUKOU,
    Yaku.SANKANTSU,
    Yaku.TOITOI,
    Yaku.SANANKOU,
    Yaku.SHOUSANGEN,
    Yaku.HONROUTOU,
    Yaku.RYANPEIKOU,
    Yaku.JUNCHAN,
    Yaku.HONITSU,
    Yaku.CHINITSU,
    Yaku.RENHOU,
    Yaku.TENHOU,
    Yaku.CHIHOU,
    Yaku.DAISANGEN,
    Yaku.SUUANKOU,
    Yaku.SUUANKOU_TANKI,
    Yaku.TSUUIISOU,
    Yaku.RYUUIISOU,
    Yaku.CHINROUTOU,
    Yaku.CHUUREN,
    Yaku.JUNSEI_CHUUREN,
    Yaku.KOKUSHI,
    Yaku.KOKUSHI_13,
    Yaku.DAISUUSHII,
    Yaku.SHOUSUUSHII,
    Yaku.SUUKANTSU,
    Yaku.DORA,
    Yaku.URA_DORA,
    Yaku.RED_DORA,
)
"""The yaku of each Tenhou number; the four winds have numbers of their own, east first."""

YAKU_ORDER: dict[Yaku, int] = {yaku: place for place, yaku in enumerate(Yaku)}
"""The position of each yaku in the list of a hand: circumstances, shape, then dora, ura dora and red dora."""
