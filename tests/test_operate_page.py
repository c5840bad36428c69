"""docs/operate.md: its commands are valid, its messages are those of the server, and its files exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from support.scripted_server import ROOT

from ump.net.dialects import port_options
from ump.server.tap import Options

pytestmark = pytest.mark.once

PAGE = (ROOT / "docs" / "operate.md").read_text("utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
LINES = [line for block in BLOCKS for line in block.replace("\\\n", " ").splitlines()]
SERVERS = [line for line in LINES if " ump-server " in line]

ABSENT = {"systemd:domain=INET:index=": "tcp:2000", "tls:/etc/ump/certs:": "tcp:"}
"""Endpoints whose sockets or certificates this computer lacks, and plain ones in their place."""

REFUSED = {
    "--config": ["--config", "/etc/ump/ump.toml"],
    "--listen": ["--listen", "systemd:domain=INET:index=0"],
    "--log-dir": ["--log-dir", "/proc/x"],
}
"""Options that are refused with a message of the page, by the option that the message names."""


@pytest.mark.parametrize("line", SERVERS)
def test_commands_that_start_a_server_are_valid(line: str, tmp_path: Path) -> None:
    """Their options parse; the file of the page is the one of scripts/serve."""
    for endpoint, plain in ABSENT.items():
        line = line.replace(endpoint, plain)
    words = shlex.split(line)
    options = [word.replace("/etc/ump/ump.toml", str(ROOT / "ump" / "server" / "serve.toml")) for word in words]
    parsed = Options()
    parsed.parseOptions(options[options.index("ump-server") + 1 :])
    assert parsed.settings.rooms


def test_the_page_starts_servers() -> None:
    """In the foreground, in the background, with sockets of systemd, with certificates, and behind a proxy."""
    assert len(SERVERS) == 5


@pytest.mark.parametrize("option", REFUSED)
@pytest.mark.skipif(Path("/etc/ump/ump.toml").exists(), reason="the file of the page exists")
def test_messages_are_those_of_the_server(option: str) -> None:
    """The page quotes the whole line, or its beginning if it ends with two dots."""
    with pytest.raises(SystemExit) as refused:
        Options().parseOptions(REFUSED[option])
    (quoted,) = re.findall(rf"`(ump-server: {option}: [^`]*)`", PAGE)
    beginning = quoted.removesuffix("..")
    assert str(refused.value).startswith(beginning)
    assert beginning != quoted or str(refused.value) == quoted


def test_the_ports_are_the_usual_ones() -> None:
    """The table of ports has each option with its port."""
    rows = dict(re.findall(r"^\| (\d+) \| `--([a-z]+)` \|", PAGE, re.MULTILINE))
    usual = {option.name: option.number for option in port_options()}
    assert {option: int(port) for port, option in rows.items()} == {
        name: usual[name] for name in ("listen", "mjai", "http")
    }


def test_links_lead_somewhere() -> None:
    """To a file of the checkout, and to a heading of it."""
    for target in re.findall(r"\]\(([^)]+)\)", PAGE):
        name, _, heading = target.partition("#")
        path = ROOT / "docs" / name if name else ROOT / "docs" / "operate.md"
        assert path.exists(), target
        if heading:
            titles = re.findall(r"^#+ (.+)$", path.read_text("utf-8"), re.MULTILINE)
            assert heading in {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles}, target


def test_installed_files_exist() -> None:
    """The files that ``install`` copies are in the checkout."""
    sources = [word for line in LINES if line.startswith("install ") for word in line.split() if "." in word[1:]]
    copied = [word for word in sources if not word.startswith("/")]
    assert copied
    assert not [word for word in copied if not (ROOT / word).is_file()]
