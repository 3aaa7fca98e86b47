"""Which cluster is current is never torn, whoever moves the pointer at the same time."""

import subprocess
import sys
from pathlib import Path

import pytest

from l0_infra.core.errors import UsageError
from l1_podsys import current_name, forget_current, known_names, make_current, place_in

MOVER = """
import sys
from pathlib import Path
from l1_podsys import current_name, forget_current, make_current
home, mine = Path(sys.argv[1]), sys.argv[2]
for _ in range(100):
    make_current(home, mine)
    seen = current_name(home)
    assert seen in ("left", "right", None), seen
    forget_current(home, mine)
"""


def test_the_pointer_moves_and_is_forgotten_by_its_own_cluster_only(tmp_path: Path) -> None:
    assert current_name(tmp_path) is None
    make_current(tmp_path, "pod1")
    forget_current(tmp_path, "pod2")
    assert current_name(tmp_path) == "pod1"
    forget_current(tmp_path, "pod1")
    assert current_name(tmp_path) is None


def test_two_processes_move_it_at_once(tmp_path: Path) -> None:
    movers = [
        subprocess.Popen(
            [sys.executable, "-c", MOVER, str(tmp_path), name],
            env={"PYTHONPATH": ":".join(sys.path)},
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("left", "right")
    ]
    told = [mover.communicate()[1] for mover in movers]
    assert [mover.returncode for mover in movers] == [0, 0], told
    assert current_name(tmp_path) is None


def test_what_is_kept_is_known_by_its_document(tmp_path: Path) -> None:
    for name in ("b", "a", "empty"):
        (tmp_path / "clusters" / name).mkdir(parents=True)
    for name in ("b", "a"):
        (tmp_path / "clusters" / name / "cluster.yaml").touch()
    make_current(tmp_path, "a")
    assert known_names(tmp_path) == ("a", "b")


@pytest.mark.parametrize("name", ["../elsewhere", "a/b", "Pod", "-x", "a" * 41])
def test_a_name_that_no_cluster_can_have_is_no_path(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError):
        place_in(tmp_path, name)


def test_a_pointer_somebody_damaged_is_refused_and_not_followed(tmp_path: Path) -> None:
    make_current(tmp_path, "../../etc")
    with pytest.raises(UsageError):
        place_in(tmp_path)
