"""The sentences of UMP 0.2 that differ from those of 0.1.

Options stand before arguments, as libump writes them, and are read anywhere; unknown options and arguments are skipped.
"All" means every player of the table, "one" the player concerned. Examples leave out the id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Self, TypeAlias, get_args

from ump.model import actions
from ump.model.actions import Action
from ump.model.events import DrawReason
from ump.model.tiles import Face
from ump.wire.ump import sentence as word
from ump.wire.ump import sentences01 as s01
from ump.wire.ump.extras import AdvisedAnswers02
from ump.wire.ump.sentence import (
    NO_OPTIONS,
    SET_ASIDE,
    Sentence,
    misfit,
    offered,
    parse_seat_02,
    parse_tile,
    sentence,
    split_id,
    split_words,
)

TURN_WORDS: dict[type[Action], str] = {
    actions.Tsumo: "tsumo",
    actions.Ankan: "ankan",
    actions.Kakan: "kakan",
    actions.Kita: "kita",
    actions.KyushuKyuhai: "ryukyoku",
}
"""The words with which ``sutehai?`` offers actions, in their order; ``kita`` and ``ryukyoku`` are additions."""

CALL_WORDS: dict[type[Action], str] = {
    actions.Ron: "ron",
    actions.Daiminkan: "kan",
    actions.Pon: "pon",
    actions.Chi: "chi",
}
"""The words with which ``naki?`` offers actions, in their order."""


@sentence("hello")
class Hello(Sentence):
    """The first sentence, to one: answered by ``hello``. libump's own has no options. Example: ``hello name=ump``."""

    options: word.Options

    @classmethod
    def parse(cls, words: Sequence[str], options: Mapping[str, str] = NO_OPTIONS) -> Self:
        """Read the options."""
        return cls(tuple(options.items()))


@sentence("error", skips_more=True)
class Error(Sentence):
    """An error message, to one; this server then closes the connection.

    ``=`` is encoded, because a word with ``=`` would be an option. Example: ``error too%20many%20connections``.
    """

    message: word.Text02


@sentence("_notice", skips_more=True)
class Notice(Sentence):
    """A message of the server's operator, as in 0.1.

    Example: ``_notice The%20server%20restarts%20at%2020:00.``
    """

    text: word.Text02


@sentence("seat", skips_more=True)
class OwnSeat(Sentence):
    """The own seat of one player, to that player, before anything else of a game. Example: ``seat gameid=1 C0``."""

    seat: word.Seat02
    game: word.Game = None


@sentence("player", skips_more=True)
class Player(Sentence):
    """A player's seat and name, to all, for each seat. Example: ``player B0 bob``."""

    seat: word.Seat02
    name: word.Name02


@sentence("gamestart", skips_more=True)
class GameStart(Sentence):
    """A game begins, to all. Example: ``gamestart id=1``."""

    id: word.GameId = None


@sentence("kyokustart")
class KyokuStart(Sentence):
    """A kyoku begins, to all: round, dealer, honba, kyotaku in points, the round wind, and the wind of each seat.

    Rounds are counted from 0 (east). Example: ``kyokustart 1 B0 0 1000 2z 4z 1z 2z 3z``.
    """

    round: word.Round
    dealer: word.Seat02
    honba: word.Honba
    kyotaku: word.Kyotaku
    bakaze: word.Wind
    winds: word.Winds

    def fits(self) -> bool:
        """Return whether the dealer is one of the players."""
        return self.dealer < len(self.winds)


@sentence("point", skips_more=True)
class Point(Sentence):
    """A score, or a change of it, to all. A change of 0 is not sent.

    Examples: ``point A0 =25000``, ``point B0 -1000``.
    """

    seat: word.Seat02
    change: word.Change


@sentence("richi", skips_more=True)
class Richi(Sentence):
    """A riichi is accepted and its stick paid, to all. Example: ``richi C0 -1000``."""

    seat: word.Seat02
    points: word.Stick


@sentence("dora", skips_more=True)
class Dora(Sentence):
    """A dora indicator is revealed, to all; the first one before the hands. Example: ``dora 9p 8p``."""

    dora: word.Tile
    indicator: word.Tile


@sentence("uradora", skips_more=True)
class Uradora(Sentence):
    """An ura indicator, to all, between ``open`` and ``agari`` of a winner in riichi. Example: ``uradora 7p 6p``."""

    dora: word.Tile
    indicator: word.Tile


@sentence("haipai", skips_more=True)
class Haipai(Sentence):
    """Tiles of the deal, to all: four, four, four and one for each seat in turn, starting with the dealer.

    Examples: ``haipai C0 2m8s5m7z``, ``haipai D0 xx``.
    """

    seat: word.Seat02
    tiles: word.SeenHand


@sentence("tsumo", skips_more=True)
class Tsumo(Sentence):
    """A draw, to all, and how many tiles are left after it; only the player who draws receives the tile.

    Examples: ``tsumo A0 69 5m``, ``tsumo B0 40 xx rinshan``.
    """

    seat: word.Seat02
    left: word.Left
    tile: word.Seen
    rinshan: word.Rinshan = False
    """Whether the tile is the replacement tile of a kan."""


@sentence("sutehai", skips_more=True)
class Sutehai(Sentence):
    """A discard, to all. Examples: ``sutehai C0 9s tsumogiri``, ``sutehai C0 5z richi``."""

    seat: word.Seat02
    tile: word.Tile
    tsumogiri: word.Tsumogiri = False
    richi: word.Richi = False


@sentence("say", skips_more=True)
class Say(Sentence):
    """A player says something, to all, before the meld, discard or win; ``tenpai`` and ``noten`` come after the hand.

    Example: ``say B0 pon``.
    """

    seat: word.Seat02
    call: word.Said


@sentence("open", skips_more=True)
class Open(Sentence):
    """Tiles are shown, to all: a new meld, or the concealed tiles of a hand.

    Examples: ``open B0 <4m6m> 5m`` (chi, pon, open kan), ``open B0 (6z6z6z6z)`` (closed kan), ``open B0 [6m6m6m] 6m``
    (added kan), ``open B0 <4z>`` (a north set aside), ``open B0 2m2m5z5z7z7z5z`` (a hand without its melds: on tsumo
    the winning tile is the last one, on ron it is left out).
    """

    seat: word.Seat02
    tiles: word.Shown02
    claimed: word.TileIfSeen = None
    """The called or added tile; only melds in ``<>`` and ``[]`` have one."""

    @classmethod
    def parse(cls, words: Sequence[str], options: Mapping[str, str] = NO_OPTIONS) -> Self:
        """Read the seat, the shown tiles and, if there is one, the claimed tile."""
        if len(words) < 2:
            raise misfit(cls.NAME, words)
        seat, tiles = parse_seat_02(words[0]), word.check_shown_02(words[1])
        if tiles[0] not in "<[" or tiles == SET_ASIDE:
            return cls(seat, tiles)
        if len(words) < 3:
            raise misfit(cls.NAME, words)
        return cls(seat, tiles, parse_tile(words[2]))


@sentence("agari")
class Agari(Sentence):
    """The value of a win, to all.

    The points are those of the hand without honba and sticks (on tsumo their sum) or the name of a limit; dora are one
    pair, the last. A yakuman has fu 0, and instead of han the number of times it counts. Example: ``agari ron=4m B0
    3900 30 %E7%AB%8B%E7%9B%B4 1 %E3%83%89%E3%83%A9 2``.
    """

    seat: word.Seat02
    points: word.Worth
    fu: word.Fu
    yaku: word.Yaku02
    ron: word.RonTile = None


@sentence("ryukyoku", skips_more=True)
class Ryukyoku(Sentence):
    """The kyoku is drawn, to all; the reason is an addition to 0.2, and left out if the wall is exhausted.

    Examples: ``ryukyoku``, ``ryukyoku kyushukyuhai``.
    """

    reason: word.Draw02 = DrawReason.EXHAUSTED


@sentence("gameend")
class GameEnd(Sentence):
    """The game is over, to all: the results in order of places, with uma and oka, in points; their sum is 0.

    Example: ``gameend C0 55000 A0 13300 B0 -15000 D0 -53300``.
    """

    results: word.Results


@sentence("sutehai?")
class SutehaiQuestion(Sentence):
    """The question for an action, to one, after its draw, chi or pon.

    ``richi=`` lists the tiles that may be discarded with riichi. Examples: ``sutehai?``, ``sutehai? richi=5z6z tsumo``.
    """

    riichi: word.RiichiTiles = ()
    offers: Annotated[tuple[str, ...], offered(TURN_WORDS.values())] = ()

    @classmethod
    def offering(cls, legal: Iterable[Action]) -> Self:
        """Return the question for these legal actions; 0.2 has no word for open riichi."""
        said = tuple(legal)
        riichi = dict.fromkeys(each.face for each in said if isinstance(each, actions.Riichi) and not each.opened)
        return cls(tuple(riichi), _offered(said, TURN_WORDS))


@sentence("naki?")
class NakiQuestion(Sentence):
    """The question whether to call a tile, to one, on another's discard or kan. Example: ``naki? 5p pon chi``."""

    tile: word.Tile
    offers: Annotated[tuple[str, ...], offered(CALL_WORDS.values())] = ()

    @classmethod
    def offering(cls, tile: Face, legal: Iterable[Action]) -> Self:
        """Return the question for these legal actions."""
        return cls(tile, _offered(legal, CALL_WORDS))


def _offered(legal: Iterable[Action], words: Mapping[type[Action], str]) -> tuple[str, ...]:
    """Return the words for those kinds of action that occur."""
    present = set(map(type, legal))
    return tuple(word for kind, word in words.items() if kind in present)


@sentence("_advice")
class Advice(Sentence):
    """The answers to the question with this id that the bot ``expert`` likes best, as in 0.1, but without ``=``.

    Examples: ``_advice 20 sutehai:1z/-120/2/18/4 richi:4p/-310/0/7/5``, ``_advice 21 ron``.
    """

    id: word.Id
    answers: AdvisedAnswers02


@sentence("ack")
class Ack(Sentence):
    """A sign of life, at any time and in both directions, with id 0 and without answer. Example: ``ack``."""


Own: TypeAlias = (
    Hello
    | Error
    | Notice
    | OwnSeat
    | Player
    | GameStart
    | KyokuStart
    | Point
    | Richi
    | Dora
    | Uradora
    | Haipai
    | Advice
    | Ack
)
Move: TypeAlias = Tsumo | Sutehai | Say | Open | Agari | Ryukyoku | GameEnd | SutehaiQuestion | NakiQuestion
OfBoth: TypeAlias = s01.Dice | s01.KyokuEnd | s01.ReadyQuestion | s01.TenpaiQuestion
Explanation: TypeAlias = s01.Illegal | s01.Late | s01.Waiting

ServerSentence: TypeAlias = Own | Move | OfBoth | Explanation | s01.SeatToken | s01.SeedQuestion | s01.Proof
"""Every sentence that the server may send."""

SERVER_NAMED: Mapping[str, type[ServerSentence]] = {each.NAME: each for each in get_args(ServerSentence)}
"""These sentences by command."""


def read_sentence(line: str) -> tuple[int, ServerSentence | None]:
    """Read a line of the server that is not empty: return its id and its sentence, or None for an unknown command.

    Raises WireError if the line does not begin with an id, or if the sentence has another form.
    """
    number, words = split_id(line)
    arguments, options = split_words(words)
    if not arguments or arguments[0] not in SERVER_NAMED:
        return number, None
    return number, SERVER_NAMED[arguments[0]].parse(arguments[1:], options)
