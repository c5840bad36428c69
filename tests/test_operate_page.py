"""docs/operate.md: its commands are valid, its messages are those of the server, and its files exist."""

from __future__ import annotations

import faulthandler
import json
import re
import shlex
import socket
import subprocess
import sysconfig
from pathlib import Path
from urllib.request import urlopen

import pytest
from support.programs import TWIST, running
from support.scripted_server import ROOT

from scripts.lab.processes import free_port
from ump.model.installation import installed_version
from ump.net.dialects import port_options
from ump.server.tap import Options

pytestmark = pytest.mark.once

PAGE = (ROOT / "docs" / "operate.md").read_text("utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
LINES = [line for block in BLOCKS for line in block.replace("\\\n", " ").splitlines()]
SERVERS = [line for line in LINES if " ump-server " in line]

ABSENT = {"tls:/etc/ump/certs:": "tcp:"}
"""An endpoint whose certificates this computer lacks, and a plain one in its place."""

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
    """In the foreground, in the background, with certificates, and behind proxies."""
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


# Upgrades

SECONDS = 60
"""Time for an answer of a server."""


def converse(port: int, hello: str, until: str) -> str:
    """Connect a client, and return the server's first line with this text after its hello."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as client:
        client.sendall(f"{hello}\r\n".encode())
        return next(line for line in client.makefile("r") if until in line)


def token_of_a_new_game(port: int) -> str:
    """Begin a game, leave it, and return the token with which its player comes back."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as client:
        client.sendall(b"0 hello name=me _resume=1\r\n")
        lines = client.makefile("r")
        token = next(line.split()[2] for line in lines if " _resume " in line)
        next(line for line in lines if "ready?" in line)
    return token


def version_at(port: int) -> str:
    """Return the version that ``/status`` names."""
    with urlopen(f"http://127.0.0.1:{port}/status", timeout=SECONDS) as response:
        return str(json.load(response)["version"])


def test_a_game_goes_on_in_another_version_and_back(tmp_path: Path) -> None:
    """Each server names its own version; the player of the game comes back to both."""
    next_version = tmp_path / "next" / "ump_mahjong-99.1.dist-info"
    next_version.mkdir(parents=True)
    (next_version / "METADATA").write_text("Metadata-Version: 2.1\nName: ump-mahjong\nVersion: 99.1\n")
    options = ("--listen=0", "--mjai=none", "--http=0", "--house=tsumogiri:3", "--house-after=0", "--grace=3600")
    token = ""
    for version, path in (
        (installed_version(), str(ROOT)),
        ("99.1", f"{tmp_path}/next:{ROOT}"),
        (installed_version(), str(ROOT)),
    ):
        with running(*TWIST, *options, cwd=tmp_path, variables={"PYTHONPATH": path}) as server:
            port, web = server.port(), server.port()
            assert version_at(web) == version
            if not token:
                token = token_of_a_new_game(port)
            assert converse(port, f"0 hello _resume={token}", "gamestart")


INSTEAD = """\
apt-get() { :; }
useradd() { :; }
install() { [ "$1" = -d ] || command install "$@"; }
python3() {
    SCRIPTS/python "$@"
    echo LIBRARIES >"$(echo FOLDER/opt/lib/python*/site-packages)/libraries.pth"
    FOLDER/opt/bin/pip install --quiet --no-deps --ignore-installed twisted # for its commands
}
ump() { FOLDER/opt/bin/ump "$@"; }
systemctl() {
    if [ "$1" != start ]; then
        pid=$(cat FOLDER/ump.pid)
        kill "$pid"
        tail --pid="$pid" -f /dev/null
    fi
    [ "$1" = stop ] || FOLDER/opt/bin/twistd --pidfile=FOLDER/ump.pid --logfile=FOLDER/ump.log ump-server \
        --listen=PORT --mjai=none --http=WEB --house=tsumogiri:3 --house-after=0 --grace=3600 \\
        --record-dir=FOLDER/records
}
"""
"""Commands for the whole computer. The other libraries are those of the tests: to install them would take minutes."""


INSTALL_SECONDS = 600
"""Time for the commands of a block."""


class Installation:
    """A checkout, an environment and a server in a folder, to which the commands of the page are applied."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.port, self.web = free_port(), free_port()
        self._git("clone", "--quiet", str(ROOT), "origin")
        self._git("-C", "origin", "switch", "--quiet", "-C", "main")
        self._git("clone", "--quiet", "--depth=1", f"file://{folder}/origin", "checkout")

    def commit(self) -> None:
        """Let the project have another commit."""
        author = ("-c", "user.name=a", "-c", "user.email=a@mahjong.example")
        self._git("-C", "origin", *author, "commit", "--quiet", "--allow-empty", "--message=Next")

    def run(self, commands: str) -> str:
        """Run commands of the page in the checkout, and return what they print."""
        places = {"/opt/ump": "FOLDER/opt", "/var/cache": "FOLDER/cache", "/etc/ump": "FOLDER/etc", ":8080": ":WEB"}
        own = {"SCRIPTS": sysconfig.get_path("scripts"), "LIBRARIES": sysconfig.get_path("purelib")}
        names = {**own, "FOLDER": str(self._folder), "PORT": str(self.port)}
        script = INSTEAD + commands
        for name, other in {**places, **names, "WEB": str(self.web)}.items():
            script = script.replace(name, other)
        words = ["bash", "-euo", "pipefail", "-c", script]
        folder = self._folder / "checkout"
        done = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True, timeout=INSTALL_SECONDS)
        return done.stdout

    def _git(self, *words: str) -> None:
        subprocess.run(["git", *words], cwd=self._folder, check=True)


@pytest.mark.long
@pytest.mark.no_cover
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="needs the history of the project")
def test_the_commands_of_an_upgrade(tmp_path: Path) -> None:
    """An installation as the page says, upgraded to another commit and back; a running game goes on in each.

    The checkout is a shallow clone. An archive, which has no history, can be installed too.
    """
    faulthandler.cancel_dump_traceback_later()  # three builds may take longer than pytest waits; each has its own limit
    site = Installation(tmp_path)
    site.run(next(block for block in BLOCKS if "pip install .\n" in block) + "systemctl start ump\n")
    try:
        first, token = version_at(site.web), token_of_a_new_game(site.port)
        site.commit()
        upgrade, rollback = [block for block in BLOCKS if "git switch" in block]
        for commands, is_first in ((upgrade, False), (rollback, True)):
            printed = site.run(commands)
            assert f"ump {version_at(site.web)}, up for" in printed
            assert (version_at(site.web) == first) is is_first
            assert converse(site.port, f"0 hello _resume={token}", "gamestart")
        site.run(
            "git archive --prefix=archive/ HEAD | tar x\n/opt/ump/bin/pip wheel --no-deps -w /var/cache/ump ./archive"
        )
        assert len(list(tmp_path.glob("cache/ump/ump_mahjong-*.whl"))) == 1
    finally:
        site.run("systemctl stop ump\n")
