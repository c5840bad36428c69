"""The ruleset: all switches of the rules, as one value.

Presets are in ``ump.rules.presets``; ``ump.rules.options`` reads ``--rules`` and ``--set``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Length(Enum):
    """The length of a game."""

    KYOKU = "kyoku"
    """One kyoku, whatever its result."""
    TONPU = "tonpu"
    HANCHAN = "hanchan"


class EqualScores(Enum):
    """The places of players with equal scores."""

    AHEAD = "ahead"
    """The player nearer to the first dealer is ahead."""
    SHARE = "share"
    """The players share the places, with their uma and oka."""


class LeftSticks(Enum):
    """The receiver of the riichi sticks that are left on the table at the end of the game."""

    FIRST = "first"
    LOST = "lost"


class Rounding(Enum):
    """The rounding of final results."""

    TENTHS = "tenths"
    """Results are exact, to the tenth of a thousand points: scores are multiples of 100."""
    WHOLE = "whole"
    """Scores are rounded to whole thousands, halves away from zero; the first place gets minus the others' sum."""


class Kuikae(Enum):
    """The kinds that a player may discard right after a chi or pon."""

    FORBIDDEN = "forbidden"
    """Any except the called kind and the kind at the other end of the run."""
    SAME_TILE = "same-tile"
    """Any except the called kind."""
    ALLOWED = "allowed"


class KanDoraTime(Enum):
    """The time at which the dora of an open or added kan is revealed; that of a closed kan is revealed at once."""

    AT_ONCE = "at-once"
    BEFORE_DISCARD = "before-discard"
    """Just before the next discard, or with the next kan."""
    AFTER_DISCARD = "after-discard"
    """After the next discard, if nobody wins on it."""


class MultipleRon(Enum):
    """The number of players that can win on one tile."""

    HEAD_BUMP = "head-bump"
    """One: the player nearest to the discarder."""
    DOUBLE = "double"
    """Two; three rons are an abortive draw."""
    ALL = "all"


class RonExtras(Enum):
    """The receivers of honba and sticks when several players win on one tile."""

    NEAREST = "nearest"
    """The winner nearest to the discarder gets all of them."""
    EACH = "each"
    """Each winner gets the honba and its own stick of this kyoku back; the nearest gets the other sticks."""


class Nagashi(Enum):
    """The value of a river of terminals and honours, none of them called, at exhaustive draw."""

    NO = "no"
    DRAW = "draw"
    """A draw, with mangan payments instead of noten payments."""
    WIN = "win"
    """A win, paid as a mangan tsumo with honba and sticks."""


class Tenpai(Enum):
    """The way in which tenpai is declared at exhaustive draw."""

    DECLARED = "declared"
    """Players with a tenpai hand are asked."""
    AUTOMATIC = "automatic"
    """All tenpai hands are shown."""
    RIICHI_ONLY = "riichi-only"
    """Only hands in riichi are shown and count."""


class OwnCopies(Enum):
    """The copies that count for the rule that a kind is not a wait if the player has all four."""

    CONCEALED = "concealed"
    """Those in the concealed hand."""
    WITH_MELDS = "with-melds"
    """Those in the concealed hand and in melds."""


class Renchan(Enum):
    """The results that keep the deal with the dealer."""

    WIN = "win"
    TENPAI = "tenpai"
    """A win, or tenpai at exhaustive draw."""
    NOTEN = "noten"
    """A win, or any exhaustive draw."""


class ExtraRound(Enum):
    """The extra round if all players are below the target after the last kyoku. It lasts one wind at most."""

    NONE = "none"
    SUDDEN_DEATH = "sudden-death"
    """One more wind, which ends with the first kyoku after which a player has the target."""
    REPEAT_FIRST = "repeat-first"
    """The same, but while the dealer stays on, the game goes on."""


class RiichiKan(Enum):
    """The closed kans that a player in riichi may make, always with the drawn tile."""

    NEVER = "never"
    SAME_SHAPE = "same-shape"
    """Those that keep the waits, if the three tiles in hand are a triplet in every reading of the hand."""
    SAME_WAITS = "same-waits"
    """Those that keep the waits."""


class PaoCover(Enum):
    """The part of a hand that a liable player pays for."""

    WHOLE = "whole"
    """The whole hand."""
    OWN = "own"
    """Only the yakuman that its discard has made certain."""


class PaoHonba(Enum):
    """The payer of the honba of a ron, if another player than the discarder is liable."""

    LIABLE = "liable"
    DISCARDER = "discarder"


class Renhou(Enum):
    """The value of a ron before the winner's first draw, without any call."""

    NONE = "none"
    MANGAN = "mangan"
    """A mangan, or the hand without renhou if that is worth more."""
    FIVE_HAN = "five-han"
    """Five han, added to those of the hand."""
    YAKUMAN = "yakuman"


MEANING = "meaning"
"""The key of a field's line of help in the metadata of the field."""


def _means(text: str) -> dict[str, str]:
    """Return the metadata of a field with its line of help."""
    return {MEANING: text}


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """All rules of one game. The defaults are the preset ``ump``: Tenhou's rules with declared tenpai.

    Every field but ``name`` is an option of ``--set``; its line of help is in the metadata of the field. docs/rules.md
    describes all fields with their values and sources.
    """

    name: str = "ump"
    """The preset that it comes from; with ``*`` when fields other than the length were changed."""

    # Length and points

    length: Length = field(
        default=Length.HANCHAN, metadata=_means("how long a game is; kyoku: one kyoku, whatever its result")
    )
    start_points: int = field(default=25_000, metadata=_means("points that each player starts with"))
    return_points: int = field(
        default=30_000,
        metadata=_means(
            "points from which results count; the difference to start-points, from all players, is the oka"
        ),
    )
    """The oka, seats * (return_points - start_points), goes to the first place."""
    uma: tuple[int, ...] = field(
        default=(20, 10, -10, -20), metadata=_means("thousands of points for each place, from the first place on")
    )
    floating_uma: tuple[tuple[int, ...], ...] = field(
        default=(),
        metadata=_means(
            "uma by the number of players who have return-points, from one on; uma holds for none, all and the rest"
        ),
    )
    """One uma for each number of players from 1 to seats - 1; empty if the uma does not depend on it."""
    equal_scores: EqualScores = field(
        default=EqualScores.AHEAD,
        metadata=_means("equal scores: the player nearer to the first dealer is ahead, or they share the places"),
    )
    left_sticks: LeftSticks = field(
        default=LeftSticks.FIRST,
        metadata=_means("who gets the riichi sticks that are left at the end: the first place, or nobody"),
    )
    chips: int = field(default=0, metadata=_means("points that a chip is worth in the results; 0: wins earn no chips"))
    """Each ippatsu, ura dora and red five earns one chip from each payer, each yakuman five."""
    rounding: Rounding = field(
        default=Rounding.TENTHS,
        metadata=_means("final results in tenths, or in whole thousands (the first place gets minus the others' sum)"),
    )

    # Tiles, calls and dora

    red_fives: tuple[int, ...] = field(
        default=(1, 1, 1), metadata=_means("how many of the four fives of m, p, s are red")
    )
    kuitan: bool = field(default=True, metadata=_means("tanyao counts in an open hand"))
    kuikae: Kuikae = field(
        default=Kuikae.FORBIDDEN,
        metadata=_means("discarding, right after a call, the called kind or the other end of the run"),
    )
    ippatsu: bool = field(
        default=True, metadata=_means("a win within one uninterrupted go-around after riichi is worth a han")
    )
    ura_dora: bool = field(default=True, metadata=_means("a win in riichi counts the tiles under the dora indicators"))
    kan_dora: bool = field(default=True, metadata=_means("each kan reveals another dora indicator"))
    kan_ura: bool = field(default=True, metadata=_means("kan dora have ura indicators too"))
    open_kan_dora: KanDoraTime = field(
        default=KanDoraTime.BEFORE_DISCARD,
        metadata=_means("when the dora of an open or added kan is revealed (of a closed kan: at once)"),
    )

    # Ends of a kyoku

    multiple_ron: MultipleRon = field(
        default=MultipleRon.DOUBLE,
        metadata=_means("several rons on one tile: the nearest player wins, two win (three abort), all win"),
    )
    ron_extras: RonExtras = field(
        default=RonExtras.NEAREST,
        metadata=_means("several rons on one tile: who gets honba and sticks, the nearest winner or each its own"),
    )
    kyushu_kyuhai: bool = field(
        default=True, metadata=_means("nine different terminals and honours on the first draw may abort the kyoku")
    )
    suufon_renda: bool = field(
        default=True, metadata=_means("the same wind as first discard of all players, without a call, aborts the kyoku")
    )
    suucha_riichi: bool = field(default=True, metadata=_means("riichi of all players aborts the kyoku"))
    suukaikan: bool = field(default=True, metadata=_means("four kans by more than one player abort the kyoku"))
    """Without it play goes on; a fifth kan is never legal."""
    nagashi: Nagashi = field(
        default=Nagashi.DRAW,
        metadata=_means("an uncalled river of terminals and honours at exhaustive draw: nothing, a paid draw, a win"),
    )
    noten_penalty: int = field(
        default=3_000, metadata=_means("points that noten players pay together at exhaustive draw; 0: none")
    )
    tenpai: Tenpai = field(
        default=Tenpai.DECLARED,
        metadata=_means("how tenpai is shown at exhaustive draw: on request, automatically, only hands in riichi"),
    )
    own_copies: OwnCopies = field(
        default=OwnCopies.CONCEALED,
        metadata=_means("a kind is not a wait if the player has all four: in the concealed hand, or melds included"),
    )
    renchan: Renchan = field(
        default=Renchan.TENPAI, metadata=_means("what keeps the deal with the dealer: a win, also tenpai, also noten")
    )

    # The end of the game

    agari_yame: bool = field(
        default=True, metadata=_means("a dealer who wins the last kyoku, is first and has the target ends the game")
    )
    tenpai_yame: bool = field(default=True, metadata=_means("the same for a dealer who stays on at exhaustive draw"))
    """With ``Renchan.NOTEN`` a noten dealer too, as in kobalab/majiang-core."""
    extra_round: ExtraRound = field(
        default=ExtraRound.REPEAT_FIRST,
        metadata=_means("one more wind while all are below the target; repeat-first: also while the dealer stays on"),
    )
    target: int = field(default=30_000, metadata=_means("points that extra-round, agari-yame and tenpai-yame require"))
    tobi: bool = field(default=True, metadata=_means("a score below zero ends the game"))

    # Riichi

    riichi_points: int = field(
        default=1_000, metadata=_means("points that riichi requires; 0: none, the score may fall below zero")
    )
    riichi_tiles: int = field(default=4, metadata=_means("tiles that must be left in the wall for riichi"))
    riichi_kan: RiichiKan = field(
        default=RiichiKan.SAME_WAITS,
        metadata=_means("closed kans in riichi: never, if hand shape and waits stay, if the waits stay"),
    )

    # What a hand is worth

    double_wind_fu: int = field(default=4, metadata=_means("fu of a pair that is both seat and round wind"))
    kiriage: bool = field(default=False, metadata=_means("4 han 30 fu and 3 han 60 fu are mangan"))
    kazoe_yakuman: bool = field(default=True, metadata=_means("13 han are a yakuman, otherwise a sanbaiman"))
    double_suuankou_tanki: bool = field(
        default=False, metadata=_means("four concealed triplets won on the pair are a double yakuman")
    )
    double_kokushi_13: bool = field(
        default=False, metadata=_means("thirteen orphans with thirteen waits are a double yakuman")
    )
    double_junsei_chuuren: bool = field(
        default=False, metadata=_means("nine gates with nine waits are a double yakuman")
    )
    double_daisuushii: bool = field(default=False, metadata=_means("four big winds are a double yakuman"))
    tenhou_any_tile: bool = field(
        default=False,
        metadata=_means(
            "with tenhou any tile counts as the winning one, so suuankou, kokushi and chuuren have their best wait"
        ),
    )
    yakuman_add_up: bool = field(default=True, metadata=_means("several yakuman in a hand add up"))

    # Liability

    pao_daisangen: bool = field(
        default=True, metadata=_means("the giver of the third dragon set is liable for big three dragons")
    )
    pao_daisuushii: bool = field(
        default=True, metadata=_means("the giver of the fourth wind set is liable for four big winds")
    )
    pao_suukantsu: bool = field(
        default=False, metadata=_means("the giver of the fourth kan, from a discard, is liable for four kans")
    )
    pao_cover: PaoCover = field(
        default=PaoCover.WHOLE,
        metadata=_means("what a liable player pays for: the whole hand, or only the yakuman in question"),
    )
    pao_honba: PaoHonba = field(
        default=PaoHonba.LIABLE, metadata=_means("who pays the honba of a ron when another player is liable")
    )
    rinshan_pao: bool = field(
        default=False, metadata=_means("the giver of an open kan pays for a win on its replacement tile")
    )

    # Rarer rules

    renhou: Renhou = field(
        default=Renhou.NONE,
        metadata=_means(
            "a ron before the winner's first draw, without a call: nothing, mangan or the hand, 5 han, yakuman"
        ),
    )
    open_riichi: bool = field(
        default=False, metadata=_means("riichi with the hand open to all is allowed, for one more han")
    )
    kokushi_ankan: bool = field(default=False, metadata=_means("thirteen orphans may rob a closed kan"))

    # Three players

    kita: bool = field(
        default=False, metadata=_means("a north may be set aside for a replacement tile, and counts as dora")
    )
    """Only with three players, who play without 2m to 8m and without chi."""

    def __hash__(self) -> int:
        """Return a hash of what differs most: members of enumerations are slow to hash, and wins are looked up."""
        return hash((self.name, self.uma, self.start_points))

    @property
    def seats(self) -> int:
        """The number of players."""
        return len(self.uma)

    @property
    def chi(self) -> bool:
        """Whether players may call chi: three players may not."""
        return self.seats != 3
