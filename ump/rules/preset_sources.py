"""The sources of each value of the presets, for the page *Presets side by side* of the site.

Everything was compared with these sources on 2026-11-26. The sites of Tenhou, Mahjong Soul, M.LEAGUE, WRC and EMA could
not be read themselves, so the texts name who quotes them.
"""

from __future__ import annotations

from collections.abc import Mapping

from ump.model.value import value

UNSURE = "unsure: "
"""The beginning of a text about a value that no source settles."""


@value
class PresetSource:
    """The sources of a preset."""

    about: str
    """The sources as a whole, and what remains open."""
    fields: Mapping[str, str]
    """The sources of the fields in which the preset differs from ``tenhou``; several may share a text."""

    def texts(self) -> dict[str, str]:
        """Return the text of each field."""
        return {name: text for names, text in self.fields.items() for name in names.split()}


SOURCES: Mapping[str, PresetSource] = {
    "ump": PresetSource(
        "this project. UMP defines sentences, not rules.",
        {
            "tenpai": "UMP has the question `tenpai?`",
        },
    ),
    "tenhou": PresetSource(
        (
            "the manual (tenhou.net/man, also as translated by riichi.wiki), kobalab's gist 0d551769, "
            "smly/RiichiEnv `docs/RULES.md` (April 2026), MahjongRepository/ronin 0.19.0 (November 2026), and "
            "public records, which the tests replay if they are available.\n\n"
            "If another kan follows an open kan, Tenhou reveals the dora of the first one with the replacement "
            "tile of the second one (kobalab/tenhou-log, issue 11; mjx-project/mjx; nissymori/mahjax, pull "
            "request 101). This server reveals it before the second kan can be robbed.\n\n"
            "Until January 2022 Tenhou rounded results as `rounding=whole` does: 560 recorded games, up to 13 "
            "January 2022, have such results. The rules of a record follow from its results."
        ),
        {},
    ),
    "mleague": PresetSource(
        (
            "M.LEAGUE's official rules (m-league.jp/about), by chapter and article; majannavi.com/archives/55, "
            "mahjong-space.com, riichi.wiki, Anillc/yakuman, which cites the articles, and kobalab/Majiang "
            "`src/js/conf/rule.json` (Mリーグルール, March 2026).\n\n"
            "It is uncertain how 8-1 divides the payment if the hand has another yakuman, and who pays the honba "
            "of a ron with pao: the article says that the discarder pays half, riichi.wiki that the discarder "
            "pays the honba."
        ),
        {
            "uma": "6-2",
            "equal_scores": "6-2: players share the points of their places",
            "open_kan_dora": "mahjong-space.com; kobalab/Majiang: カンドラ後乗せ false",
            "multiple_ron": "5-1: one winner in a kyoku",
            "kyushu_kyuhai suufon_renda suucha_riichi suukaikan": "3-2: no abortive draws",
            "nagashi": "not in any article",
            "tenpai": "kobalab/Majiang: ノーテン宣言あり",
            "own_copies": "3-11",
            "agari_yame tenpai_yame": "majannavi.com: アガリ止め無し",
            "extra_round": "1-1: east and south",
            "tobi": "3-2",
            "riichi_points": "majannavi.com: riichi with 1000 points or less",
            "riichi_tiles": "4-8: not after drawing the last tile",
            "riichi_kan": "4-5: the sets of the hand must not change",
            "double_wind_fu": "kobalab/Majiang: 連風牌は2符",
            "kiriage": "6-6",
            "kazoe_yakuman": "6-6: at most a sanbaiman",
            "pao_suukantsu": "8-1",
            "pao_cover": "unsure: 8-1, as Anillc/yakuman interprets it",
        },
    ),
    "majsoul": PresetSource(
        (
            "ranked games of Mahjong Soul (mahjongsoul.com/news/46), riichi.wiki, smly/RiichiEnv "
            "`docs/RULES.md` (April 2026); for the honba of pao, Cryolite's gist a026f417. The extra round goes"
            " on while the dealer stays on, even if a player has the target (smly/RiichiEnv, pull request 232, "
            "from 20,000 games)."
        ),
        {
            "return_points": "riichi.wiki: no oka",
            "uma": "news/46",
            "multiple_ron": "news/46; smly/RiichiEnv, Sanchaho",
            "double_suuankou_tanki double_kokushi_13 double_junsei_chuuren double_daisuushii": (
                "smly/RiichiEnv, Double Yakuman Pattern Rules"
            ),
            "tenhou_any_tile": (
                "Longhorn-Riichi/InjusticeJudge, issue 19; Fat-pig-Cui/majsoul-replay-editor `main.js` (May 2026)"
            ),
            "pao_cover": "smly/RiichiEnv, Pao (with recorded games)",
            "kokushi_ankan": "smly/RiichiEnv, Kokushi Musou Rules",
        },
    ),
    "wrc": PresetSource(
        (
            "WRC Rules 2025 (worldriichi.org/wrc-rules, v20250526, clarification of June 2025), by section, or "
            "from its abstract, as public implementations quote them."
        ),
        {
            "start_points": "abstract: no oka",
            "uma": "abstract",
            "equal_scores": "tied players share the uma",
            "left_sticks": "10.2",
            "red_fives": "abstract",
            "open_kan_dora": "unsure: readers disagree: before the replacement tile, or before the discard",
            "multiple_ron": "abstract: the first in turn order",
            "kyushu_kyuhai suufon_renda suucha_riichi suukaikan": "abstract: no abortive draws",
            "nagashi": "abstract",
            "tenpai": "5.7.2 in 2015",
            "own_copies": "as in EMA's 3.3.13",
            "agari_yame tenpai_yame": "5.9.1 in 2015",
            "extra_round": "east and south only",
            "tobi": "the game goes on below zero",
            "riichi_points": "the score may fall below zero",
            "riichi_tiles": "abstract, and the clarification: even on the last tile",
            "riichi_kan": "unsure: readers disagree: may the sets change if the waits stay?",
            "double_wind_fu": "11.3",
            "kiriage": "13.4",
            "pao_suukantsu": "9.1.1",
            "pao_cover": "9.1.1: other yakuman are paid as usual",
            "pao_honba": "9.1.1",
            "renhou": "11.5.4: nothing is added",
            "kokushi_ankan": "unsure: from earlier editions",
        },
    ),
    "ema": PresetSource(
        (
            'European Mahjong Association, "Riichi: Rules for Japanese Mahjong", August 2025, as '
            "241443Mooks/BMJA-Mahjong-Scorer `docs/rules/riichi` (September 2026) quotes it by section, and "
            "MahjongPantheon/pantheon `Common/rulesets/ema2025.php` (March 2026). That riichi needs four tiles "
            "in the wall is not confirmed for this edition."
        ),
        {
            "start_points": "§3.7",
            "uma": "§3.7.1",
            "equal_scores": "§3.7.1",
            "red_fives": "§1.3",
            "open_kan_dora": "unsure: riichi.wiki on the edition of 2016",
            "multiple_ron": "§3.3.1, §3.4.3",
            "ron_extras": "§3.4.3, §3.4.4",
            "kyushu_kyuhai suufon_renda suucha_riichi suukaikan": (
                "not in §3.4; gone since 2016; §3.3.5: no fifth kan"
            ),
            "nagashi": "not in §4.2; gone since 2016",
            "tenpai": "§3.4.2: tenpai players may declare noten",
            "own_copies": "unsure: 3.3.13 in 2012",
            "agari_yame tenpai_yame": "§3.5: south 4 ends when its dealer passes the deal",
            "extra_round": "§3.1",
            "tobi": "§3.7",
            "riichi_points": "unsure: riichi.wiki on the edition of 2016",
            "riichi_kan": "unsure: §3.3.10, read as WRC's rule",
            "double_wind_fu": "§4.1.1",
            "kiriage": "§4.1.3",
            "kazoe_yakuman": "§4.1.2: 11 han or more are a sanbaiman",
            "yakuman_add_up": "§4.2",
            "pao_honba": "§3.3.7",
            "renhou": "§4.2: five han, with no other yaku or dora",
            "kokushi_ankan": "§3.3.13",
        },
    ),
    "riichicity": PresetSource(
        (
            'riichi.wiki, "Riichi City", revisions of 2022 (22634) and 2023 (24057); there is no newer one. '
            "What the page does not say is taken from Tenhou: head bump, kan dora, fu, pao and riichi."
        ),
        {
            "uma": "4-player ranked matches",
            "double_suuankou_tanki double_kokushi_13 double_junsei_chuuren double_daisuushii": (
                "unsure: revision of 2022: yakuman have full scoring"
            ),
            "rinshan_pao": '"Rinshan Pao allowed"',
        },
    ),
    "classic": PresetSource(
        'kobalab/Majiang `src/js/conf/rule.json`, "Classicルール" (March 2026), entry by entry.',
        {
            "start_points": "配給原点 30000",
            "uma": "順位点",
            "red_fives": "赤牌 0 0 0",
            "kuikae": "喰い替え許可レベル 2",
            "ippatsu ura_dora kan_dora kan_ura": "一発あり, 裏ドラあり, カンドラあり, カン裏あり false",
            "multiple_ron": "最大同時和了数 1",
            "kyushu_kyuhai suufon_renda suucha_riichi suukaikan": "途中流局あり false",
            "nagashi": "流し満貫あり false",
            "noten_penalty": "ノーテン罰あり false",
            "tenpai": "the same: majiang-core then shows only hands in riichi",
            "renchan": "連荘方式 1",
            "agari_yame tenpai_yame": "オーラス止めあり false",
            "extra_round": "延長戦方式 0",
            "tobi": "トビ終了あり false",
            "riichi_points": "the same: majiang-core then requires no points",
            "riichi_tiles": "ツモ番なしリーチあり true",
            "riichi_kan": "リーチ後暗槓許可レベル 0",
            "kazoe_yakuman yakuman_add_up": "数え役満あり, 役満の複合あり false",
            "pao_daisangen pao_daisuushii": "役満パオあり false",
        },
    ),
    "tenhou3": PresetSource(
        (
            "140 recorded ranked games of three of tenhou.net; for what they do not show, riichi.wiki and "
            "smly/RiichiEnv."
        ),
        {
            "start_points": "the games",
            "return_points target": "the games",
            "uma": "the games",
            "red_fives": "1,052 wins; there is no 5m",
            "suufon_renda": "riichi.wiki",
            "suucha_riichi": "4 games play on",
            "noten_penalty": "152 draws",
            "riichi_tiles": "unsure: the games fit 3 and 4; smly/RiichiEnv, pull request 233, has 3",
            "kita": "3,192 cases",
        },
    ),
    "majsoul3": PresetSource(
        (
            "mahjong-portal.com's rules of three, riichi.wiki, and smly/RiichiEnv (pull requests 225 and 230 to"
            " 233, from recorded games)."
        ),
        {
            "start_points return_points": "mahjong-portal.com: no oka",
            "uma": "mahjong-portal.com",
            "red_fives": "mahjong-portal.com",
            "multiple_ron": "as `majsoul`",
            "suufon_renda suucha_riichi": "riichi.wiki; smly/RiichiEnv",
            "noten_penalty": "smly/RiichiEnv",
            "target": "mahjong-portal.com; smly/RiichiEnv",
            "riichi_tiles": "smly/RiichiEnv, pull request 233",
            "double_suuankou_tanki double_kokushi_13 double_junsei_chuuren double_daisuushii": "as `majsoul`",
            "tenhou_any_tile": "as `majsoul`",
            "pao_cover": "as `majsoul`",
            "kokushi_ankan kita": "as `majsoul`; mahjong-portal.com, smly/RiichiEnv",
        },
    ),
}
"""The sources of each preset."""
