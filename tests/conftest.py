"""Settings and fixtures for all tests: how much they try, the folder of recorded games, and databases."""

from __future__ import annotations

import fcntl
import gc
import os
import signal
import sys
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import strategies as st
from support.budgets import set_long
from support.databases import PostgresServer, missing, postgres_server
from support.imports import HUBS, changed_files, tests_of
from support.programs import ROOT, all_prepared

# A shell without job control starts background commands with SIGINT ignored, and processes inherit that. The tests of
# Ctrl-C would then wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# For "scripts". At the end, so that an installed ump, such as a compiled wheel, comes before that of the checkout.
if str(ROOT) not in sys.path:
    sys.path.append(str(ROOT))


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--long`` and ``--changed``."""
    parser.addoption("--long", action="store_true", help="try all random games and inputs, and the long tests")
    parser.addoption("--changed", action="store_true", help="collect only tests that the changed files can reach")


def pytest_configure(config: pytest.Config) -> None:
    """Set how much the tests try, and measure coverage once.

    pytest-cov 7.1 begins two measurements in each process of ``-n``. The first would go on whenever the mark
    ``no_cover`` ends the second.
    """
    set_long(config.getoption("--long"))
    controller = getattr(config.pluginmanager.get_plugin("_cov"), "cov_controller", None)  # None with --no-cov
    if controller is not None and hasattr(config, "workerinput"):
        controller.cov.stop()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """In a new clone, let one process of ``-n`` compile the tests, and make the tables of hypothesis, for all."""
    compiled = ROOT / "tests" / "wire" / "__pycache__"  # of the folder that is collected last
    folder = os.open(ROOT / "tests", os.O_RDONLY)
    try:
        if not compiled.exists():
            fcntl.flock(folder, fcntl.LOCK_EX)
            if compiled.exists():
                fcntl.flock(folder, fcntl.LOCK_UN)
            else:
                st.text().validate()
        return (yield)
    finally:
        os.close(folder)


def pytest_collection_finish() -> None:
    """Let the garbage collector leave the tests themselves alone: it would look at all of them again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 100)


FIRST = ("browser", "test_shared_site.py", "test_killed_game.py")
"""Folders and files of tests that share dear fixtures, or wait for long."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip the long tests without ``--long``, and begin with ``FIRST``.

    Processes of ``-n`` take from each other what would come last. Each of them would open a browser of its own for the
    few tests that it takes.
    """
    items.sort(key=lambda item: item.path.name not in FIRST and item.path.parent.name not in FIRST)
    if not config.getoption("--long"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip(reason="runs with --long"))


@cache
def chosen() -> frozenset[str]:
    """Return the test files for ``--changed``."""
    return frozenset(tests_of(changed_files()))


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what ``--changed`` does not reach."""
    if config.getoption("--changed") and collection_path.name.startswith("test_"):
        return True if collection_path.relative_to(ROOT).as_posix() not in chosen() else None
    return None


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what ``--changed`` does not follow."""
    if config.getoption("--changed"):
        others = [each for each in changed_files() if not each.endswith(".py")]
        terminalreporter.write_line(
            f"--changed: {len(chosen())} files of tests; left out: tests above {', '.join(sorted(HUBS))}, tests that"
            f" start programs{', and those of ' + ', '.join(others) if others else ''}"
        )


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of real games and case tables: $UMP_TEST_DATA, by default ../shared/data beside the checkout.

    It is not part of the project. Tests that use it are skipped if it does not exist.
    """
    folder = Path(os.environ.get("UMP_TEST_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no test data: {folder} is not a folder; set UMP_TEST_DATA to the one with tenhou/, kobalab/ ...")
    return folder


@pytest.fixture(scope="module")
def prepared_starts() -> Iterator[None]:
    """Let scripts that start programs fork the prepared process, too."""
    with all_prepared():
        yield


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """Return a running PostgreSQL server; tests are skipped where it is not installed."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    with postgres_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the URL of an empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'database.sqlite'}"
    server: PostgresServer = request.getfixturevalue("postgres")
    return server.new_url()
