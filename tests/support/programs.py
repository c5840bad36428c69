"""The only place where tests start Python programs: the server, the commands, clients, bots and scripts.

Importing ump takes longer than most programs run. So each process of tests has one *prepared process*, which has
imported the usual modules and forks for each start. Its child is orphaned at once and adopted by the process of tests,
so waiting for it, killing it and its exit status are the same as after a plain start. Elsewhere than on Linux, or if
the start needs more than this, the program is started in the plain way.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import gc
import inspect
import json
import os
import re
import runpy
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from subprocess import DEVNULL, PIPE, CompletedProcess, Popen
from threading import Lock, Timer
from types import ModuleType
from typing import Any, AnyStr, Self

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent

SECONDS = 100.0
"""Time after which a program is killed, and its test fails."""

UMP = ("-m", "ump")
TWIST = ("-m", "twisted", "--log-format=text", "ump-server")
TWISTD = ("-c", "from twisted.scripts.twistd import run; run()")
TSUMOGIRI = str(ROOT / "clients" / "tsumogiri.py")
"""The first words of programs, as the interpreter gets them."""

PREPARED = (
    *("ump.cli.serve", "ump.cli.bot", "ump.server.service", "ump.server.tap", "ump.net.reactor"),
    *(
        "ump.bots.check.run",
        "ump.bots.join",
        "ump.bots.session",
        "alembic.command",
        "alembic.script",
        "ump.record.game_index",
    ),
    *("sqlalchemy.dialects.sqlite", "twisted.application.twist._twist", "twisted.scripts.twistd"),
    "twisted.internet.ssl",
)
"""The modules that the prepared process imports."""

PR_SET_CHILD_SUBREAPER = 36
"""The option of Linux's ``prctl`` that lets a process adopt its orphaned descendants."""


# The interface of tests


class PreparedPopen(Popen[AnyStr]):
    """``subprocess.Popen`` that forks the prepared process where it can."""

    is_plain = False
    """Whether to start a new interpreter, which has imported nothing."""

    def _execute_child(self, *given: Any) -> None:
        plain: Callable[..., None] = super()._execute_child  # type: ignore[misc]
        asked = inspect.signature(plain).bind(*given).arguments
        variables = os.environ if asked["env"] is None else asked["env"]
        words = None if self.is_plain else _words_for_python(asked)
        prepared = None if words is None else _prepared_process()
        if prepared is None or not prepared.suits(variables):
            plain(*given)
            return
        self.pid = prepared.fork(words, variables, asked)
        self._child_created = True
        close: Callable[..., None] = self._close_pipe_fds  # type: ignore[attr-defined]
        close(*(asked[name] for name in ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")))


@contextmanager
def all_prepared() -> Iterator[None]:
    """Let scripts that start programs fork the prepared process, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("subprocess.Popen", PreparedPopen)
        patch.setenv("PYTHONPATH", str(ROOT))
        yield


class Program(PreparedPopen[str]):
    """A started program. At the end of the ``with`` block it has ended; after an exception it is killed."""

    def __init__(self, words: Sequence[str], *, is_plain: bool, **options: Any) -> None:
        self.is_plain = is_plain
        self.log = ""
        """The lines of standard output that ``read_until`` has read."""
        super().__init__([sys.executable, *words], preexec_fn=reset_signals, encoding="utf-8", **options)

    def __enter__(self) -> Self:
        self._deadline = Timer(SECONDS, self.kill)
        self._deadline.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *exception: Any) -> None:
        if kind is not None:
            self.kill()
        super().__exit__(kind, *exception)
        self._deadline.cancel()

    def read_until(self, pattern: str) -> re.Match[str]:
        """Read standard output up to a line with this pattern, and return the match."""
        assert self.stdout is not None
        for line in self.stdout:
            self.log += line
            if (found := re.search(pattern, line)) is not None:
                return found
        raise AssertionError(f"the program has ended: {self.log}")

    def port(self) -> int:
        """Wait until a server listens, and return its port."""
        return int(self.read_until(r"listening on 127\.0\.0\.1 port (\d+)")[1])


def start(*words: str, is_plain: bool = False, variables: Mapping[str, str] | None = None, **options: Any) -> Program:
    """Start Python with these words, with pipes for its output and no input.

    ``is_plain``: a new interpreter, which has imported nothing. ``variables`` are added to the environment. The options
    are those of ``subprocess.Popen``.
    """
    streams = {"stdin": DEVNULL, "stdout": PIPE, "stderr": PIPE}
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(variables or {})}
    return Program(words, is_plain=is_plain, env=environment, **{**streams, **options})


def run(*words: str, text: str | None = None, **options: Any) -> CompletedProcess[str]:
    """Start Python with these words and this standard input, and return what it printed when it has ended."""
    if text is not None:
        options["stdin"] = PIPE
    with start(*words, **options) as program:
        output, errors = program.communicate(text)
    return CompletedProcess(program.args, program.returncode, output, errors)


@contextmanager
def running(*words: str, **options: Any) -> Iterator[Program]:
    """Start a program, and terminate it at the end of the ``with`` block if it still runs."""
    with start(*words, **options) as program:
        yield program
        program.terminate()
        program.log += program.communicate()[0] or ""


def reset_signals() -> None:
    """Undo what ``nohup``, and shells that start commands in the background, ignore and processes inherit."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


def _words_for_python(asked: Mapping[str, Any]) -> list[str] | None:
    """Return the arguments of the interpreter; None if the program needs a plain start."""
    unusual = any(asked[name] not in (None, False, -1) for name in ("shell", "gid", "gids", "uid", "umask"))
    if unusual or asked["preexec_fn"] not in (None, reset_signals) or not asked["close_fds"]:
        return None
    if isinstance(asked["args"], (str, bytes)):
        return None
    program, *words = map(os.fspath, asked["args"])
    if program != sys.executable or asked["executable"] not in (None, program) or not words:
        return None
    return words if words[0] in ("-m", "-c") or not words[0].startswith("-") else None


# The prepared process, seen from the process of tests


class _PreparedProcess:
    def __init__(self) -> None:
        self._link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._lock = Lock()
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        self._variables = _variables_of_python(environment)
        self._process = Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            env=environment,
            stdin=DEVNULL,
            stdout=DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()
        atexit.register(self._close)

    def suits(self, variables: Mapping[str, str]) -> bool:
        """Tell whether an interpreter with these variables would begin as the prepared one did."""
        return _variables_of_python(variables) == self._variables

    def fork(self, words: object, variables: Mapping[str, str], asked: Mapping[str, Any]) -> int:
        """Return the number of a new process."""
        streams = [asked[name] for name in ("p2cread", "c2pwrite", "errwrite")]
        passed = list(asked["pass_fds"])
        request = {
            "words": words,
            "folder": os.fspath(asked["cwd"] or os.getcwd()),
            "variables": dict(variables),
            "descriptors": [0, 1, 2, *passed],
            "session": asked["start_new_session"],
            "group": asked["process_group"],
        }
        descriptors = [own if stream == -1 else stream for own, stream in enumerate(streams)]
        with self._lock:
            _adopt(True)
            try:
                socket.send_fds(self._link, [json.dumps(request).encode()], [*descriptors, *passed])
                return int(self._link.recv(100))
            finally:
                _adopt(False)

    def _close(self) -> None:
        self._link.close()
        self._process.wait()


@cache
def _prepared_process() -> _PreparedProcess | None:
    """Return the prepared process; None where it is not possible."""
    return _PreparedProcess() if sys.platform == "linux" and _adopt(True) and _adopt(False) else None


def _adopt(wanted: bool) -> bool:
    """Choose whether this process adopts its orphaned descendants; return whether that is possible."""
    return bool(ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0) == 0)


def _variables_of_python(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that an interpreter reads when it starts."""
    return {name: text for name, text in variables.items() if name.startswith(("PYTHON", "LC_", "LANG"))}


# The prepared process itself


def _serve(link: socket.socket) -> list[str]:
    """Fork for each request; in the new processes, return the words that the interpreter would have got."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process of tests, which then closes the link
    for module in PREPARED:
        import_module(module)
    assert "twisted.internet.reactor" not in sys.modules, "a module of PREPARED installs the reactor"
    gc.freeze()
    while True:
        message, descriptors, _, _ = socket.recv_fds(link, 1_000_000, 250)
        if not message:
            os._exit(0)
        ready, tell = os.pipe()
        middle = os.fork()
        if not middle:
            if os.fork():
                os._exit(0)
            request = json.loads(message)
            link.close()
            os.close(ready)
            _become(request, descriptors, tell)
            return list(request["words"])
        os.close(tell)
        for descriptor in descriptors:
            os.close(descriptor)
        with open(ready, "rb") as answer:
            said = answer.read()
        os.waitpid(middle, 0)  # from now on the new process is adopted
        link.send(said)


def _become(request: Mapping[str, Any], received: Sequence[int], tell: int) -> None:
    """Give this process its descriptors, session, folder and variables, and tell its number."""
    targets = request["descriptors"]
    moved = [fcntl.fcntl(each, fcntl.F_DUPFD_CLOEXEC, max(targets) + 1) for each in (*received, tell)]
    for each in (*received, tell):
        os.close(each)
    for target, each in zip(targets, moved, strict=False):
        os.dup2(each, target)
        os.close(each)
    if request["session"]:
        os.setsid()
    if request["group"] != -1:
        os.setpgid(0, request["group"])
    os.chdir(request["folder"])
    reset_signals()
    os.environ.clear()
    os.environ.update(request["variables"])
    os.write(moved[-1], b"%d" % os.getpid())
    os.close(moved[-1])
    for number, (name, mode) in enumerate({"stdin": "r", "stdout": "w", "stderr": "w"}.items()):
        old, buffering = getattr(sys, name), 1 if name == "stderr" else -1
        stream = open(number, mode, buffering, old.encoding, old.errors, closefd=False)  # noqa: SIM115
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)


def _run(words: Sequence[str]) -> None:
    """Do what the interpreter does with its arguments."""
    del sys.path[0]  # the folder of this file
    first, *rest = words
    sys.orig_argv[1:] = words
    match first:
        case "-m":
            sys.path.insert(0, os.getcwd())
            sys.argv[:] = rest
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        case "-c":
            sys.path.insert(0, "")
            sys.argv[:] = ["-c", *rest[1:]]
            main = sys.modules["__main__"] = ModuleType("__main__")
            exec(compile(rest[0], "<string>", "exec"), vars(main))
        case _:
            sys.path.insert(0, os.path.dirname(os.path.realpath(first)))
            sys.argv[:] = words
            runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    _run(_serve(socket.socket(fileno=int(sys.argv[1]))))
