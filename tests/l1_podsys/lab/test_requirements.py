"""What a lab lacks on this machine is said before anything is made, with the mend."""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.exec import Answer, LocalRunner, ScriptedRunner
from l1_podsys.lab.cgroups import Groups
from l1_podsys.lab.requirements import PACKAGES, check_requirements
from tests.support.labs import skip_without_lab

ROOT = Path(__file__).parents[3]
ANY = re.compile("")


@pytest.fixture
def programs(tmp_path: Path) -> Path:
    """A folder with every program that a lab uses."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for program in PACKAGES:
        (folder / program).touch(mode=0o755)
    return folder


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    return Groups(unified=tmp_path, legacy={})


@pytest.fixture
def home() -> Iterator[Path]:
    """A folder that every user may write, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="nobody but root gets so far")


@needs_root
def test_programs_that_are_missing_are_named_with_the_packages_that_bring_them(
    programs: Path, groups: Groups
) -> None:
    for program in ("systemd-nspawn", "unshare", "flock"):
        (programs / program).unlink()
    with pytest.raises(UnsatisfiableError) as error:
        check_requirements(ScriptedRunner(), groups, places=str(programs))
    assert error.value.found == "no systemd-nspawn, unshare, flock on this machine"
    assert error.value.hint == "sudo apt-get install systemd-container util-linux"


@needs_root
@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (
            Answer(exit_code=1, stderr="unshare: unshare failed: Operation not permitted\n"),
            "no new namespaces: unshare: unshare failed: Operation not permitted",
        ),
        (
            Answer(stdout="overlay file systems: mount: unknown filesystem type\nnetwork bridges: denied\n"),
            "no overlay file systems: mount: unknown filesystem type; no network bridges: denied",
        ),
    ],
)
def test_what_the_kernel_or_a_container_does_not_give_is_named(
    programs: Path, groups: Groups, answer: Answer, found: str
) -> None:
    with pytest.raises(UnsatisfiableError) as error:
        check_requirements(ScriptedRunner().answer(ANY, answer), groups, places=str(programs))
    assert error.value.found == found


@needs_root
def test_without_control_groups_there_is_no_lab(programs: Path) -> None:
    with pytest.raises(UnsatisfiableError, match="found no control groups"):
        check_requirements(ScriptedRunner(), Groups(unified=None, legacy={}), places=str(programs))


@pytest.mark.real
def test_a_machine_that_can_is_let_through_and_nothing_is_left_of_the_trial(groups: Groups) -> None:
    skip_without_lab()
    check_requirements(LocalRunner(), groups)
    assert not list(Path("/sys/class/net").glob("ogl[0-2]"))


@pytest.mark.real
@pytest.mark.parametrize(
    ("less", "found"),
    [
        (("--reuid", "65534", "--regid", "65534", "--clear-groups"), "found user 65534; expected root"),
        (("--bounding-set", "-sys_admin"), "found no new namespaces: "),
        (("--bounding-set", "-net_admin"), "found no network bridges: "),
    ],
    ids=["another user", "no new namespaces", "no network"],
)
def test_who_may_not_is_told_so(less: tuple[str, ...], found: str, home: Path) -> None:
    skip_without_lab()
    environment = {**os.environ, "OGAI_HOME": str(home), "PYTHONPATH": f"{ROOT}:{ROOT / 'cli'}"}
    program = "import sys; from ogai.main import main; sys.exit(main(['lab', 'up', '--name', 't-never']))"
    done = subprocess.run(
        ["setpriv", *less, sys.executable, "-c", program],
        env=environment,
        cwd=home,
        capture_output=True,
        text=True,
    )
    if less[0] == "--reuid" and "Error" in done.stderr and "error:" not in done.stderr:
        pytest.skip("this Python cannot be read by another user")
    assert (done.returncode, found in done.stderr) == (3, True), done.stderr
    assert not (home / "labs").exists()
