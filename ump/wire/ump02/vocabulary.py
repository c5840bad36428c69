"""All sentences of UMP 0.2: those of each side, and the reading of a line as one of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, TypeVar, get_args

from ump.wire.sentence import Sentence, split_id
from ump.wire.ump01 import extension_messages
from ump.wire.ump01 import questions as questions01
from ump.wire.ump01 import server_messages as server01
from ump.wire.ump01.client_messages import ClientBye, Reveal
from ump.wire.ump02 import client_messages, questions, server_messages
from ump.wire.ump02.words import OptionSentence, split_words

S = TypeVar("S", bound=Sentence)

ServerSentence: TypeAlias = (
    server_messages.Hello
    | server_messages.Error
    | server_messages.OwnSeat
    | server_messages.Player
    | server_messages.GameStart
    | questions01.ReadyQuestion
    | server_messages.KyokuStart
    | server_messages.Point
    | server_messages.Richi
    | server01.Dice
    | server_messages.Dora
    | server_messages.Uradora
    | server_messages.Haipai
    | server_messages.Tsumo
    | questions.SutehaiQuestion
    | server_messages.Sutehai
    | questions.NakiQuestion
    | questions01.TenpaiQuestion
    | server_messages.Say
    | server_messages.Open
    | server_messages.Agari
    | server_messages.Ryukyoku
    | server01.KyokuEnd
    | server_messages.GameEnd
    | client_messages.Ack
    | extension_messages.Illegal
    | extension_messages.Late
    | extension_messages.Waiting
    | extension_messages.Notice
    | extension_messages.SeatToken
    | extension_messages.Commitment
    | extension_messages.Secret
    | extension_messages.Seeds
    | extension_messages.SeedQuestion
    | extension_messages.Texts
)
"""Every sentence that the server may send."""

SERVER_SAYS: tuple[type[ServerSentence], ...] = get_args(ServerSentence)
"""The classes of these sentences."""

CLIENT_SAYS: tuple[type[Sentence], ...] = (
    client_messages.ClientHello,
    *client_messages.ANSWERS,
    client_messages.Ack,
    Reveal,
    ClientBye,
)
"""The classes of every sentence that a client may send."""

SERVER_NAMED: Mapping[str, type[ServerSentence]] = {sentence.NAME: sentence for sentence in SERVER_SAYS}
CLIENT_NAMED: Mapping[str, type[Sentence]] = {sentence.NAME: sentence for sentence in CLIENT_SAYS}
"""The sentences of each side by command."""


def read_sentence(named: Mapping[str, type[S]], line: str) -> tuple[int, S | None]:
    """Read a line that is not empty: return its id and its sentence, or None for a command that is not ``named``.

    Raises WireError if the line does not begin with an id, or if the sentence has another form.
    """
    number, words = split_id(line)
    arguments, options = split_words(words)
    sentence = named.get(arguments[0]) if arguments else None
    if sentence is None:
        return number, None
    if issubclass(sentence, OptionSentence):
        return number, sentence.read(arguments[1:], options)
    return number, sentence.parse(arguments[1:])
