"""``scripts/compare-offers`` on captures that the tests write, run as a process."""

from __future__ import annotations

import gzip
from pathlib import Path
from subprocess import CompletedProcess

from support.programs import run
from support.scripted_server import ROOT
from support.tenhou_captures import read_capture, three_player_rounds

THREE_PLAYERS = """\
Get: <GO type="185" lobby="0"/> <UN n0="A" n1="B" n2="C" n3=""/> <TAIKYOKU oya="0"/>
Send: <GOK />
Get: <INIT seed="0,0,0,2,4,69" ten="350,350,350,0" oya="0" hai="0,32,36,40,44,48,52,56,60,64,68,72,76"/> <T120 t="128"/>
Send: <N type="10" />
Get: <N who="0" m="30752" /> <T80/>
Send: <D p="80" />
Get: <D80/> <U/> <e84/> <V/> <f88/> <T89/>
Get: <INIT seed="1,0,0,2,4,69" ten="350,350,350,0" oya="1" hai="0,32,36,40,44,48,52,56,60,64,68,72,76"/> <U/>
"""

FOUR_PLAYERS = """\
Get: <GO type="9" lobby="0"/> <UN n0="A" n1="B" n2="C" n3="D"/> <TAIKYOKU oya="0"/>
Get: <INIT seed="0,0,0,2,4,69" ten="250,250,250,250" oya="0" hai="0,8,16,32,36,48,56,76,84,112,116,120,128"/> <T133/>
Send: <D p="133" />
Get: <D133/> <U/> <e108/> <V/>
"""


def compare(folder: Path, *captures: str) -> CompletedProcess[str]:
    """Write captures into a data folder, and run the script on it."""
    place = folder / "tenhou" / "captures"
    place.mkdir(parents=True)
    for number, text in enumerate(captures):
        (place / f"{number}.log.gz").write_bytes(gzip.compress(text.encode()))
    return run(str(ROOT / "scripts" / "compare-offers"), variables={"UMP_TEST_DATA": str(folder)})


def test_three_player_games_are_skipped_and_counted(tmp_path: Path) -> None:
    """Their rounds are not compared, and the summary counts them; the other captures are compared."""
    ended = compare(tmp_path, THREE_PLAYERS, FOUR_PLAYERS)
    assert (ended.stderr, ended.returncode) == ("", 0)
    lines = ended.stdout.splitlines()
    assert lines[:2] == [
        "rounds compared: 1 (0 of them resumed after a reconnection)",
        "rounds skipped: 2, of three-player games, which are not compared",
    ]
    assert lines[-1] == "differences: 0"


def test_one_capture_can_contain_three_and_four_player_games(tmp_path: Path) -> None:
    """The element GO decides for each game of the connection."""
    path = tmp_path / "both.log.gz"
    path.write_bytes(gzip.compress((FOUR_PLAYERS + THREE_PLAYERS + FOUR_PLAYERS).encode()))
    assert three_player_rounds(path) == 2
    assert [kyoku.number for kyoku in read_capture(path)] == [0, 1]


def test_a_difference_is_printed_and_fails(tmp_path: Path) -> None:
    """A missing offer of ours is printed in a line, and the exit status is 1."""
    ended = compare(tmp_path, FOUR_PLAYERS.replace("<T133/>", '<T133 t="16"/>'))
    assert (ended.stderr, ended.returncode) == ("", 1)
    assert "offered <Offer.TSUMO: 16>, ours <Offer: 0>" in ended.stdout
    assert ended.stdout.endswith("differences: 1\n")


def test_a_folder_without_captures_is_an_error(tmp_path: Path) -> None:
    """The message names the folder, what it should hold, and the setting."""
    ended = compare(tmp_path)
    assert (ended.stdout, ended.returncode) == ("", 1)
    assert f"{tmp_path} holds no captures (tenhou/captures/*.log.gz); set UMP_TEST_DATA" in ended.stderr
