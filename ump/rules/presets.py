"""The presets: published rules as values of ``Ruleset``.

A comment above each preset names its sources. Fields that a preset does not set are as in ``ump``, which has Tenhou's
rules. A value that no source settles, or on which sources differ, is marked ``unsure`` with the reason for it.
docs/rules.md compares all presets.
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

# ump, the default. The UMP specification defines sentences and no rules, so these are Tenhou's, with declared tenpai
# (UMP has a sentence for it) and without rounding.
UMP = Ruleset()

# tenhou: ranked games of tenhou.net. The manual (https://tenhou.net/man/), kobalab's gist 0d551769, smly/RiichiEnv
# docs/RULES.md, and some 2,000 recorded games. The games show the time of kan dora, the order of payments in a double
# ron, and the end of the game. Their results are whole thousands; Tenhou has tenths since January 2022.
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


# mleague: M.LEAGUE, official rules (https://m-league.jp/about/), as majannavi.com/archives/55, mahjong-space.com,
# riichi.wiki and kobalab/Majiang src/js/conf/rule.json describe them. Chapter 3, article 2: no abortive draws, no tobi;
# 3-11: own copies in melds count against a wait; 4-5: a closed kan is never robbed; 4-8: no riichi on the last tile;
# 5-1: one winner; 6-2: shared places; 6-6: kiriage, no kazoe yakuman; 8-1: pao. Presets elsewhere that give it
# nagashi mangan or agari yame are wrong.
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
    pao_cover=PaoCover.OWN,  # unsure: 8-1 as Anillc/yakuman reads it
    pao_honba=PaoHonba.LIABLE,  # unsure: the same
)

# majsoul: ranked four-player games of Mahjong Soul (https://mahjongsoul.com/news/46), riichi.wiki, smly/RiichiEnv
# docs/RULES.md. The payer of the honba of a pao: Cryolite's gist a026f417, from recorded games. The extra round goes on
# while the dealer stays on, even if a player has the target, as in UMP: smly/RiichiEnv, pull request 232, from 20,000
# recorded games.
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
    pao_cover=PaoCover.OWN,
    kokushi_ankan=True,
)

# wrc: World Riichi Championship, WRC Rules 2025 (v20250526) with the clarification of June 2025
# (https://www.worldriichi.org/wrc-rules), as several public implementations quote them: 9.1.1 pao, 10.2 left-over
# sticks stay on the table, 11.2 kazoe yakuman, 11.3 double wind, 11.5.4 renhou, 13.4 kiriage; tied players share the
# uma; riichi even with no tile left.
WRC = replace(
    UMP,
    name="wrc",
    start_points=30_000,
    uma=(15, 5, -5, -15),
    equal_scores=EqualScores.SHARE,
    left_sticks=LeftSticks.LOST,
    red_fives=(0, 0, 0),
    open_kan_dora=KanDoraTime.AT_ONCE,  # unsure: one of two readers says "before the next discard", of all kans
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
    riichi_kan=RiichiKan.SAME_SHAPE,  # unsure: one of two readers says that only the waits matter
    double_wind_fu=2,
    kiriage=True,
    pao_suukantsu=True,
    pao_cover=PaoCover.OWN,
    pao_honba=PaoHonba.DISCARDER,
    renhou=Renhou.MANGAN,
    kokushi_ankan=True,  # unsure: from earlier editions
)

# ema: European Mahjong Association, Riichi: Rules for Japanese Mahjong, 2025 edition of August 2025
# (http://mahjong-europe.org/portal/images/docs/Riichi-rules-2025-EN.pdf), as 241443Mooks/BMJA-Mahjong-Scorer
# docs/rules/riichi reads it section by section; MahjongPantheon/pantheon Common/rulesets/ema2025.php; for what they
# leave out, riichi.wiki on the edition of 2016.
EMA = replace(
    UMP,
    name="ema",
    start_points=30_000,
    uma=(15, 5, -5, -15),
    equal_scores=EqualScores.SHARE,
    red_fives=(0, 0, 0),
    open_kan_dora=KanDoraTime.AT_ONCE,  # unsure: from the edition of 2016
    multiple_ron=MultipleRon.ALL,
    ron_extras=RonExtras.EACH,
    kyushu_kyuhai=False,
    suufon_renda=False,
    suucha_riichi=False,
    suukaikan=False,
    nagashi=Nagashi.NO,
    own_copies=OwnCopies.WITH_MELDS,  # unsure: from the edition of 2012
    agari_yame=False,
    tenpai_yame=False,
    extra_round=ExtraRound.NONE,
    tobi=False,
    riichi_points=0,  # unsure: from the edition of 2016
    riichi_kan=RiichiKan.SAME_SHAPE,  # unsure: "constrained", as in WRC's rules
    double_wind_fu=2,
    kiriage=True,
    kazoe_yakuman=False,
    yakuman_add_up=False,
    pao_honba=PaoHonba.DISCARDER,
    renhou=Renhou.MANGAN,
    kokushi_ankan=True,
)

# riichicity: ranked four-player games of Riichi City (麻雀一番街), riichi.wiki "Riichi City", revisions 22634 (2022)
# and 24057 (2023). The service publishes no complete rules; what that page does not say is as on Tenhou.
RIICHICITY = replace(
    UMP,
    name="riichicity",
    uma=(30, 10, -10, -30),
    tenpai=Tenpai.AUTOMATIC,  # unsure: as on all sites
    double_suuankou_tanki=True,  # the page of 2022: full scoring, for example of suuankou tanki
    double_kokushi_13=True,
    double_junsei_chuuren=True,
    double_daisuushii=True,
    rinshan_pao=True,
)

# classic: "Classicルール" of kobalab/Majiang src/js/conf/rule.json, entry by entry.
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

# tenhou3: ranked games of three of tenhou.net. 140 recorded games show every field but these: riichi with three tiles
# left, four kans (smly/RiichiEnv). docs/rules.md, "Three players", lists the rules that follow from three seats.
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
    riichi_tiles=3,  # unsure: the games fit 3 and 4; Mahjong Soul's has 3, and refuses no recorded riichi
    kita=True,
)

# majsoul3: ranked games of three of Mahjong Soul: mahjong-portal.com on its rules, riichi.wiki, smly/RiichiEnv
# (pull requests 225 and 230 to 233, from recorded games).
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
