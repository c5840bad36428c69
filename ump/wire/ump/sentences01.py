"""The sentences of UMP 0.1, and those that 0.2 shares with it.

"All" means every player of the table, "one" the player concerned. Spectators receive the sentences to all, but no
questions. The commands with which clients answer are in ``answers``. Examples leave out the id.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Self, TypeAlias, get_args

from ump.model.events import DrawReason
from ump.players.hints import Waits
from ump.wire.text import WireError, quoted
from ump.wire.ump import sentence as word
from ump.wire.ump.extras import NO_EXTRAS, SHANTEN, WAITS, AdvisedAnswers, Extras, FuritenIfAny, Live, additions
from ump.wire.ump.sentence import NO_OPTIONS, Sentence, sentence, split_id, split_options

# From the server


@sentence("hello")
class Hello(Sentence):
    """The first sentence, to one: answered by ``hello``. Example: ``hello ump=0.1 name=ump _rule=ump``."""

    options: word.Options


@sentence("error")
class Error(Sentence):
    """An error message, to one; the server closes the connection. Example: ``error too%20many%20connections``."""

    message: word.Message


@sentence("gamestart")
class GameStart(Sentence):
    """A game begins, to all; each receives its own seat, a spectator ``-``. Example: ``gamestart B a b c d``."""

    seat: word.Receiver
    names: word.Names

    def fits(self) -> bool:
        """Return whether the seat is one of the game."""
        return self.seat is None or self.seat < len(self.names)


@sentence("kyokustart")
class KyokuStart(Sentence):
    """A kyoku begins, to all; kyotaku in points. Example: ``kyokustart 1z A 0 1000``."""

    bakaze: word.Wind
    dealer: word.Seat01
    honba: word.Honba
    kyotaku: word.Kyotaku


@sentence("point")
class Point(Sentence):
    """A score, or a change of it, to all. A change of 0 is not sent.

    Examples: ``point A =25000``, ``point B -1000``.
    """

    seat: word.Seat01
    change: word.Change


@sentence("dice")
class Dice(Sentence):
    """The dice, to all; they have no effect. Example: ``dice 3 5``."""

    first: word.Die
    second: word.Die


@sentence("haipai")
class Haipai(Sentence):
    """The first 13 tiles, to all, dealer first; only the player itself receives the tiles.

    Example: ``haipai A 1m3m5M6m2p2p7p9s9s1z3z5z7z``.
    """

    seat: word.Seat01
    tiles: word.Hand = None


@sentence("dora")
class Dora(Sentence):
    """A dora indicator, to all: the first, that of each kan, and between a winner's ``open`` and ``agari`` each ura.

    Example: ``dora 4s``.
    """

    indicator: word.Tile


@sentence("tsumo")
class Tsumo(Sentence):
    """A draw, to all, and how many tiles are left after it; only the player who draws receives the tile.

    Example: ``tsumo A 69 5m``.
    """

    seat: word.Seat01
    left: word.Left
    tile: word.TileIfSeen = None


@sentence("sutehai")
class Sutehai(Sentence):
    """A discard, to all. Example: ``sutehai C 9s tsumogiri``."""

    seat: word.Seat01
    tile: word.Tile
    tsumogiri: word.Tsumogiri = False


@sentence("say")
class Say(Sentence):
    """A player says something, to all, before the meld, discard or win; ``tenpai`` and ``noten`` come after the hand.

    Example: ``say B pon``.
    """

    seat: word.Seat01
    call: word.Said


@sentence("open")
class Open(Sentence):
    """Tiles are shown, to all: a new meld, or a hand.

    Examples: ``open B <4m6m> 5m`` (chi, pon, open kan), ``open B (6z6z6z6z)`` (closed kan), ``open B <6m6m6m> 6m``
    (added kan), ``open B 2m2m5z5z7z7z5z<2p3p4p><6z6z6z>`` (a hand: on tsumo the winning tile is the last concealed
    one, on ron it is left out).
    """

    seat: word.Seat01
    tiles: word.Shown
    """Valid text: ``words.parse_shown`` and ``ump.model.notation`` can read it."""
    claimed: word.TileIfSeen = None


@sentence("agari")
class Agari(Sentence):
    """The value of a win, to all; yaku in Japanese or, with ``_lang=en``, romanised.

    Dora are listed as yaku. A yakuman has fu 0 and 13 han. Example: ``agari B 30 riichi 1 tanyao 1 dora 2``.
    """

    seat: word.Seat01
    fu: word.Fu
    yaku: word.Yaku


@sentence("_worth")
class Worth(Sentence):
    """The parts of what a winner receives, in points, to one, before ``agari``, with ``_results=1``.

    Base points are those before they are multiplied for each payer: 2,000 for a mangan. ``points`` is the value of the
    hand alone, and ``shares`` how it is paid: by one player, or by each of the others and by the dealer. A seat at the
    end is liable. Examples: ``_worth B 2000 8000 300 1000 8000``, ``_worth B 2000 8000 300 0 2000/4000``, ``_worth A
    8000 48000 0 0 48000 C``.
    """

    seat: word.Seat01
    base: word.Base
    points: word.HandPoints
    honba: word.HonbaPoints
    sticks: word.Kyotaku
    shares: word.Shares
    liable: word.SeatIfLiable = None


@sentence("_places")
class Places(Sentence):
    """Places and results with uma and oka in points, from A on, to one, before ``gameend``, with ``_results=1``.

    Example: ``_places 2 4900 1 45300 3 -15000 4 -35200``.
    """

    places: word.Places


@sentence("_record")
class Record(Sentence):
    """The name of the record, which can be read from now on, to one, before ``gameend``, with ``_results=1``.

    Example: ``_record 20260401T120000Z-main-1``.
    """

    name: word.RecordName


@sentence("ryukyoku")
class Ryukyoku(Sentence):
    """The kyoku is drawn, to all; without a reason if the wall is exhausted. Example: ``ryukyoku kyushukyuhai``."""

    reason: word.Draw = DrawReason.EXHAUSTED


@sentence("kyokuend")
class KyokuEnd(Sentence):
    """The kyoku is over, to all. Example: ``kyokuend``."""


@sentence("gameend")
class GameEnd(Sentence):
    """The game is over, to all: the final scores before uma, with left-over sticks.

    Example: ``gameend 32000 28000 24000 16000``.
    """

    points: word.Scores


@sentence("bye")
class Bye(Sentence):
    """Farewell, to one; answered by ``bye``, then closed. A client may send it at any time. Example: ``bye``."""


# Questions


@sentence("ready?")
class ReadyQuestion(Sentence):
    """The question whether a player is ready, to all, after ``gamestart`` and before ``kyokuend``; answered by ``ok``.

    After the last kyoku it says ``_last`` with ``_results=1``. Examples: ``ready?``, ``ready? _last``.
    """

    extras: Annotated[Extras, additions("[_last] [_time=<time>]")] = NO_EXTRAS


@sentence("sutehai?")
class SutehaiQuestion(Sentence):
    """The question for an action, to one, after its draw, chi or pon; answered by a discard, a kan, tsumo, riichi.

    Examples: ``sutehai?``, ``sutehai? sute=1m2m3m richi=5z ankan=1m kakan=5z tsumo ryukyoku``, ``sutehai?
    _hand=1m3m5z2m<2p3p4p> _drawn=2m _tenpai=5z/2m:2 _time=10+12.5``.
    """

    extras: Annotated[
        Extras,
        additions(
            "[sute=<tiles>] [richi=<tiles>] [openrichi=<tiles>] [ankan=<tiles>] [kakan=<tiles>] [kita] [tsumo] "
            "[ryukyoku] [_hand=<hand>] [_drawn=<tile>] [_shanten=<count>] [_tenpai=<discards>] "
            "[_safe=<tiles>] [_advise] [_time=<time>]"
        ),
    ] = NO_EXTRAS


@sentence("tenpai?")
class TenpaiQuestion(Sentence):
    """The question whether to show a tenpai hand, to one, at an exhausted wall, if it is tenpai without riichi.

    It is answered by ``yes`` or ``no``. Example: ``tenpai?``.
    """

    extras: Annotated[Extras, additions("[_time=<time>]")] = NO_EXTRAS


@sentence("naku?")
class NakuQuestion(Sentence):
    """The question about another's discard, kan or kita, to one; answered by a call, ron, or ``no``.

    Examples: ``naku? 5m``, ``naku? 5m chi=4m6m,6m7m pon=5m5M kan ron``.
    """

    tile: word.Tile
    extras: Annotated[
        Extras,
        additions(
            "[chi=<pairs>] [pon=<pairs>] [kan] [ron] [_hand=<hand>] [_shanten=<count>] [_waits=<waits>] "
            "[_furiten=<furiten>] [_advise] [_time=<time>]"
        ),
    ] = NO_EXTRAS


# Extensions: a client receives these only if it asks for them


@sentence("_illegal")
class Illegal(Sentence):
    """The reason why the answer to the question with this id was refused, to one, with ``_explain=1``.

    Example: ``_illegal 57 furiten``.
    """

    id: word.Id
    reason: word.Refusal


@sentence("_late")
class Late(Sentence):
    """The time for a question ran out, and the server has answered, to one, with ``_explain=1``.

    ``left``: how many more timeouts in a row let the server stop waiting for the client; 0: it does not wait any more,
    until the client sends a line. Example: ``_late 57 2``.
    """

    id: word.Id
    left: word.Count


@sentence("_waiting")
class Waiting(Sentence):
    """The number of players in the room, to one that waits, with ``_explain=1``. Example: ``_waiting 2 4``."""

    seated: word.Count
    needed: word.Count


@sentence("_notice")
class Notice(Sentence):
    """A message of the server's operator, at most 160 characters, to all or to one, with ``_explain=1``.

    Example: ``_notice The%20server%20restarts%20at%2020:00.``
    """

    text: word.Text


@sentence("_resume")
class SeatToken(Sentence):
    """The token with which the client can come back to its seat, with ``_resume=1``.

    Example: ``_resume 00112233445566778899aabbccddeeff``.
    """

    token: word.Token


@sentence("_you")
class You(Sentence):
    """The name under which the client plays, and the game in which it has a seat, with ``_guest=`` and ``_explain=1``.

    Another player may have the name that it asked for. Examples: ``_you Mika%202``, ``_you Mika%202 main-3``.
    """

    name: word.Text
    game: word.GameIfAny = None


@sentence("_table")
class FriendsTable(Sentence):
    """The table among friends to which the client has come, to one. Its code leads to it.

    Example: ``_table invitation=K7MQ2XAB rule=tenhou length=tonpu clock=5+10 bots=fill watchers=masked seats=4``.
    """

    options: word.Options


@sentence("_members")
class Members(Sentence):
    """The players who have come to the table among friends, to each of them that has no seat at the moment.

    Example: ``_members Mika:host Bob%202:ready Eva:away -``.
    """

    members: word.Members


@sentence("_bots")
class BotsSoon(Sentence):
    """The seconds until built-in bots take the free seats and the game begins, to one that waits, with ``_person=1``.

    Example: ``_bots 3``.
    """

    seconds: word.Count


@sentence("_players")
class Profiles(Sentence):
    """The server's knowledge of the players, by seat, before ``gamestart``, with ``_person=1``.

    A bot, a rating, both, or neither (``-``); ``?`` after a provisional rating, and half of
    its 95 % interval. Example: ``_players bot 1523 - 1498?120``.
    """

    profiles: word.Profiles


@sentence("_away")
class Away(Sentence):
    """A player of the game has lost its connection, or left, to the others with ``_person=1``. Example: ``_away B``."""

    seat: word.Seat01


@sentence("_back")
class Back(Sentence):
    """That player is back. Example: ``_back B``."""

    seat: word.Seat01


@sentence("_pong")
class Pong(Sentence):
    """The answer to a client with ``_ping=1`` that asks whether the server is there. Example: ``_pong``."""


@sentence("_watching")
class Watching(Sentence):
    """The number of spectators of the game, to players with ``_person=1``, when it has changed.

    Example: ``_watching 2``.
    """

    number: word.Count


@sentence("_say")
class Phrase(Sentence):
    """A player says the phrase of this number, to players with ``_person=1``. Example: ``_say B 3``."""

    seat: word.Seat01
    phrase: word.Count


@sentence("_commitment")
class Commitment(Sentence):
    """The commitment to the secret of the walls (SHA-256 in hex), before the game, with ``_proof=1`` or ``_seed=``.

    Example: ``_commitment 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a``.
    """

    digest: word.Digest


@sentence("_secret")
class Secret(Sentence):
    """The secret of the walls, after the game, with ``_proof=1`` or ``_seed=``.

    Example: ``_secret 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a``.
    """

    secret: word.Digest


@sentence("_seeds")
class Seeds(Sentence):
    """The players' commitments to their texts for the walls, by seat, with ``_seed=`` or ``_proof=1``.

    Example: ``_seeds - 0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a - -``.
    """

    commitments: word.Sealed


@sentence("_seed?")
class SeedQuestion(Sentence):
    """The question for the text of the client's commitment, with ``_seed=``. Example: ``_seed?``."""


@sentence("_texts")
class Texts(Sentence):
    """The texts that the players add to the walls, by seat, with ``_seed=`` or ``_proof=1``.

    Example: ``_texts - 00112233445566778899aabbccddeeff - -``.
    """

    texts: word.Added


@sentence(WAITS)
class WaitsNow(Sentence):
    """The waits of the player's own tenpai hand, to one, with ``_waits=1``.

    It comes after each discard of the player, and when a number or furiten has changed. Examples: ``_waits
    4m:3/7m:2``, ``_waits 5z:1 permanent``.
    """

    live: Live
    furiten: FuritenIfAny = None

    @property
    def waits(self) -> Waits:
        """Both as one value."""
        return Waits(self.live, self.furiten)


@sentence(SHANTEN)
class ShantenNow(Sentence):
    """The shanten of the player's own hand after its discard, to one, with ``_waits=1``. Example: ``_shanten 2``."""

    shanten: word.Count


@sentence("_advice")
class Advice(Sentence):
    """The answers to the question with this id that the bot ``expert`` likes best, to one that has sent ``_advise``.

    Each has its points, the shanten after it and the tiles that lower that (``-/-``: it folds), and the chance to deal
    in, in percent; one that needs no comparison has none of these. Examples: ``_advice 20 sute=1z/-120/2/18/4``,
    ``_advice 21 ron``.
    """

    id: word.Id
    answers: AdvisedAnswers


# From clients, besides answers


@sentence("hello")
class ClientHello(Sentence):
    """The introduction of the client, with the extensions that it asks for. Example: ``hello ump=0.1 name=alice``."""

    options: word.Options

    @classmethod
    def parse(cls, words: Sequence[str], options: Mapping[str, str] = NO_OPTIONS) -> Self:
        """Read options; raise WireError for any other word, with a message for people who type ``hello alice``."""
        arguments, given = split_options(words)
        if arguments:
            raise WireError(f"hello takes options, as in: hello name=alice; {quoted(arguments[0])} is not an option")
        return cls(tuple(given.items()))


@sentence("_seed")
class Reveal(Sentence):
    """Reveal the text of one's commitment for the walls of a game, with ``_seed=``, and commit oneself to the next.

    Example: ``_seed 00112233445566778899aabbccddeeff``.
    """

    text: word.PlayerText
    commitment: word.NextDigest = None


Question: TypeAlias = ReadyQuestion | SutehaiQuestion | TenpaiQuestion | NakuQuestion

Proof: TypeAlias = Commitment | Secret | Seeds | Texts
Social: TypeAlias = FriendsTable | Members | BotsSoon | Profiles | Away | Back | Watching | Phrase
Explanation: TypeAlias = Illegal | Late | Waiting | Notice | You | Pong | Social
Outcome: TypeAlias = Worth | Places | Record
Hint: TypeAlias = WaitsNow | ShantenNow | Advice

Beginning: TypeAlias = Hello | GameStart | KyokuStart | Point | Dice | Haipai | Dora
Move: TypeAlias = Tsumo | Sutehai | Say | Open
End: TypeAlias = Agari | Ryukyoku | KyokuEnd | GameEnd | Error | Bye

ServerSentence: TypeAlias = (
    Beginning | Move | End | Question | Explanation | SeatToken | SeedQuestion | Proof | Hint | Outcome
)
"""Every sentence that the server may send."""

SERVER_NAMED: Mapping[str, type[ServerSentence]] = {each.NAME: each for each in get_args(ServerSentence)}
"""These sentences by command."""


def read_sentence(line: str) -> tuple[int, ServerSentence | None]:
    """Read a line of the server that is not empty: return its id and its sentence, or None for an unknown command.

    Raises WireError if the line does not begin with an id, or if the sentence has another form.
    """
    number, words = split_id(line)
    if not words or words[0] not in SERVER_NAMED:
        return number, None
    return number, SERVER_NAMED[words[0]].parse(words[1:])
