"""The presets: published rules as values of ``Ruleset``.

``ump.rules.preset_sources`` says where each value is written, and which ones are unsure. Fields that a preset does not
set are as in ``ump``, which has Tenhou's rules with declared tenpai.
"""

from __future__ import annotations

from dataclasses import replace

from ump.model.events import GameEnded
from ump.rules.ruleset import (
    EqualScores,
    ExtraRound,
    KanDoraTime,
    Kuikae,
    LeftSticks,
    MultipleRon,
    Nagashi,
    OwnCopies,
    PaoCover,
    PaoHonba,
    Renchan,
    Renhou,
    RiichiKan,
    RonExtras,
    Rounding,
    Ruleset,
    Tenpai,
)

UMP = Ruleset()

TENHOU = replace(
    UMP,
    name="tenhou",
    tenpai=Tenpai.AUTOMATIC,
)


def rounded_as(ruleset: Ruleset, ended: GameEnded | None) -> Ruleset:
    """Return Tenhou's rules as they were played, by the end of a game: until January 2022 its results are whole."""
    is_tenhou = ruleset.name.rstrip("*") in (TENHOU.name, TENHOU3.name)
    if ended is None or not ended.results or not is_tenhou:
        return ruleset
    is_whole = not any(result % 10 for result in ended.results) and any(score % 1_000 for score in ended.points)
    return replace(ruleset, rounding=Rounding.WHOLE) if is_whole else ruleset


MLEAGUE = replace(
    UMP,
    name="mleague",
    uma=(30, 10, -10, -30),
    equal_scores=EqualScores.SHARE,
    open_kan_dora=KanDoraTime.AT_ONCE,
    multiple_ron=MultipleRon.HEAD_BUMP,
    kyushu_kyuhai=False,
    suufon_renda=False,
    suucha_riichi=False,
    suukaikan=False,
    nagashi=Nagashi.NO,
    own_copies=OwnCopies.WITH_MELDS,
    agari_yame=False,
    tenpai_yame=False,
    extra_round=ExtraRound.NONE,
    tobi=False,
    riichi_points=0,
    riichi_tiles=1,
    riichi_kan=RiichiKan.SAME_SHAPE,
    double_wind_fu=2,
    kiriage=True,
    kazoe_yakuman=False,
    pao_suukantsu=True,
    pao_cover=PaoCover.OWN,
    pao_honba=PaoHonba.LIABLE,
)

MAJSOUL = replace(
    UMP,
    name="majsoul",
    return_points=25_000,
    uma=(15, 5, -5, -15),
    multiple_ron=MultipleRon.ALL,
    tenpai=Tenpai.AUTOMATIC,
    double_suuankou_tanki=True,
    double_kokushi_13=True,
    double_junsei_chuuren=True,
    double_daisuushii=True,
    tenhou_any_tile=True,
    pao_cover=PaoCover.OWN,
    kokushi_ankan=True,
)

WRC = replace(
    UMP,
    name="wrc",
    start_points=30_000,
    uma=(15, 5, -5, -15),
    equal_scores=EqualScores.SHARE,
    left_sticks=LeftSticks.LOST,
    red_fives=(0, 0, 0),
    open_kan_dora=KanDoraTime.AT_ONCE,
    multiple_ron=MultipleRon.HEAD_BUMP,
    kyushu_kyuhai=False,
    suufon_renda=False,
    suucha_riichi=False,
    suukaikan=False,
    nagashi=Nagashi.NO,
    own_copies=OwnCopies.WITH_MELDS,
    agari_yame=False,
    tenpai_yame=False,
    extra_round=ExtraRound.NONE,
    tobi=False,
    riichi_points=0,
    riichi_tiles=0,
    riichi_kan=RiichiKan.SAME_SHAPE,
    double_wind_fu=2,
    kiriage=True,
    pao_suukantsu=True,
    pao_cover=PaoCover.OWN,
    pao_honba=PaoHonba.DISCARDER,
    renhou=Renhou.MANGAN,
    kokushi_ankan=True,
)

EMA = replace(
    UMP,
    name="ema",
    start_points=30_000,
    uma=(15, 5, -5, -15),
    equal_scores=EqualScores.SHARE,
    red_fives=(0, 0, 0),
    open_kan_dora=KanDoraTime.AT_ONCE,
    multiple_ron=MultipleRon.ALL,
    ron_extras=RonExtras.EACH,
    kyushu_kyuhai=False,
    suufon_renda=False,
    suucha_riichi=False,
    suukaikan=False,
    nagashi=Nagashi.NO,
    own_copies=OwnCopies.WITH_MELDS,
    agari_yame=False,
    tenpai_yame=False,
    extra_round=ExtraRound.NONE,
    tobi=False,
    riichi_points=0,
    riichi_kan=RiichiKan.SAME_SHAPE,
    double_wind_fu=2,
    kiriage=True,
    kazoe_yakuman=False,
    yakuman_add_up=False,
    pao_honba=PaoHonba.DISCARDER,
    renhou=Renhou.MANGAN,
    kokushi_ankan=True,
)

RIICHICITY = replace(
    UMP,
    name="riichicity",
    uma=(30, 10, -10, -30),
    tenpai=Tenpai.AUTOMATIC,
    double_suuankou_tanki=True,  # the page of 2022: full scoring, for example of suuankou tanki
    double_kokushi_13=True,
    double_junsei_chuuren=True,
    double_daisuushii=True,
    rinshan_pao=True,
)

CLASSIC = replace(
    UMP,
    name="classic",
    start_points=30_000,
    uma=(12, 4, -4, -12),
    red_fives=(0, 0, 0),
    kuikae=Kuikae.ALLOWED,
    ippatsu=False,
    ura_dora=False,
    kan_dora=False,
    kan_ura=False,
    multiple_ron=MultipleRon.HEAD_BUMP,
    kyushu_kyuhai=False,
    suufon_renda=False,
    suucha_riichi=False,
    suukaikan=False,
    nagashi=Nagashi.NO,
    noten_penalty=0,
    tenpai=Tenpai.RIICHI_ONLY,
    renchan=Renchan.WIN,
    agari_yame=False,
    tenpai_yame=False,
    extra_round=ExtraRound.NONE,
    tobi=False,
    riichi_points=0,
    riichi_tiles=0,
    riichi_kan=RiichiKan.NEVER,
    kazoe_yakuman=False,
    yakuman_add_up=False,
    pao_daisangen=False,
    pao_daisuushii=False,
)

TENHOU3 = replace(
    TENHOU,
    name="tenhou3",
    start_points=35_000,
    return_points=40_000,
    target=40_000,
    uma=(20, 0, -20),
    red_fives=(0, 1, 1),
    noten_penalty=2_000,
    suufon_renda=False,
    suucha_riichi=False,
    riichi_tiles=3,
    kita=True,
)

MAJSOUL3 = replace(
    MAJSOUL,
    name="majsoul3",
    start_points=35_000,
    return_points=35_000,
    target=40_000,
    uma=(15, 0, -15),
    red_fives=(0, 1, 1),
    noten_penalty=2_000,
    suufon_renda=False,
    suucha_riichi=False,
    riichi_tiles=3,
    kita=True,
)

PRESETS: dict[str, Ruleset] = {
    preset.name: preset for preset in (UMP, TENHOU, MLEAGUE, MAJSOUL, RIICHICITY, WRC, EMA, CLASSIC, TENHOU3, MAJSOUL3)
}
"""All presets by name, the default first."""


def rules_for(seats: int, *known: Ruleset | None) -> Ruleset:
    """Return the first of the known rules for this number of players, or else the first preset for it.

    Raises ValueError if no preset has that number.
    """
    for rules in (*known, *PRESETS.values()):
        if rules is not None and rules.seats == seats:
            return rules
    raise ValueError(f"a game of {seats} players")
