"""Searches seeds for games that show something rare, and chooses those that together show the most."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from math import sqrt

from scripts.samples.catalogue import HELPED, Sample, features
from scripts.samples.play import play
from ump.rules.presets import PRESETS

COMMON = ("efficiency", "eager", "mixed")
"""The policies of the games that nobody has searched for: the first seed of each, for each preset."""

SEARCHED = (HELPED, "eager")
"""The policies whose games are searched."""

RULINGS = frozenset(
    (
        *("double ron", "triple ron", "three rons abort", "chankan", "nagashi mangan", "pao", "four kans abort"),
        *("nine terminals", "four riichi", "four winds", "kita"),
    )
)
"""Features that depend on more than the hand that wins."""

RULING = 4
"""How much more a ruling counts than a yakuman."""

EACH = 2
"""In how many games of a preset the search wants to see each thing."""


def search(seeds: int, most: int, progress: Callable[[str], None]) -> list[Sample]:
    """Return the samples: the common ones, and up to ``most`` in all of the first ``seeds`` seeds of each preset."""
    chosen = [_sample(rules, policy, 1) for rules in PRESETS for policy in COMMON]
    rest = (most - len(chosen)) // len(PRESETS)
    for rules in PRESETS:
        found = []
        for policy in SEARCHED:
            for seed in range(2, seeds + 2):
                progress(f"{rules}, {policy}, seed {seed} of {seeds}")
                sample = _sample(rules, policy, seed)
                if sample.shows:
                    found.append(sample)
        shown = Counter(name for sample in chosen if sample.rules == rules for name in sample.shows)
        chosen += _best(found, shown, rest)
    return sorted(chosen, key=lambda sample: (list(PRESETS).index(sample.rules), sample.policy, sample.seed))


def _sample(rules: str, policy: str, seed: int) -> Sample:
    sample = Sample(rules, policy, seed, ())
    return Sample(rules, policy, seed, tuple(sorted(set(features(play(sample))))))


def _best(found: list[Sample], shown: Counter[str], count: int) -> list[Sample]:
    """Choose one sample after the other, the one that adds most; what few games show counts more."""
    frequency = Counter(name for sample in found for name in sample.shows)
    chosen: list[Sample] = []
    while found and len(chosen) < count:
        best = max(found, key=lambda sample: _worth(sample, shown, frequency))
        found.remove(best)
        chosen.append(best)
        shown.update(best.shows)
    return chosen


def _worth(sample: Sample, shown: Mapping[str, int], frequency: Mapping[str, int]) -> float:
    """Return what a game adds: rare things count more, and rulings between players more than yakuman."""
    missing = [name for name in sample.shows if shown.get(name, 0) < EACH]
    return sum((RULING if name in RULINGS else 1) / sqrt(frequency[name]) for name in missing)
