"""Deals: walls that follow from a secret and from a round."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

from support.rows import each_row

from ump.game.deals import Round, by_lot, key_of, keyed_deals, read_seed, secret_of, seed_of, seeded_deals
from ump.model.commitments import SECRET, PlayerSeed, commitment_of, text_commitment_of, texts_in

SOME_SECRET = secret_of("a seed", "main-1")
EAST_1 = Round(bakaze=0, dealer=0, honba=0, deal=0, number=0)


def test_digests_never_change() -> None:
    """Records depend on these values. They were computed with sha256sum."""
    assert secret_of("2066", "main-1") == sha256(b"ump-secret-1/2066/main-1").hexdigest()
    assert commitment_of("ab" * 32) == sha256(b"ump-commitment-1/" + b"ab" * 32).hexdigest()
    assert key_of("ab" * 32, ("", "x", "", "y")) == sha256(b"ump-game-2/" + b"ab" * 32 + b"//x//y").hexdigest()
    assert SECRET.fullmatch(SOME_SECRET)


@each_row(
    ("at", "is_same"),
    [
        (EAST_1, True),
        (Round(0, 0, 0, 0, number=7), True),
        (Round(1, 0, 0, 0, 0), False),
        (Round(0, 1, 0, 0, 0), False),
        (Round(0, 0, 1, 0, 0), False),
        (Round(0, 0, 0, 1, 0), False),
    ],
)
def test_a_wall_depends_on_its_round(at: Round, is_same: bool) -> None:
    """Equal rounds have equal walls and dice, however many kyoku came before; other rounds have other walls."""
    deals = keyed_deals(key_of(SOME_SECRET, ("",) * 4), 4)
    assert (deals(at).tiles == deals(EAST_1).tiles) == is_same
    assert deals(at) == deals(at)


@each_row("texts", [("a", "", "", ""), ("", "a", "", ""), ("", "", "", "a")])
def test_every_player_changes_the_walls(texts: Sequence[str]) -> None:
    """A text of any player gives other walls."""
    assert keyed_deals(key_of(SOME_SECRET, texts), 4)(EAST_1) != seeded_deals(SOME_SECRET)(EAST_1)


def test_a_secret_is_a_seed() -> None:
    """The secret of a game as a seed gives its walls; other seeds are hashed first."""
    assert seeded_deals(SOME_SECRET)(EAST_1) == keyed_deals(key_of(SOME_SECRET, ("",) * 4), 4)(EAST_1)
    assert seeded_deals("a seed")(EAST_1) == seeded_deals(secret_of("a seed"))(EAST_1)


TEXT, OTHER = "0123456789abcdefghijklmn", "-_" * 20


@each_row(
    ("seeds", "texts"),
    [
        ((None, PlayerSeed(text_commitment_of(TEXT), TEXT), None, None), ("", TEXT, "", "")),
        ((PlayerSeed(text_commitment_of(TEXT), TEXT), None, PlayerSeed("0" * 64, None)), (TEXT, "", "")),
        (tuple(PlayerSeed(text_commitment_of(text), text) for text in (TEXT, OTHER, TEXT, OTHER)), (TEXT, OTHER) * 2),
    ],
)
def test_a_seed_with_texts_repeats_a_game(seeds: Sequence[PlayerSeed | None], texts: tuple[str, ...]) -> None:
    """The seed that a record states holds the players' texts; a text that was withheld counts as empty."""
    seed = seed_of(SOME_SECRET, seeds)
    assert seeded_deals(seed, len(seeds))(EAST_1) == keyed_deals(key_of(SOME_SECRET, texts), len(seeds))(EAST_1)
    read = read_seed(seed)
    assert read is not None
    assert (read[0], tuple(text or "" for text in texts_in(read[1]))) == (SOME_SECRET, texts)


@each_row("seed", ["lucky", SOME_SECRET[1:], f"{SOME_SECRET}/short", f"{SOME_SECRET}/{TEXT}/x", "a/b"])
def test_other_seeds(seed: str) -> None:
    """A seed in any other form is hashed."""
    assert read_seed(seed) is None
    assert seeded_deals(seed)(EAST_1) == seeded_deals(secret_of(seed))(EAST_1)


def test_a_secret_without_texts_is_its_own_seed() -> None:
    """Games to whose walls nobody adds have the secret as their seed, as before."""
    assert (
        seed_of(SOME_SECRET, ()) == seed_of(SOME_SECRET, (None, PlayerSeed("0" * 64, None), None, None)) == SOME_SECRET
    )
    assert read_seed(SOME_SECRET) == (SOME_SECRET, ())


def test_shuffled_seats() -> None:
    """Each player gets one seat, and may get any; the same secret gives the same seats."""
    lots = [by_lot("abcd", str(seed)) for seed in range(200)]
    assert all(sorted(lot) == list("abcd") for lot in lots)
    assert all({lot[seat] for lot in lots} == set("abcd") for seat in range(4))
    assert by_lot("abcd", "1") == lots[1]
