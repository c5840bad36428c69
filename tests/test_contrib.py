"""The files in ``contrib/`` agree with the server, and work; every text installs the right distribution."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from subprocess import STDOUT
from types import MappingProxyType

import pytest
from support.programs import TWIST, run, running
from support.scripted_server import ROOT
from twisted.internet.endpoints import _SystemdParser
from twisted.python.systemd import ListenFDs

from scripts.lab.processes import free_port, wait_until
from ump.net.dialects import port_options
from ump.net.limits import DRAIN_SECONDS, LOGOUT_SECONDS, Limits
from ump.server.http.operator_pages import HELP
from ump.server.tap import Options

pytestmark = pytest.mark.once

CONTRIB = ROOT / "contrib"
DOCKERFILE = CONTRIB / "Dockerfile"

FIRST_FD = 3
"""The descriptor of the first socket that systemd passes on."""

USUAL_PORTS = {option.name: option.number for option in port_options()}

SPARE_DESCRIPTORS = 100
"""For listening sockets, the log, child processes and libraries."""

SECONDS = 60
"""Time limit for each step of a process."""

Unit = Mapping[tuple[str, str], Sequence[str]]


def read_unit(name: str) -> Unit:
    """Return all values of each (section, key) of a systemd unit."""
    text = re.sub(r"\\\n\s*", "", (CONTRIB / name).read_text("utf-8"))
    values: dict[tuple[str, str], list[str]] = defaultdict(list)
    section = ""
    for line in text.splitlines():
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            key, _, each = line.partition("=")
            values[section, key].append(each)
    return values


def server_options(command: Sequence[str], changes: Mapping[str, str]) -> list[str]:
    """Return the options of ``ump-server`` in a command, with other values for some of them."""
    words = list(command[command.index("ump-server") + 1 :])
    for option, text in changes.items():
        words[words.index(option) + 1] = text
    return words


def read_dockerfile() -> list[tuple[str, str]]:
    """Return the instructions of the Dockerfile with their arguments."""
    text = re.sub(r"^#.*\n", "", DOCKERFILE.read_text("utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    found = (line.split(maxsplit=1) for line in text.splitlines() if line)
    return [(instruction, " ".join(rest.split())) for instruction, rest in found]


def instruction(name: str) -> str:
    """Return the arguments of the last such instruction of the Dockerfile."""
    return [rest for each, rest in read_dockerfile() if each == name][-1]


def health_command(port: int) -> list[str]:
    """Return the command of the container's health check for another port, without Python itself."""
    _, *arguments = json.loads(instruction("HEALTHCHECK").partition("CMD ")[2])
    return [word.replace("8080", str(port)) for word in arguments]


SERVICE = read_unit("ump.service")
SOCKET = read_unit("ump.socket")
COMMAND = shlex.split(SERVICE["Service", "ExecStart"][0])


# systemd


def test_the_service_takes_the_sockets_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The options parse, and each socket is passed to the option whose usual port it has."""
    ports = [int(address.rpartition(":")[2]) for address in SOCKET["Socket", "ListenStream"]]
    passed = ListenFDs(list(range(FIRST_FD, FIRST_FD + len(ports))), ["ump.socket"] * len(ports))
    monkeypatch.setattr(_SystemdParser, "_sddaemon", passed)
    options = Options()
    changes = {"--config": str(ROOT / "ump" / "server" / "serve.toml"), "--log-dir": str(tmp_path / "games")}
    options.parseOptions(server_options(COMMAND, changes))
    by_index = {int(port.endpoint.rpartition("index=")[2]): port.option for port in options.settings.ports}
    assert [USUAL_PORTS[by_index[index]] for index in range(len(ports))] == ports
    assert len(by_index) == len(ports)


def test_the_family_of_the_sockets_is_that_of_the_endpoints() -> None:
    """With another family, Twisted would read the addresses of clients wrongly, and count clients as one."""
    for address in SOCKET["Socket", "ListenStream"]:
        assert re.fullmatch(r"\d+\.\d+\.\d+\.\d+:\d+", address)
    assert len(re.findall(r"systemd:domain=INET:", " ".join(COMMAND))) == len(SOCKET["Socket", "ListenStream"])


def test_the_service_writes_to_its_state_directory_only() -> None:
    """Everything else is read-only to it."""
    folder = COMMAND[COMMAND.index("--log-dir") + 1]
    assert folder.startswith(f"/var/lib/{SERVICE['Service', 'StateDirectory'][0]}/")
    assert SERVICE["Service", "ProtectSystem"] == ["strict"]
    assert SERVICE["Service", "User"] == ["ump"]  # with DynamicUser=yes only the service could reach the folder


def test_the_limits_of_the_service_are_wide_enough() -> None:
    """Time to stop, descriptors for all connections, and places for those who wait for the server to accept them."""
    assert int(SOCKET["Socket", "Backlog"][0]) == Limits().backlog
    assert int(SERVICE["Service", "TimeoutStopSec"][0]) > DRAIN_SECONDS + LOGOUT_SECONDS
    needed = Limits().budget.connections + 2 * Limits().tables + SPARE_DESCRIPTORS
    assert int(SERVICE["Service", "LimitNOFILE"][0]) >= needed
    assert (SERVICE["Service", "Type"], "WatchdogSec" in {key for _, key in SERVICE}) == (["notify"], True)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    """Without a warning, and it rates the service as well protected."""
    for name in ("ump.service", "ump.socket"):
        text = (CONTRIB / name).read_text("utf-8").replace(COMMAND[0], sys.executable)
        (tmp_path / name).write_text(text, encoding="utf-8")
    units = [str(tmp_path / "ump.service"), str(tmp_path / "ump.socket")]
    verified = subprocess.run(
        ["systemd-analyze", "verify", *units], capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert (verified.returncode, verified.stderr) == (0, "")
    rated = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", "--threshold=20", units[0]],
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert rated.returncode == 0


# Socket activation, without systemd

STARTER = """\
import os, runpy, sys
from fcntl import F_DUPFD, fcntl
passed, command = sys.argv[1].split(","), sys.argv[2:]
for target, copy in enumerate([fcntl(int(each), F_DUPFD, 10) for each in passed], 3):
    os.dup2(copy, target)
names = ":".join("x" for _ in passed)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(len(passed)), LISTEN_FDNAMES=names)
sys.argv[:] = command[1:]
runpy.run_module(command[1], run_name="__main__", alter_sys=True)
"""
"""Moves the sockets to where systemd has them, and goes on as ``python -m`` does."""


@contextmanager
def activated(sockets: Sequence[socket.socket], command: Sequence[str], folder: Path) -> Iterator[Path]:
    """Run a Python command to which these sockets are passed; it is stopped at the end. Yields its output."""
    output = folder / "output"
    passed = [each.fileno() for each in sockets]
    words = ("-c", STARTER, ",".join(map(str, passed)), *command)
    how = {"pass_fds": passed, "variables": {"NOTIFY_SOCKET": str(folder / "manager")}}
    with output.open("w") as file, running(*words, is_plain=True, stdout=file, stderr=STDOUT, **how):
        yield output  # Twisted reads the variables of systemd when it is imported


def greeting(client: socket.socket) -> bytes:
    """Return the first line that the server sends to a client."""
    client.settimeout(SECONDS)
    return client.makefile("rb").readline()


def test_clients_wait_while_an_activated_server_restarts(tmp_path: Path) -> None:
    """The command of the service, on sockets that its parent keeps open, serves all clients of its two runs."""
    starter = COMMAND[1 : COMMAND.index("ump-server")]
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in SOCKET["Socket", "ListenStream"]]
    changes = {"--config": str(ROOT / "ump" / "server" / "serve.toml"), "--log-dir": str(tmp_path / "games")}
    command = ["-m", "twisted", *starter, "ump-server", *server_options(COMMAND, changes)]
    ump, _, http = (each.getsockname() for each in sockets)
    manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    manager.bind(str(tmp_path / "manager"))
    try:
        with activated(sockets, command, tmp_path) as output, closing(socket.create_connection(ump)) as client:
            assert greeting(client).startswith(b"0 hello ump="), output.read_text()
            assert run(*health_command(http[1])).returncode == 0
        with closing(socket.create_connection(ump)) as client:  # nobody accepts, but the connection is open
            with activated(sockets, command, tmp_path) as output:
                assert greeting(client).startswith(b"0 hello ump="), output.read_text()
            assert "127.0.0.1" in output.read_text()
        assert [manager.recv(100) for _ in range(4)] == [b"READY=1", b"STOPPING=1"] * 2
    finally:
        for each in (*sockets, manager):
            each.close()


# The container


def test_the_image_is_small_and_not_run_by_root() -> None:
    """Two stages from one supported Python, and a user with a number, as Kubernetes wants it."""
    bases = [rest.split()[0] for name, rest in read_dockerfile() if name == "FROM"]
    assert len(bases) == 2
    assert len(set(bases)) == 1
    version = re.fullmatch(r"python:(3\.\d+)-slim", bases[0])
    assert version is not None
    assert f"Programming Language :: Python :: {version[1]}\n" in (ROOT / "setup.cfg").read_text("utf-8")
    assert int(instruction("USER")) > 0


def test_the_image_has_what_it_copies() -> None:
    """Each source exists in the checkout, and nothing that the package needs is missing."""
    copied = [rest.split()[:-1] for name, rest in read_dockerfile() if name == "COPY" and "--from" not in rest]
    sources = {source for group in copied for source in group}
    assert not [source for source in sources if not (ROOT / source).exists()]
    assert {"setup.cfg", "setup.py", "pyproject.toml", "README.md", "LICENSE", "ump", "twisted"} <= sources


def test_the_build_sends_what_the_image_needs() -> None:
    """And nothing else of a checkout, in which records and virtual environments may be large or secret."""
    first, *others = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    copied = [rest.split()[:-1] for name, rest in read_dockerfile() if name == "COPY" and "--from" not in rest]
    needed = {source for group in copied for source in group}
    assert first == "*"
    assert {other[1:] for other in others if other.startswith("!")} | {"ump/server/serve.toml"} == needed
    assert {other for other in others if not other.startswith("!")} == {"**/__pycache__"}


def test_the_container_listens_on_all_interfaces() -> None:
    """On the exposed ports, which are the usual ones, and the health check asks the one for HTTP."""
    options = Options()
    changes = {"--config": str(ROOT / "ump" / "server" / "serve.toml")}
    options.parseOptions(server_options(json.loads(instruction("ENTRYPOINT")), changes))
    endpoints = {port.option: port.endpoint for port in options.settings.ports}
    assert endpoints == {name: f"tcp:{USUAL_PORTS[name]}" for name in ("listen", "mjai", "http")}
    assert {int(port) for port in instruction("EXPOSE").split()} == {USUAL_PORTS[name] for name in endpoints}
    assert f"http://127.0.0.1:{USUAL_PORTS['http']}/healthz" in instruction("HEALTHCHECK")


def test_compose_runs_the_image_with_its_ports_and_its_volume() -> None:
    """All that it names is in the Dockerfile, and it waits longer for the end than the server needs."""
    text = (CONTRIB / "compose.yml").read_text("utf-8")
    assert re.findall(r'"(\d+):\1"', text) == instruction("EXPOSE").split()
    assert f"ump:{instruction('VOLUME')}" in text
    assert int(re.findall(r"stop_grace_period: (\d+)s", text)[0]) > DRAIN_SECONDS + LOGOUT_SECONDS


def test_the_health_check_fails_without_a_server() -> None:
    """Its status is not 0."""
    with closing(socket.create_server(("127.0.0.1", 0))) as unused:
        port = unused.getsockname()[1]
    ended = run(*health_command(port))
    assert ended.returncode


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="needs hadolint")
def test_hadolint_finds_nothing() -> None:
    """The Dockerfile has no known mistake."""
    subprocess.run(["hadolint", str(DOCKERFILE)], check=True, timeout=SECONDS)


def container_engine() -> str | None:
    """Return a container engine that runs on this machine."""
    for name in ("docker", "podman"):
        if shutil.which(name) is not None:
            ended = subprocess.run([name, "info"], capture_output=True, timeout=SECONDS, check=False)
            if ended.returncode == 0:
                return name
    return None


@pytest.mark.no_cover
def test_the_image_is_built_and_becomes_healthy() -> None:
    """The health check succeeds in a running container."""
    engine = container_engine()
    if engine is None:
        pytest.skip("needs docker or podman")
    image = f"ump-test-{os.getpid()}"
    subprocess.run([engine, "build", "-f", str(DOCKERFILE), "-t", image, str(ROOT)], check=True)
    started = subprocess.run([engine, "run", "--rm", "-d", image], check=True, capture_output=True, text=True)
    container = started.stdout.strip()
    try:
        check = [engine, "exec", container, *json.loads(instruction("HEALTHCHECK").partition("CMD ")[2])]
        assert wait_until(lambda: subprocess.run(check, capture_output=True, check=False).returncode == 0, SECONDS)
    finally:
        subprocess.run([engine, "stop", container], check=True)
        subprocess.run([engine, "rmi", image], check=True)


def test_the_dashboard_shows_metrics_that_exist() -> None:
    """contrib/grafana.json and contrib/alerts.yml ask for metrics that the server has."""
    board = json.loads((CONTRIB / "grafana.json").read_text("utf-8"))
    queries = [target["expr"] for panel in board["panels"] for target in panel["targets"]]
    queries += re.findall(r"expr: (.*)", (CONTRIB / "alerts.yml").read_text("utf-8"))
    asked = {re.sub("_(total|bucket)$", "", name) for query in queries for name in re.findall(r"\bump_\w+", query)}
    assert asked <= set(HELP)
    assert {"ump_tables", "ump_errors", "ump_turn_delay_seconds", "ump_connections", "ump_users_away"} <= asked


# Proxies

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")

MALLORY = "127.0.0.3"
"""An address of this computer that may not connect."""

AROUND = """\
daemon off; master_process off; pid nginx.pid; error_log stderr;
events {{ }}
http {{
    access_log off; client_body_temp_path body; proxy_temp_path proxied;
    fastcgi_temp_path f; scgi_temp_path s; uwsgi_temp_path u;
    {}
}}
"""
"""The lines of Debian's nginx.conf around a file of conf.d, for a process of its own."""


def through(port: int, source: str, headers: Mapping[str, str] = MappingProxyType({}), path: str = "/healthz") -> int:
    """Return the status of a request from an address of this computer."""
    connection = HTTPConnection("127.0.0.1", port, SECONDS, (source, 0))
    with closing(connection):
        connection.request("GET", path, headers={"Host": "mahjong.example", **headers})
        return connection.getresponse().status


@pytest.mark.skipif(NGINX is None, reason="no nginx; apt-get install nginx")
def test_nginx_passes_on_who_asks(tmp_path: Path) -> None:
    """The server knows the clients behind nginx, whatever these write into their headers; WebSockets get through."""
    (tmp_path / "denied").write_text(MALLORY)
    text = (CONTRIB / "nginx.conf").read_text("utf-8")
    words = shlex.split(text.partition("# The server: ")[2].partition("\n")[0].replace("8080", "0"))
    options = ["--listen=none", "--mjai=none", *words, f"--deny={tmp_path / 'denied'}"]
    with running(*TWIST, *options, cwd=tmp_path) as server:
        port = free_port()
        changed = text.replace("127.0.0.1:8080", f"127.0.0.1:{server.port()}").replace("listen 80;", f"listen {port};")
        (tmp_path / "nginx.conf").write_text(AROUND.format(changed))
        assert NGINX is not None
        with subprocess.Popen([NGINX, "-p", str(tmp_path), "-c", str(tmp_path / "nginx.conf")]) as nginx:
            try:
                assert wait_until((tmp_path / "nginx.pid").exists, SECONDS)  # it listens by then
                forged = {"X-Forwarded-For": "127.0.0.2", "Forwarded": "for=127.0.0.2"}
                assert [through(port, host, forged) for host in ("127.0.0.2", MALLORY, "127.0.0.2")] == [200, 503, 200]
                handshake = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
                handshake["Sec-WebSocket-Key"] = "AAAAAAAAAAAAAAAAAAAAAA=="
                assert through(port, "127.0.0.2", handshake, "/ump") == 101
            finally:
                nginx.terminate()


# The distribution

SCRIPTS = re.compile(r"(scripts/\w+|\.ci/run|pipx run cibuildwheel [^;&|$]*|sudo apt-get install [\w -]+)")
"""The commands that workflows may call."""


def test_workflows_call_scripts_and_decide_nothing() -> None:
    """So everybody can do the same elsewhere; only the one that publishes may have an identity for PyPI."""
    workflows = {path.stem: path.read_text("utf-8") for path in (ROOT / ".github" / "workflows").iterdir()}
    assert sorted(workflows) == ["check", "documentation", "release"]
    for text in workflows.values():
        commands = re.findall(r"- run: (.*)", text)
        assert all(SCRIPTS.fullmatch(command) for command in commands)
        assert all((ROOT / command).is_file() for command in commands if command.startswith(("scripts", ".ci")))
        assert "permissions: {contents: read}\njobs:" in text
        assert not re.search(r"run: [|>]|password|secrets\.", text)


def test_the_constraints_fit() -> None:
    """The pinned versions are those that setup.cfg allows."""
    pinned = dict(re.findall(r"^([\w-]+)==([\w.]+)", (CONTRIB / "constraints.txt").read_text("utf-8"), re.MULTILINE))
    wanted = re.findall(r"^    ([\w-]+)(?:\[\w+\])?>=([\d.]+)", (ROOT / "setup.cfg").read_text("utf-8"), re.MULTILINE)
    least = {name: bound for name, bound in wanted if name in pinned}
    assert {"twisted", "click", "mahjong", "sqlalchemy", "argon2-cffi", "prometheus-client", "psycopg"} <= {*least}
    assert all(_numbers(pinned[name]) >= _numbers(bound) for name, bound in least.items())


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdecimal()]


TEXTS = (
    "ump",
    "docs",
    "contrib",
    "scripts",
    "clients",
    "tests",
    ".github",
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
)
"""The folders and files whose texts may tell somebody to install something."""

WITH_COMMANDS = ("", ".md", ".py", ".toml", ".yml", ".yaml", ".txt")
"""The endings of files whose texts may have commands."""

OTHER_NAME = re.compile(r"(?:pip|pipx|uvx?)3?\b[^\n`;&|]*[ '\"]ump(?=[\[=<>~!'\"`\s]|$)")
"""A command that installs a distribution with the name of the command, which on PyPI is a stranger's."""


def test_no_text_installs_a_stranger() -> None:
    """The distribution is ump-mahjong; ``ump`` is an upload tool of somebody else."""
    assert all(
        OTHER_NAME.search(text) for text in ("pip install ump", "uv pip install 'ump[users]'", "pipx run ump==1")
    )
    paths = [path for name in TEXTS for path in (ROOT / name, *(ROOT / name).rglob("*"))]
    read = [path for path in paths if path.suffix in WITH_COMMANDS and path.is_file() and path != Path(__file__)]
    texts = {
        path: path.read_text("utf-8") for path in read if not {"newsfragments", "build", "reference"} & {*path.parts}
    }
    assert {path: found[0] for path, text in texts.items() if (found := OTHER_NAME.search(text))} == {}
