"""Secrets of games: random, derived from the server's seed, or with texts of players, by commitment and reveal."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from urllib.parse import unquote

import pytest
from support.memory_server import MemoryServer, Peer, Robot, journal_folder, memory_server, room

from ump.game.deals import Round, key_of, keyed_deals
from ump.model.commitments import SECRET, commitment_of
from ump.model.events import HandDealt, KyokuStarted
from ump.model.notation import UMP_FACES
from ump.model.tiles import faces_of_tiles
from ump.net.limits import SEED_SECONDS
from ump.record.game_index import GameIndex
from ump.record.journal import Journal, check_journal, read_journal
from ump.server.journals import JournalFolder, Sync
from ump.server.room import GameQuota
from ump.server.seeds import SeedSource


def test_one_seed_for_all() -> None:
    """The secret of each game follows from the server's seed, which it does not reveal; no two games have the same."""
    assert SeedSource("s").secret_of("main-1") == SeedSource("s").secret_of("main-1")
    assert (
        len(
            {
                SeedSource("s").secret_of("main-1"),
                SeedSource("s").secret_of("main-2"),
                SeedSource("t").secret_of("main-1"),
            }
        )
        == 3
    )
    assert SECRET.fullmatch(SeedSource("seed").secret_of("main-1"))


def test_a_secret_repeats_its_game() -> None:
    """The secret that a log states is a seed too: it gives the same game, whatever its name."""
    secret = SeedSource("s").secret_of("main-7")
    assert SeedSource(secret).secret_of("main-1") == secret


def test_random_secrets() -> None:
    """Without a server's seed, each game has another secret."""
    assert len({SeedSource(None).secret_of("main-1") for _ in range(100)}) == 100


KYOKU = room(length="kyoku", time="10+20", grace=60)
TEXTS = [f"text-of-player-{name * 10}" for name in "abcd"]


def digest(text: str) -> str:
    """Return the commitment to a text, computed without the code under test."""
    return sha256(text.encode()).hexdigest()


@pytest.fixture
def journals(tmp_path: Path) -> Iterator[JournalFolder]:
    """An empty folder of journals."""
    folder = journal_folder(tmp_path, Sync.KYOKU)
    folder.open()
    yield folder
    folder.close()


@pytest.fixture
def server(journals: JournalFolder) -> Iterator[MemoryServer]:
    """A server whose games are recorded."""
    with memory_server(KYOKU, recorder_of=journals.create) as opened:
        yield opened


def said(peer: Peer, command: str) -> list[list[str]]:
    """Return the arguments of each sentence of this command that a client has received."""
    peer.words()
    return [line.split()[2:] for line in peer.lines if line.split()[1] == command]


def reveal(peer: Peer, text: str) -> None:
    """Answer the last ``_seed?``."""
    peer.words()
    number = [line.split()[0] for line in peer.lines if line.endswith(" _seed?")][-1]
    peer.say(f"{number} _seed {text}")


def last_error(peer: Peer) -> str:
    """Return the error that a client has received last."""
    peer.words()
    return unquote(peer.lines[-1].split(" ", 2)[2])


def recorded(journals: JournalFolder) -> list[Journal]:
    """Return the journals of the finished games, in their order."""
    files = sorted(game.file for game in GameIndex(journals.folder).games())
    return [read_journal(gzip.decompress((journals.folder / file).read_bytes())) for file in files]


def test_texts_of_players_make_the_walls(server: MemoryServer, journals: JournalFolder) -> None:
    """All commitments come before the first text is asked for; the walls follow from the secret and all texts."""
    peers = [server.enter(name, f"_seed={digest(text)}") for name, text in zip("abc", TEXTS, strict=False)]
    peers.append(server.enter("d", "_proof=1"))
    for peer in peers[:3]:
        assert peer.words()[1:] == ["_commitment", "_seeds", "_seed?"]
    assert peers[3].words()[1:] == ["_commitment", "_seeds"]
    for peer, text in zip(peers[:3], TEXTS, strict=False):
        assert "gamestart" not in peer.words()
        assert said(peer, "_texts") == []
        reveal(peer, text)
    server.play([Robot(peer) for peer in peers])
    ((secret,),) = said(peers[3], "_secret")
    ((commitment,),) = said(peers[3], "_commitment")
    ((*texts,),) = said(peers[3], "_texts")
    assert commitment == commitment_of(secret)
    assert sorted(texts) == sorted([*TEXTS[:3], "-"])
    assert said(peers[3], "_seeds") == [["-" if text == "-" else digest(text) for text in texts]]
    assert [said(peer, "_texts") for peer in peers] == [[texts]] * 4
    (journal,) = recorded(journals)
    assert journal.header.opening.seed == "/".join((secret, *("" if text == "-" else text for text in texts)))
    (start,) = (event for event in check_journal(journal) if isinstance(event, KyokuStarted))
    (indicator,) = said(peers[3], "dora")[0]
    walls = keyed_deals(key_of(secret, ["" if text == "-" else text for text in texts]), 4)
    wall = walls(Round(start.bakaze, start.dealer, start.honba, 0, 0)).tiles
    reds = journal.header.opening.ruleset.red_fives
    assert UMP_FACES[faces_of_tiles(reds)[wall[5]]] == indicator


def test_nobody_is_disturbed_who_does_not_take_part(server: MemoryServer) -> None:
    """A client that has asked for nothing receives nothing; without any commitment, a game begins at once."""
    adding = server.enter("a", f"_seed={digest(TEXTS[0])}")
    others = [server.enter(name) for name in "bcd"]
    assert [peer.words() for peer in others] == [["hello"]] * 3
    reveal(adding, TEXTS[0])
    assert [peer.words()[1] for peer in others] == ["gamestart"] * 3


@pytest.mark.parametrize("version", ["0.1", "0.2"])
def test_one_commitment_for_each_game(server: MemoryServer, journals: JournalFolder, version: str) -> None:
    """A client commits itself to its next text when it reveals one; without that it adds nothing to the next game."""
    adding = server.connect()
    adding.say(f"0 hello ump={version} name=a _games=3 _seed={digest(TEXTS[0])}")
    others = server.robots("b", "c", "d", options="_games=3")
    for games, answer in enumerate((f"{TEXTS[0]} {digest(TEXTS[1])}", TEXTS[1]), 1):
        reveal(adding, answer)
        adding.say("ok")
        for _ in range(100):
            server.play(others, until=lambda: len(recorded(journals)) == games)  # noqa: B023
            if len(recorded(journals)) == games:
                break
            server.clock.advance(40)
    assert [len(texts) for texts in said(adding, "_texts")] == [4, 4]
    assert len(said(adding, "_secret")) == 2
    first, second = recorded(journals)[:2]
    assert [seed.text for each in (first, second) for seed in each.header.opening.seeds if seed] == TEXTS[:2]
    assert len(said(adding, "_seed?")) == 2


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (TEXTS[1], "_seed: this text is not the one of your commitment"),
        ("short", "_seed cannot be read: 'short'"),
        (f"{TEXTS[0]} x", None),
        (f"{TEXTS[0]} {'0' * 64} more", None),
    ],
)
def test_a_wrong_text_costs_the_game(
    server: MemoryServer, journals: JournalFolder, answer: str, error: str | None
) -> None:
    """The client is turned away, and the server plays its seat; the walls are made of the other texts."""
    wrong, right = (server.enter(name, f"_seed={digest(text)}") for name, text in zip("ab", TEXTS, strict=False))
    others = server.robots("c", "d")
    reveal(right, TEXTS[1])
    reveal(wrong, answer)
    assert not wrong.is_connected
    if error is not None:
        assert last_error(wrong) == error
    assert sorted(said(right, "_texts")[0]) == sorted(["-", "-", "-", TEXTS[1]])
    assert said(right, "_seeds")[0].count("-") == 2
    server.play([Robot(right), *others])
    (journal,) = recorded(journals)
    withheld = [seed for seed in journal.header.opening.seeds if seed is not None and seed.text is None]
    assert [seed.commitment for seed in withheld] == [digest(TEXTS[0])]
    assert check_journal(journal)


def test_withholding_a_text_costs_the_game(server: MemoryServer, journals: JournalFolder) -> None:
    """After some seconds the game begins without those who have not revealed their texts, and are turned away."""
    silent = [server.enter(name, f"_seed={digest(text)}") for name, text in zip("ab", TEXTS, strict=False)]
    others = server.robots("c", "d")
    server.clock.advance(SEED_SECONDS - 1)
    assert others[0].peer.words() == ["hello"]
    server.clock.advance(1)
    assert [last_error(peer) for peer in silent] == [
        f"_seed: no text in {SEED_SECONDS} seconds; the server plays your seat"
    ] * 2
    server.play(others)
    assert others[0].peer.words()[-2:] == ["gameend", "bye"]
    (journal,) = recorded(journals)
    opening = journal.header.opening
    assert opening.seed == opening.secret
    assert sum(seed is not None for seed in opening.seeds) == 2
    assert check_journal(journal)


@pytest.mark.parametrize("has_revealed", [False, True])
def test_a_player_who_leaves_during_the_exchange(server: MemoryServer, *, has_revealed: bool) -> None:
    """Its seat is played by the server, whether its text counts or not; nobody waits for it."""
    leaving, staying = (server.enter(name, f"_seed={digest(text)}") for name, text in zip("ab", TEXTS, strict=False))
    others = server.robots("c", "d")
    if has_revealed:
        reveal(leaving, TEXTS[0])
    leaving.hang_up()
    reveal(staying, TEXTS[1])
    revealed = {TEXTS[0], TEXTS[1]} if has_revealed else {TEXTS[1]}
    assert set(said(staying, "_texts")[0]) == revealed | {"-"}
    server.play([Robot(staying), *others])
    assert staying.words()[-2:] == ["_secret", "bye"]


def test_all_players_leave_during_the_exchange(journals: JournalFolder) -> None:
    """The game is abandoned, and the quota of games counts it."""
    over: list[bool] = []
    quota = GameQuota(1, lambda: over.append(True), most=None)
    with memory_server(KYOKU, recorder_of=journals.create, quota=quota) as server:
        peers = [server.enter(name, f"_seed={digest(TEXTS[0])}") for name in "abcd"]
        for peer in peers:
            peer.hang_up()
    assert over == [True]
    (journal,) = recorded(journals)
    assert journal.end is not None
    assert check_journal(journal) == [] or journal.steps


def test_a_server_that_stops_during_the_exchange(journals: JournalFolder) -> None:
    """No game begins, and nothing is recorded."""
    with memory_server(KYOKU, recorder_of=journals.create) as server:
        peers = [server.enter(name, f"_seed={digest(TEXTS[0])}") for name in "abcd"]
        server.lobby.close()
        reveal(peers[0], TEXTS[0])
        assert "gamestart" not in peers[0].words()
    assert recorded(journals) == []


def test_texts_that_nobody_has_asked_for(server: MemoryServer) -> None:
    """They are dropped, and so is an answer to another question."""
    peers = [server.enter("a", f"_seed={digest(TEXTS[0])}")]
    peers[0].say(f"_seed {TEXTS[0]}")
    peers += [server.enter(name) for name in "bcd"]
    assert "gamestart" not in peers[1].words()
    peers[0].say(f"77 _seed {TEXTS[0]}")
    peers[1].say(f"_seed {TEXTS[0]}")
    assert "gamestart" not in peers[1].words()
    peers[0].say(f"_seed {TEXTS[0]}")
    assert "gamestart" in peers[1].words()


def test_a_commitment_in_another_form_is_refused(server: MemoryServer) -> None:
    """Otherwise the client would believe that it takes part."""
    assert last_error(server.enter("a", "_seed=abc")) == (
        "_seed= must be a SHA-256 digest, 64 hex digits in lower case"
    )


def test_the_seed_of_a_record_repeats_its_game(server: MemoryServer, journals: JournalFolder) -> None:
    """It holds the texts of the players; those who play again cannot add others."""
    peers = [server.enter(name, f"_seed={digest(text)}") for name, text in zip("abcd", TEXTS, strict=True)]
    for peer, text in zip(peers, TEXTS, strict=True):
        reveal(peer, text)
    server.play([Robot(peer) for peer in peers])
    (journal,) = recorded(journals)
    with memory_server(KYOKU, seed=journal.header.opening.seed) as again:
        peers = [again.enter(name, f"_seed={digest('another text of player a')}") for name in "abcd"]
        again.play([Robot(peer) for peer in peers])
        hands = [said(peer, "haipai") for peer in peers]
    with memory_server(KYOKU, seed=journal.header.opening.seed) as again:
        robots = again.robots(*"abcd")
        again.play(robots)
        assert [said(robot.peer, "haipai") for robot in robots] == hands
    events = [event for event in check_journal(journal) if isinstance(event, HandDealt)]
    assert len(events) == 4


def test_a_player_who_comes_back_hears_the_texts_again(server: MemoryServer) -> None:
    """With ``_proof=1`` its new connection receives the commitments and the texts of the game that goes on."""
    peers = [server.enter("a", f"_resume=1 _seed={digest(TEXTS[0])}"), *(server.enter(name) for name in "bcd")]
    reveal(peers[0], TEXTS[0])
    ((token,),) = said(peers[0], "_resume")
    peers[0].hang_up()
    back = server.connect()
    back.say(f"0 hello _resume={token} _proof=1 ump=0.1")
    assert said(back, "_texts") == said(peers[0], "_texts")
    assert said(back, "_seeds") == said(peers[0], "_seeds")
    assert said(back, "_commitment") == said(peers[0], "_commitment")
