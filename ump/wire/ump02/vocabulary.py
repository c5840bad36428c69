"""All sentences of UMP 0.2: what each side may say, and the reading of a line into an id and one of these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, TypeVar, get_args

from ump.wire.sentence import Sentence
from ump.wire.text import WireError, quoted
from ump.wire.ump01 import questions as questions01
from ump.wire.ump01 import server_messages as server01
from ump.wire.ump01.client_messages import ClientBye
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
    | server01.Illegal
    | server01.Waiting
)
"""Every sentence that the server may send."""

SERVER_SAYS: tuple[type[ServerSentence], ...] = get_args(ServerSentence)
"""The same as classes."""

CLIENT_SAYS: tuple[type[Sentence], ...] = (
    client_messages.ClientHello,
    *client_messages.ANSWERS,
    client_messages.Ack,
    ClientBye,
)
"""Everything that a client may say."""

SERVER_NAMED: Mapping[str, type[ServerSentence]] = {sentence.NAME: sentence for sentence in SERVER_SAYS}
CLIENT_NAMED: Mapping[str, type[Sentence]] = {sentence.NAME: sentence for sentence in CLIENT_SAYS}

_LONGEST_ID = 9


def read_sentence(named: Mapping[str, type[S]], line: str) -> tuple[int, S | None]:
    """Read a line that is not empty: its id, and its sentence or None where that is not one of those named.

    Raises WireError where the line does not begin with an id, or a sentence is not of its form.
    """
    number, *words = line.split()
    if not (number.isascii() and number.isdigit() and len(number) <= _LONGEST_ID):
        raise WireError(f"{quoted(line)} does not begin with an id")
    arguments, options = split_words(words)
    sentence = named.get(arguments[0]) if arguments else None
    if sentence is None:
        return int(number), None
    if issubclass(sentence, OptionSentence):
        return int(number), sentence.read(arguments[1:], options)
    return int(number), sentence.parse(arguments[1:])
