"""The wall: its layout, the deal, and the shuffle, which must never change."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.rows import each_row

from ump.model.tiles import RED_FIVES, TILES, Face, Tile, faces_of_tiles, sort_faces
from ump.rules import wall as shuffle
from ump.rules.wall import DICE_WORDS, SHUFFLE_WORDS, EmptyWall, Wall, permuted, rolled, shuffled

REDS = (1, 1, 1)
IN_ORDER = tuple(range(TILES))

SAMPLE = 60
"""The number of recorded games that are checked here."""


def face(tile: Tile) -> Face:
    """Return the face of a tile if each suit has one red five."""
    return faces_of_tiles(REDS)[tile]


def test_deal_takes_three_times_four_and_one_from_the_end() -> None:
    """Each player takes four tiles three times and then one, from the end of the list, the dealer first."""
    hands = Wall(IN_ORDER, REDS).hands(2)
    dealer = [135, 134, 133, 132, 119, 118, 117, 116, 103, 102, 101, 100, 87]
    last = [123, 122, 121, 120, 107, 106, 105, 104, 91, 90, 89, 88, 84]
    assert hands[2] == sort_faces(map(face, dealer))
    assert hands[1] == sort_faces(map(face, last))
    assert [len(hand) for hand in hands] == [13] * 4


def test_live_wall_is_drawn_downward_to_the_dead_wall() -> None:
    """70 tiles follow the deal, and the 14 tiles of the dead wall remain."""
    wall = Wall(IN_ORDER, REDS)
    assert wall.left == 70
    assert [wall.draw() for _ in range(70)] == [face(tile) for tile in range(83, 13, -1)]
    assert wall.left == 0


@each_row("draws", [0, 30, 66])
def test_each_replacement_draw_shortens_the_live_wall(draws: int) -> None:
    """A kan draws from the dead wall, and the last tile of the live wall refills it."""
    wall = Wall(IN_ORDER, REDS)
    for _ in range(draws):
        wall.draw()
    assert [wall.draw_rinshan() for _ in range(4)] == [face(tile) for tile in (1, 0, 3, 2)]
    assert (wall.rinshan_drawn, wall.left) == (4, 66 - draws)
    rest = [wall.draw() for _ in range(wall.left)]
    assert rest == [face(tile) for tile in range(83 - draws, 17, -1)]


def test_wall_of_three_players() -> None:
    """No 2m to 8m; 39 dealt tiles, 55 draws, and eight replacement tiles for kans and norths set aside.

    Source: the walls of 1,262 recorded kyoku, which ``tests/record/test_mjlog.py`` compares.
    """
    tiles = (*range(4), *range(32, 136))
    wall = Wall(tiles, REDS, 3)
    assert [len(hand) for hand in wall.hands(1)] == [13] * 3
    assert wall.hands(1)[1] == sort_faces(
        face(tiles[p]) for p in (*range(104, 108), *range(92, 96), *range(80, 84), 71)
    )
    assert [wall.indicator(n) for n in range(5)] == [face(tiles[place]) for place in (9, 11, 13, 15, 17)]
    assert [wall.ura(n) for n in range(5)] == [face(tiles[place]) for place in (8, 10, 12, 14, 16)]
    assert [wall.draw_rinshan() for _ in range(8)] == [face(tiles[place]) for place in (1, 0, 3, 2, 5, 4, 7, 6)]
    assert [wall.draw() for _ in range(wall.left)] == [face(tiles[place]) for place in range(68, 21, -1)]
    with pytest.raises(ValueError, match="3 players must hold each of the 108"):
        Wall(IN_ORDER, REDS, 3)


def test_indicators_lie_in_pairs() -> None:
    """The dora indicators are every second tile of the dead wall, each with its ura indicator below."""
    wall = Wall(IN_ORDER, REDS)
    assert [wall.indicator(n) for n in range(5)] == [face(tile) for tile in (5, 7, 9, 11, 13)]
    assert [wall.ura(n) for n in range(5)] == [face(tile) for tile in (4, 6, 8, 10, 12)]


def test_exhausted_wall_has_no_tile() -> None:
    """If the live wall is exhausted, neither a live nor a replacement tile can be drawn."""
    wall = Wall(IN_ORDER, REDS)
    for _ in range(70):
        wall.draw()
    with pytest.raises(EmptyWall, match="exhausted"):
        wall.draw()
    with pytest.raises(EmptyWall, match="no live tile"):
        wall.draw_rinshan()


def test_there_are_four_replacement_tiles() -> None:
    """A fifth kan has no replacement tile."""
    wall = Wall(IN_ORDER, REDS)
    for _ in range(4):
        wall.draw_rinshan()
    with pytest.raises(EmptyWall, match="replacement"):
        wall.draw_rinshan()


@each_row("tiles", [(), IN_ORDER[:-1], (*IN_ORDER, 0), (*IN_ORDER[:-1], 0), (*IN_ORDER[:-1], 136)])
def test_wall_must_have_every_tile_once(tiles: tuple[Tile, ...]) -> None:
    """Any other list raises ValueError."""
    with pytest.raises(ValueError, match="136"):
        Wall(tiles, REDS)


def test_number_of_red_fives() -> None:
    """A wall has the given number of red fives in each suit."""
    wall = Wall(IN_ORDER, (0, 1, 2))
    faces = [face for hand in wall.hands(0) for face in hand]
    faces += [wall.draw() for _ in range(70)] + [wall.indicator(n) for n in range(5)] + [wall.ura(n) for n in range(5)]
    assert [faces.count(red) for red in RED_FIVES] == [0, 1, 2]


@given(text=st.text(max_size=20))
def test_shuffle_is_a_permutation_and_repeats(text: str) -> None:
    """Every text gives a wall with each tile once, always the same, and dice of 1 to 6."""
    tiles = shuffled(text)
    assert sorted(tiles) == list(IN_ORDER)
    assert tiles == shuffled(text)
    assert set(rolled(text)) <= set(range(1, 7))


def test_shuffle_for_three_players_has_their_tiles() -> None:
    """The 108 tiles are shuffled in the same way."""
    tiles = shuffled("three", 3)
    assert sorted(tiles) == [*range(4), *range(32, 136)]
    assert list(tiles) == [tile if tile < 4 else tile + 28 for tile in permuted(range(108), "three")]


@given(size=st.integers(0, 136), text=st.text(max_size=20))
def test_permutation_of_any_size(size: int, text: str) -> None:
    """Fewer numbers than tiles are shuffled in the same way."""
    assert sorted(permuted(range(size), text)) == list(range(size))


GOLDEN = [
    ("ump-wall-1//0", "9b766c0feb256adc52ba71497a5ef6a0dd6919695a7f779a872b055252512210"),
    ("ump-wall-1/abc/0", "9a9822cd01c4dec863974729f99605999cb8ce0053999e17793f4c22da30fdcd"),
]
"""Text, and SHA-256 of the 136 tiles as bytes. Old journals depend on these walls, so they never change."""


@each_row(("text", "digest"), GOLDEN)
def test_shuffle_never_changes(text: str, digest: str) -> None:
    """The wall of a text is always the same, and so are dice."""
    assert sha256(bytes(shuffled(text))).hexdigest() == digest
    assert rolled("ump-dice-1//0") == (4, 1)
    assert rolled("ump-dice-1/abc/0") == (3, 3)


@each_row("n", [6, 136])
def test_numbers_that_would_cause_bias_are_skipped(n: int) -> None:
    """The limit below which numbers count is a multiple of n, and the largest one."""
    limit = shuffle._limit(n)
    assert limit % n == 0
    assert 2**32 - n < limit <= 2**32


@pytest.mark.interpreted
def test_numbers_from_the_limit_on_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dice skip numbers that would make some faces likelier, and read on when too few numbers are left."""
    stream = [2**32 - 1, 2**32 - 4, 2**32 - 2, 2**32 - 3, 2**32 - 1, 4, 2**32 - 1, 2, 0]
    monkeypatch.setattr(shuffle, "_numbers", lambda text, words: tuple(stream[:words]))
    assert rolled("text") == (5, 3)


@pytest.mark.interpreted
def test_shuffle_skips_numbers_and_reads_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A number from the limit on is skipped; after 136 numbers the stream is read on."""
    stream = [2**32 - 1] * 136 + [0] * 136
    monkeypatch.setattr(shuffle, "_numbers", lambda text, words: tuple(stream[:words]))
    assert permuted(range(3), "text") == [1, 2, 0]


def test_stream_does_not_depend_on_the_block_size() -> None:
    """The stream is the same, however many numbers are read at a time."""
    few, many = (shuffle._numbers("label", words) for words in (DICE_WORDS, SHUFFLE_WORDS))
    assert few == many[:DICE_WORDS]


def test_shuffle_is_uniform() -> None:
    """Over 2,000 walls, all kinds are first about equally often, and the dice have their expected totals."""
    first = [0] * 34
    dice = [0] * 13
    for number in range(2000):
        first[shuffled(f"chi-square/{number}")[-1] // 4] += 1
        dice[sum(rolled(f"chi-square/{number}"))] += 1
    assert sum((count - 2000 / 34) ** 2 / (2000 / 34) for count in first) < 64, "33 degrees of freedom: p > 0.001"
    shares = {total: (6 - abs(total - 7)) * 2000 / 36 for total in range(2, 13)}
    assert sum((dice[total] - share) ** 2 / share for total, share in shares.items()) < 30, "10 degrees of freedom"


ELEMENT = re.compile(r"<(?:([TUVW])(\d+)|([A-Z]+)([^>]*))/>")


def numbers(attributes: str, name: str) -> list[int]:
    """Return the integers of one attribute, or an empty list without it."""
    found = re.search(rf'\b{name}="([\d,]*)"', attributes)
    return [int(number) for number in found[1].split(",")] if found else []


def recorded_games(data: Path) -> Iterator[tuple[str, list[list[Tile]]]]:
    """Yield the text and the walls of a sample of the recorded games."""
    with gzip.open(data / "tenhou" / "walls.jsonl.gz", "rt") as lines:
        games = [game for game in map(json.loads, lines) if game["folder"] == "games"]
    for game in games[:: len(games) // SAMPLE]:
        path = data / "tenhou" / "games" / game["file"]
        yield gzip.decompress(path.read_bytes()).decode(), game["walls"]


def check_kyoku(text: str, tiles: list[Tile]) -> None:
    """Deal and draw one recorded kyoku, and compare every tile in the record."""
    wall = Wall(tiles, REDS)
    after_kan = False
    kan_dora = 0
    for drawer, tile, name, attributes in ELEMENT.findall(text):
        if drawer:
            assert face(int(tile)) == (wall.draw_rinshan() if after_kan else wall.draw())
            after_kan = False
        elif name == "INIT":
            hands = wall.hands(numbers(attributes, "oya")[0])
            assert hands == tuple(sort_faces(map(face, numbers(attributes, f"hai{seat}"))) for seat in range(4))
            assert face(numbers(attributes, "seed")[5]) == wall.indicator(0)
        elif name == "N":
            meld = numbers(attributes, "m")[0]
            is_chi_or_pon = meld & 4 or meld & 8
            after_kan = not is_chi_or_pon
        elif name == "DORA":
            kan_dora += 1
            assert face(numbers(attributes, "hai")[0]) == wall.indicator(kan_dora)
        elif name == "AGARI":
            ura = numbers(attributes, "doraHaiUra")
            assert [face(tile) for tile in ura] == [wall.ura(n) for n in range(len(ura))]


def test_walls_of_recorded_games(data: Path) -> None:
    """Deal, draws, replacement draws, dora and ura of Tenhou's records follow from their walls."""
    games = 0
    for text, walls in recorded_games(data):
        kyoku = re.split("(?=<INIT)", text)[1:]
        for one, tiles in zip(kyoku, walls, strict=True):
            check_kyoku(one, tiles)
        games += 1
    assert games >= SAMPLE
