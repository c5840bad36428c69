"""Kyoku at a real table in 0.2: every sentence, in the order in which a player receives them."""

from __future__ import annotations

from support.session_table import Ump02Kyoku
from support.table_positions import CHANKAN_HANDS, ONE_KYOKU, QUIET, TENPAI

from ump.rules.ruleset import MultipleRon, Ruleset
from ump.wire.text import encode


def test_a_game_starts_in_the_documented_order() -> None:
    """Players, ``ready?``, the kyoku; the dora before the hands, and these in fours from the dealer on."""
    heard = Ump02Kyoku(QUIET, "8m", dora="8p", observer="C")
    assert heard.news() == [
        "seat gameid=main-1 C0",
        *("player A0 A", "player B0 B", "player C0 C", "player D0 D"),
        "gamestart id=main-1",
        "ready?",
        "kyokustart 0 A0 0 0 1z 1z 2z 3z 4z",
        *("point A0 =25000", "point B0 =25000", "point C0 =25000", "point D0 =25000"),
        "dice 1 1",
        "dora 9p 8p",
        *("haipai A0 xxxxxxxx", "haipai B0 xxxxxxxx", "haipai C0 3m6m9m5p", "haipai D0 xxxxxxxx"),
        *("haipai A0 xxxxxxxx", "haipai B0 xxxxxxxx", "haipai C0 5p2s5s8s", "haipai D0 xxxxxxxx"),
        *("haipai A0 xxxxxxxx", "haipai B0 xxxxxxxx", "haipai C0 1z2z3z5z", "haipai D0 xxxxxxxx"),
        *("haipai A0 xx", "haipai B0 xx", "haipai C0 6z", "haipai D0 xx"),
        "tsumo A0 69 xx",
    ]


def test_a_discard_is_asked_about_and_called() -> None:
    """The server asks all who can act; it asks the caller for a discard without offers."""
    heard = Ump02Kyoku(QUIET, "8m", observer="C")
    heard.news()
    heard("A sutehai 5p")
    assert heard.news() == ["sutehai A0 5p", "naki? 5p pon"]
    heard("B no", "C pon 5p5p")
    assert heard.news() == ["say C0 pon", "open C0 <5p5p> 5p", "sutehai?"]
    heard("C sutehai 6z")
    assert heard.news()[:2] == ["sutehai C0 6z", "tsumo D0 68 xx"]


def test_a_chi_names_its_red_five() -> None:
    """The red five is named as such."""
    heard = Ump02Kyoku({**QUIET, "B": "258m40p147s12347z"}, "8m", observer="D")
    heard.news()
    heard("A sutehai 1p")
    assert heard.news() == ["sutehai A0 1p", "tsumo B0 68 xx"]
    heard = Ump02Kyoku({**QUIET, "A": "19m169p19s12345z3p", "B": "258m40p147s12347z"}, "8m", observer="D")
    heard("A sutehai 3p")
    heard.news()
    heard("B chi 4p5P")
    assert heard.news() == ["say B0 chi", "open B0 <4p5P> 3p"]


RIICHI = {**QUIET, "A": "123456789m22s46p"}


def test_a_riichi_is_said_flagged_and_paid() -> None:
    """A riichi is said, discarded with its flag, asked about, and paid if nobody wins with the tile."""
    heard = Ump02Kyoku(RIICHI, "7z", observer="A")
    assert heard.news()[-1] == "sutehai? richi=7z"
    heard("A sutehai 7z richi")
    assert heard.news() == ["say A0 richi", "sutehai A0 7z tsumogiri richi", "richi A0 -1000", "tsumo B0 68 xx"]


def test_a_riichi_is_paid_before_a_call() -> None:
    """The riichi is paid before the caller's ``say``."""
    heard = Ump02Kyoku({**RIICHI, "D": "147m279p369s1477z"}, "7z", observer="D")
    heard.news()
    heard("A sutehai 7z richi")
    assert heard.news() == ["say A0 richi", "sutehai A0 7z tsumogiri richi", "naki? 7z pon"]
    heard("D pon 7z7z")
    assert heard.news() == ["richi A0 -1000", "say D0 pon", "open D0 <7z7z> 7z", "sutehai?"]


def test_a_riichi_is_not_paid_after_a_ron() -> None:
    """The riichi is not paid; the winner's hand has no melds, and no ura are shown without riichi."""
    heard = Ump02Kyoku({**RIICHI, "B": "123s456s789s77z55z", "C": "369m55p258s12366z"}, "7z", dora="3z", observer="A")
    heard("A sutehai 7z richi")
    heard.news()
    heard("B ron")
    yaku = f"{encode('中')} 1 {encode('一気通貫')} 2 {encode('混一色')} 3"
    assert heard.news() == [
        "say B0 ron",
        "open B0 1s2s3s4s5s6s7s8s9s5z5z7z7z",
        f"agari ron=7z B0 {encode('跳満')} 40 {yaku}",
        "point A0 -12000",
        "point B0 +12000",
        "ready?",
    ]
    heard.ready()
    assert heard.news()[:2] == ["kyokuend", "kyokustart 0 B0 0 0 1z 4z 1z 2z 3z"]


def test_a_tsumo_in_riichi_shows_ura() -> None:
    """The winning tile is the last of the hand; there is an ura line for every dora line."""
    heard = Ump02Kyoku(RIICHI, "7z99p9s5p", dora="3z", ura="8s", observer="B")
    heard("A sutehai 7z richi").defaults("A")
    heard.news()
    heard("A tsumo")
    news = heard.news()
    assert news[:3] == ["say A0 tsumo", "open A0 1m2m3m4m5m6m7m8m9m4p6p2s2s5p", "uradora 9s 8s"]
    assert news[3].startswith(f"agari A0 {encode('跳満')} 30 ")
    assert news[4:] == ["point B0 -6000", "point C0 -6000", "point D0 -6000", "point A0 +19000", "ready?"]


def test_an_added_kan_may_be_robbed() -> None:
    """An added kan is said, opened in its own brackets and asked about; ron robs it."""
    heard = Ump02Kyoku(CHANKAN_HANDS, "77432z0m", observer="C")
    heard("A sutehai 7z", "B sutehai 5m", "A pon 5m5m", "A sutehai 6z", "B sutehai 4z", "C sutehai 3z", "D sutehai 2z")
    heard.news()
    heard("A kakan 5M")
    assert heard.news() == ["say A0 kan", "open A0 [5m5m5m] 5M", "naki? 5M ron"]
    heard("C ron")
    assert heard.news()[:2] == ["say C0 ron", "open C0 4m6m1p2p3p9p9p2s3s4s7s8s9s"]


def test_the_dora_of_a_kan_comes_at_its_time() -> None:
    """A closed kan's dora comes before its replacement tile, an open kan's with the discard."""
    hands = {"A": "11119m159p19s123z", "B": "258m46p147s12344z", "C": "369m55p258s12777z", "D": "447m279p369s1466z"}
    heard = Ump02Kyoku(hands, "8m7z", rinshan="4z6z", dora="2p9s6s", observer="A")
    assert heard.news()[-1] == "sutehai? ankan ryukyoku"
    heard("A ankan 1m1m1m1m")
    news = heard.news()
    assert news[:4] == ["say A0 kan", "open A0 (1m1m1m1m)", "dora 1s 9s", "tsumo A0 68 4z rinshan"]
    heard("A sutehai 3z")
    heard.news()
    heard("B sutehai 7z")
    assert heard.news() == ["sutehai B0 7z tsumogiri"]
    heard("C kan 7z7z7z")
    assert heard.news() == ["say C0 kan", "open C0 <7z7z7z> 7z", "tsumo C0 66 xx rinshan"]
    heard("C sutehai 3m")
    assert heard.news()[:2] == ["dora 7s 6s", "sutehai C0 3m"]


def test_an_exhausted_wall_asks_shows_and_pays() -> None:
    """From the dealer on players are asked, show and say; then the draw, and changes in order of seats."""
    heard = Ump02Kyoku(TENPAI, observer="A", rules=ONE_KYOKU).defaults()
    assert heard.news()[-1] == "tenpai?"
    heard("A tenpai", "B noten", "C whatever", "D tenpai")
    news = heard.news()
    assert [line.split()[0] for line in news[:2]] == ["open", "say"]
    assert news[1:4] == ["say A0 tenpai", "say B0 noten", "say C0 noten"]
    assert news[4].startswith("open D0 ")
    points = ["point A0 +1500", "point B0 -1500", "point C0 -1500", "point D0 +1500"]
    assert news[5:] == ["say D0 tenpai", "ryukyoku", *points, "ready?"]
    heard.ready()
    ended = heard.news()
    assert ended[0] == "kyokuend"
    assert ended[1].startswith("gameend A0 ")
    assert len(ended) == 2
    assert sum(map(int, ended[1].split()[2::2])) == 0


def test_nine_terminals_are_offered_and_declared() -> None:
    """The offer, the answer and the reason are additions to 0.2."""
    heard = Ump02Kyoku(QUIET, "8m", observer="A")
    assert heard.news()[-1] == "sutehai? ryukyoku"
    heard("A ryukyoku")
    assert heard.news() == ["open A0 1m8m9m1p5p9p1s9s1z2z3z4z5z6z", "ryukyoku kyushukyuhai", "ready?"]


def test_several_winners_follow_one_another() -> None:
    """Winners follow one after the other, the nearest first, before one ``ready?``."""
    hands = {**QUIET, "B": "123456789s77z46p", "C": "234678m22888s46p"}
    heard = Ump02Kyoku(hands, "8m", observer="A", rules=Ruleset(multiple_ron=MultipleRon.ALL, red_fives=(0, 0, 0)))
    heard.news()
    heard("A sutehai 5p")
    heard("C ron", "B ron")
    said = [line for line in heard.news() if line.split()[0] in ("say", "ready?", "agari", "open")]
    assert [line[:11] for line in said] == [
        *("say B0 ron", "open B0 4p6", "agari ron=5"),
        *("say C0 ron", "open C0 2m3", "agari ron=5"),
        "ready?",
    ]


def test_an_illegal_answer_is_asked_again() -> None:
    """As in 0.1, the question comes twice more with a new id, then the drawn tile is discarded."""
    heard = Ump02Kyoku(QUIET, "8m", observer="A", options={"_explain": "1"})
    heard.news()
    heard("A sutehai 2m")
    lines = heard.session_table.lines[0][0][-2:]
    number = int(lines[0].split()[0])
    assert lines == [f"{number} _illegal {number - 1} not_held", f"{number + 1} sutehai? ryukyoku"]
    heard("A what?")
    assert heard.news()[-2].endswith(" unreadable")
    heard("A tsumo")
    refused, *news = heard.news()
    assert refused.endswith(" not_complete")
    assert news == ["sutehai A0 8m tsumogiri", "tsumo B0 68 xx"]


def test_mistakes_of_libump_s_bot_are_corrected() -> None:
    """A riichi that is not offered is a discard, and in riichi the drawn tile is discarded."""
    heard = Ump02Kyoku(QUIET, "8m", observer="A")
    heard.news()
    heard("A sutehai 5p richi")
    assert heard.news()[0] == "sutehai A0 5p"
    heard = Ump02Kyoku(RIICHI, "7z99p9s8p", dora="3z", observer="A")
    heard("A sutehai 7z richi").defaults("A")
    assert heard.news()[-1] == "sutehai?"
    heard("A sutehai 1m richi")
    assert heard.news()[0] == "sutehai A0 8p tsumogiri"


def test_an_illegal_call_counts_as_no() -> None:
    """The other players do not see it."""
    heard = Ump02Kyoku(QUIET, "8m", observer="C", options={"_explain": "1"})
    heard.news()
    heard("A sutehai 5p", "B no", "C chi 4p6p")
    *asked, refused, following = heard.news()
    assert asked == ["sutehai A0 5p", "naki? 5p pon"]
    assert refused.endswith(" not_held")
    assert following == "tsumo B0 68 xx"
