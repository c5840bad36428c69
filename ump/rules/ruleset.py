"""The ruleset: every switch of a riichi game, as one value.

Presets are in ``ump.rules.presets``, reading ``--rules`` and ``--set`` in ``ump.rules.options``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Length(Enum):
    """How long a game is."""

    KYOKU = "kyoku"
    """One kyoku, whatever its result."""
    TONPU = "tonpu"
    HANCHAN = "hanchan"


class EqualScores(Enum):
    """Who is ahead with equal scores."""

    AHEAD = "ahead"
    """The one nearer to the first dealer."""
    SHARE = "share"
    """They share the places, and their uma and oka."""


class LeftSticks(Enum):
    """Who gets the riichi sticks that lie on the table at the end."""

    FIRST = "first"
    LOST = "lost"


class Rounding(Enum):
    """How final results are rounded."""

    TENTHS = "tenths"
    """Not at all: scores are hundreds of points."""
    WHOLE = "whole"
    """To whole thousands, halves away from zero; the first gets minus the rest."""


class Kuikae(Enum):
    """Discarding, right after a call, what the call could have done without."""

    FORBIDDEN = "forbidden"
    """Neither the called tile's kind nor the other end of a run."""
    SAME_TILE = "same-tile"
    """Only the called tile's kind is forbidden."""
    ALLOWED = "allowed"


class KanDoraTime(Enum):
    """When the dora of an open or added kan is turned over. A closed kan's is always at once."""

    AT_ONCE = "at-once"
    BEFORE_DISCARD = "before-discard"
    """Just before the next discard is told, or with the next kan."""
    AFTER_DISCARD = "after-discard"
    """When the next discard has passed ron."""


class MultipleRon(Enum):
    """How many may win on one tile."""

    HEAD_BUMP = "head-bump"
    """Only the nearest to the discarder."""
    DOUBLE = "double"
    """Two; three are an abortive draw."""
    ALL = "all"


class Nagashi(Enum):
    """What an uncalled river of terminals and honours is at an exhausted wall."""

    NO = "no"
    DRAW = "draw"
    """A draw with mangan payments in place of noten payments."""
    WIN = "win"
    """Paid like a mangan tsumo with honba and sticks; the kyoku counts as won by that player."""


class Tenpai(Enum):
    """How tenpai is shown at an exhausted wall."""

    DECLARED = "declared"
    AUTOMATIC = "automatic"
    RIICHI_ONLY = "riichi-only"
    """Automatic, and only hands in riichi count."""


class OwnCopies(Enum):
    """Which kinds are no wait because the player holds all four copies."""

    CONCEALED = "concealed"
    """Four in the concealed hand."""
    WITH_MELDS = "with-melds"
    """Four in hand, melds and kans together."""


class Renchan(Enum):
    """What keeps the deal with the dealer."""

    WIN = "win"
    TENPAI = "tenpai"
    """A win, or tenpai at an exhausted wall."""
    NOTEN = "noten"
    """A win, or any exhausted wall."""


class ExtraRound(Enum):
    """What happens after the last kyoku while everybody is below the target. It lasts one wind at most."""

    NONE = "none"
    SUDDEN_DEATH = "sudden-death"
    """One more wind, ended by the first kyoku after which somebody has the target."""
    REPEAT_FIRST = "repeat-first"
    """The same, but a dealer who stays on plays on first."""


class RiichiKan(Enum):
    """Which closed kans a player in riichi may make, always of the drawn tile."""

    NEVER = "never"
    SAME_SHAPE = "same-shape"
    """The three tiles must be a triplet in every reading of the hand, and the waits stay."""
    SAME_WAITS = "same-waits"


class PaoCover(Enum):
    """What a liable player answers for."""

    WHOLE = "whole"
    """The whole hand."""
    OWN = "own"
    """Only the yakuman that the liability is for."""


class PaoHonba(Enum):
    """Who pays the honba of a ron with pao."""

    LIABLE = "liable"
    DISCARDER = "discarder"


class Renhou(Enum):
    """What a ron before one's own first draw, with no call made, is worth."""

    NONE = "none"
    MANGAN = "mangan"
    """Mangan, or the hand without it when that is worth more."""
    FIVE_HAN = "five-han"
    """Five han that add up."""
    YAKUMAN = "yakuman"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """All rules of one game. The defaults are the preset ``ump``: Tenhou's rules with declared tenpai."""

    name: str = "ump"
    """The preset that it comes from; with ``*`` when fields other than the length were changed."""
    length: Length = Length.HANCHAN
    start_points: int = 25_000
    return_points: int = 30_000
    """Oka = seats * (return - start), to the first."""
    uma: tuple[int, ...] = (20, 10, -10, -20)
    """In thousands of points, by place."""
    equal_scores: EqualScores = EqualScores.AHEAD
    left_sticks: LeftSticks = LeftSticks.FIRST
    rounding: Rounding = Rounding.TENTHS
    red_fives: tuple[int, ...] = (1, 1, 1)
    """How many of the four fives of m, p, s are red."""
    kuitan: bool = True
    """Tanyao counts in an open hand."""
    kuikae: Kuikae = Kuikae.FORBIDDEN
    ippatsu: bool = True
    ura_dora: bool = True
    kan_dora: bool = True
    kan_ura: bool = True
    """Kan dora have ura indicators too."""
    open_kan_dora: KanDoraTime = KanDoraTime.BEFORE_DISCARD
    multiple_ron: MultipleRon = MultipleRon.DOUBLE
    kyushu_kyuhai: bool = True
    """Abortive draw: nine different terminals and honours on one's first draw."""
    suufon_renda: bool = True
    """Abortive draw: the same wind discarded first by all four, without a call."""
    suucha_riichi: bool = True
    """Abortive draw: all four in riichi."""
    suukaikan: bool = True
    """Abortive draw: four kans by more than one player. Without it play goes on, a fifth kan is not legal."""
    nagashi: Nagashi = Nagashi.DRAW
    noten_penalty: int = 3_000
    """Points that noten players pay together; 0 for none."""
    tenpai: Tenpai = Tenpai.DECLARED
    own_copies: OwnCopies = OwnCopies.CONCEALED
    renchan: Renchan = Renchan.TENPAI
    agari_yame: bool = True
    """A dealer who wins the last kyoku, is first and has the target ends the game."""
    tenpai_yame: bool = True
    """The same for a dealer who stays on at an exhausted wall; with ``Renchan.NOTEN`` noten too, as kobalab has it."""
    extra_round: ExtraRound = ExtraRound.REPEAT_FIRST
    target: int = 30_000
    """Points for the extra round and for agari and tenpai yame."""
    tobi: bool = True
    """A score below zero ends the game."""
    riichi_points: int = 1_000
    """Points that one must have for riichi; 0: none needed, the score may fall below zero."""
    riichi_tiles: int = 4
    """Tiles that must be left in the wall for riichi."""
    riichi_kan: RiichiKan = RiichiKan.SAME_WAITS
    double_wind_fu: int = 4
    """Fu of a pair that is both seat and round wind: 2 or 4."""
    kiriage: bool = False
    """4 han 30 fu and 3 han 60 fu are mangan."""
    kazoe_yakuman: bool = True
    """13 han are yakuman; otherwise sanbaiman."""
    double_suuankou_tanki: bool = False
    double_kokushi_13: bool = False
    double_junsei_chuuren: bool = False
    double_daisuushii: bool = False
    yakuman_add_up: bool = True
    pao_daisangen: bool = True
    pao_daisuushii: bool = True
    pao_suukantsu: bool = False
    """Liable is who gives the fourth kan, open, from a discard."""
    pao_cover: PaoCover = PaoCover.WHOLE
    pao_honba: PaoHonba = PaoHonba.LIABLE
    rinshan_pao: bool = False
    """Who gives an open kan pays for a win on its replacement tile."""
    renhou: Renhou = Renhou.NONE
    open_riichi: bool = False
    kokushi_ankan: bool = False
    """Thirteen orphans may rob a closed kan."""

    @property
    def seats(self) -> int:
        """How many play."""
        return len(self.uma)
