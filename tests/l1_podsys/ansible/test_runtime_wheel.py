"""The runtime role by hand, with an inventory that names a wheel which nobody packed: refused before it acts."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.playbooks import program

ROOT = Path(__file__).parents[3]

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(not program(), reason="needs ansible-playbook (pip install 'ogai[cluster]')"),
]


FIRST = yaml.safe_load((ROOT / "l1_podsys/ansible/roles/runtime/tasks/main.yml").read_text())[0]
WHOLE = {"ansible.builtin.include_role": {"name": "runtime"}}


def play(tmp_path: Path, task: object, wheel: str | None) -> subprocess.CompletedProcess[str]:
    """Do one task on this machine."""
    told = {"runtime_path": str(tmp_path / "runtime"), "runtime_wheel": wheel}
    book = tmp_path / "book.yml"
    host = {"hosts": "localhost", "gather_facts": False, "vars": told, "tasks": [task]}
    book.write_text(yaml.safe_dump([host]))
    return subprocess.run(
        [program(), "-i", "localhost,", "-c", "local", str(book)],
        env={
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
            "HOME": str(tmp_path),
            "ANSIBLE_ROLES_PATH": str(ROOT / "l1_podsys/ansible/roles"),
            "ANSIBLE_LIBRARY": str(ROOT / "l0_infra/ansible/plugins/modules"),
            "LC_ALL": "C.UTF-8",
        },
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_wheel_that_nobody_packed_is_refused_with_what_to_do(tmp_path: Path) -> None:
    missing = tmp_path / "ogai-1-py3-none-any.whl"
    done = play(tmp_path, WHOLE, str(missing))
    words = " ".join(done.stdout.split())
    assert done.returncode != 0 and "changed=0" in words, done.stdout + done.stderr
    assert f"found no file {missing}" in words
    assert "ogai cluster export --look" in words and "-e runtime_wheel=FILE" in words


@pytest.mark.parametrize("wheel", ["", None, "there"])
def test_no_wheel_and_one_that_is_there_are_well(tmp_path: Path, wheel: str | None) -> None:
    if wheel == "there":
        wheel = str(tmp_path / "ogai-1-py3-none-any.whl")
        Path(wheel).touch()
    done = play(tmp_path, FIRST, wheel)
    assert "ansible.builtin.assert" in FIRST and done.returncode == 0, done.stdout + done.stderr
