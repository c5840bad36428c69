"""All sentences of UMP 0.2: what each side may say, and the reading of a line into an id and one of these."""

from __future__ import annotations

from collections.abc import Mapping

from ump.wire.sentence import Sentence
from ump.wire.text import WireError, quoted
from ump.wire.ump01 import asks as asks01
from ump.wire.ump01 import server as server01
from ump.wire.ump01.client import ClientBye
from ump.wire.ump02 import asks, client, server
from ump.wire.ump02.sentence import OptionSentence, parted

SERVER_SAYS: tuple[type[Sentence], ...] = (
    server.Hello,
    server.Error,
    server.OwnSeat,
    server.Player,
    server.GameStart,
    asks01.ReadyAsk,
    server.KyokuStart,
    server.Point,
    server.Richi,
    server01.Dice,
    server.Dora,
    server.Uradora,
    server.Haipai,
    server.Tsumo,
    asks.SutehaiAsk,
    server.Sutehai,
    asks.NakiAsk,
    asks01.TenpaiAsk,
    server.Say,
    server.Open,
    server.Agari,
    server.Ryukyoku,
    server01.KyokuEnd,
    server.GameEnd,
    client.Ack,
    server01.Illegal,
    server01.Waiting,
)
"""Everything that the server may say."""

CLIENT_SAYS: tuple[type[Sentence], ...] = (client.ClientHello, *client.ANSWERS, client.Ack, ClientBye)
"""Everything that a client may say."""

SERVER_NAMED: Mapping[str, type[Sentence]] = {sentence.NAME: sentence for sentence in SERVER_SAYS}
CLIENT_NAMED: Mapping[str, type[Sentence]] = {sentence.NAME: sentence for sentence in CLIENT_SAYS}

_LONGEST_ID = 9


def read_sentence(named: Mapping[str, type[Sentence]], line: str) -> tuple[int, Sentence | None]:
    """Read a line that is not empty: its id, and its sentence or None where that is not one of those named.

    Raises WireError where the line does not begin with an id, or a sentence is not of its form.
    """
    number, *words = line.split()
    if not (number.isascii() and number.isdigit() and len(number) <= _LONGEST_ID):
        raise WireError(f"{quoted(line)} does not begin with an id")
    arguments, options = parted(words)
    sentence = named.get(arguments[0]) if arguments else None
    if sentence is None:
        return int(number), None
    if issubclass(sentence, OptionSentence):
        return int(number), sentence.read(arguments[1:], options)
    return int(number), sentence.parse(arguments[1:])
