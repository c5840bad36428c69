"""What all tests share: the folder of test data that lies beside the checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# No test is held against a clock: a busy machine fails none.
settings.register_profile("unhurried", parent=settings(), deadline=None)
settings.load_profile("unhurried")

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real games and case tables: $UMP_TEST_DATA, by default ../shared/data beside the checkout.

    It is no part of the project: tests that want it are skipped where it is absent.
    """
    folder = Path(os.environ.get("UMP_TEST_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(
            f"no test data: {folder} is no folder; set UMP_TEST_DATA to the one that holds tenhou/, kobalab/ .."
        )
    return folder
