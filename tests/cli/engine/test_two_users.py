"""Two queues of one machine, and two users, never oversell it: the kernel keeps the books for both."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.world import CPUS, processes_of

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[3]
PACKAGES = ("l0_infra", "l1_podsys", "l2_scheduler", "cli/ogai")
LIBRARIES = ("click", "msgspec", "platformdirs", "yaml")
NOBODY = 65534
SYSTEM_PYTHON = Path(f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}")

SUBMITTER = """
import os, sys
from pathlib import Path
from l2_scheduler.schemas import Array, Job
from ogai.flows.engine import open_engine
trace, jobs = sys.argv[1:]
script = f'echo + >> {trace}; sleep 0.15; echo - >> {trace}'
job = Job(name="share", command=("/bin/sh", "-c", script), array=Array(indices=f"0-{int(jobs) - 1}"))
with open_engine() as engine:
    ids = engine.submit(job, environment=dict(os.environ), directory=Path("/"))
    print({status.state for status in engine.wait(ids, 60)})
    engine.stop_agent()
"""


@pytest.fixture
def common() -> Iterator[Path]:
    """A folder that every user can reach, with the packages and a trace in it."""
    folder = Path(tempfile.mkdtemp(prefix="ogai-two-", dir="/var/tmp"))
    folder.chmod(0o755)
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / "site" / Path(package).name)
    for name in LIBRARIES:
        shutil.copytree(Path(__import__(name).__file__).parent, folder / "site" / name)
    (folder / "trace").touch()
    (folder / "trace").chmod(0o666)
    yield folder
    shutil.rmtree(folder)


def start(common: Path, name: str, python: str, user: int, jobs: int) -> subprocess.Popen[str]:
    home = common / name
    home.mkdir()
    os.chown(home, user, -1)
    environment = {
        "PATH": os.defpath,
        "HOME": str(home),
        "OGAI_HOME": str(home),
        "OGAI_LEDGER": str(common / "ledger"),
        "PYTHONPATH": str(common / "site"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [python, "-c", SUBMITTER, str(common / "trace"), str(jobs)]
    as_user = user if user != os.getuid() else None
    return subprocess.Popen(
        command, env=environment, user=as_user, stdout=subprocess.PIPE, text=True, cwd="/"
    )


def most_at_once(trace: str) -> int:
    running, most = 0, 0
    for line in trace.split():
        running += 1 if line == "+" else -1
        most = max(most, running)
    return most


def run_both(common: Path, *submitters: subprocess.Popen[str]) -> None:
    for submitter in submitters:
        assert submitter.communicate(timeout=90)[0] == "{'COMPLETED'}\n"
    trace = (common / "trace").read_text()
    assert trace.count("+") == trace.count("-") == 20
    assert most_at_once(trace) <= CPUS
    assert processes_of(common) == []


def test_two_queues_of_one_user(common: Path) -> None:
    run_both(common, *(start(common, name, sys.executable, os.getuid(), 10) for name in ("one", "two")))


@pytest.mark.skipif(os.geteuid() != 0, reason="running as a second user needs root")
@pytest.mark.skipif(not SYSTEM_PYTHON.exists(), reason=f"a second user needs {SYSTEM_PYTHON}")
def test_two_users(common: Path) -> None:
    (common / "ledger").mkdir(mode=0o1777)
    (common / "ledger").chmod(0o1777)
    mine = start(common, "root", sys.executable, os.getuid(), 10)
    theirs = start(common, "nobody", str(SYSTEM_PYTHON), NOBODY, 10)
    run_both(common, mine, theirs)
