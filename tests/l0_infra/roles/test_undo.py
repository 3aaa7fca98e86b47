"""What roles left is taken away on real files: ours go, those of others are as they were."""

from pathlib import Path

import pytest

from l0_infra.core.exec import LocalRunner
from l0_infra.roles import Item, undo_command
from l0_infra.schemas import Outcome

pytestmark = pytest.mark.real

HOSTS = "127.0.0.1 localhost\n127.0.1.1 n1.site n1\n10.0.0.9 printer\n"
OURS = "# BEGIN ogai\n10.0.0.2 n1.pod n1\n# END ogai\n"
WRITTEN = f"127.0.0.1 localhost\n10.0.0.9 printer\n{OURS}"
"""As the role `names` makes it of `HOSTS`."""


def undo(*files: Path, changes: Path | None = None, blocks: Path | None = None) -> int | None:
    outcome = Outcome(
        changes=() if changes is None else (str(changes),), blocks=() if blocks is None else (str(blocks),)
    )
    command = undo_command([Item("file", str(file)) for file in files], [outcome], sudo=False)
    with LocalRunner() as runner:
        return runner.run(command).exit_code


def beside(file: Path) -> Path:
    return file.with_name(f"{file.name}.before-ogai")


def test_a_file_of_ours_goes_and_one_that_was_there_before_comes_back(tmp_path: Path) -> None:
    ours, kept = tmp_path / "ours", tmp_path / "kept"
    ours.write_text("ours")
    kept.write_text("ours")
    beside(kept).write_text("theirs")
    assert undo(ours, kept) == 0
    assert not ours.exists() and kept.read_text() == "theirs" and not beside(kept).exists()


def test_a_file_of_others_comes_back_and_one_that_was_not_changed_stays(tmp_path: Path) -> None:
    file = tmp_path / "sources.list"
    file.write_text("#ogai# deb a b main\n")
    beside(file).write_text("deb a b main\n")
    assert undo(changes=file) == 0
    assert file.read_text() == "deb a b main\n"
    assert undo(changes=file) == 0
    assert file.read_text() == "deb a b main\n"
    assert undo(changes=tmp_path / "absent") == 0 and not (tmp_path / "absent").exists()


@pytest.mark.parametrize(
    ("now", "before", "after"),
    [
        pytest.param(WRITTEN, HOSTS, HOSTS, id="as it was before"),
        pytest.param(
            WRITTEN + "10.0.0.8 scanner\n",
            HOSTS,
            "127.0.0.1 localhost\n10.0.0.9 printer\n10.0.0.8 scanner\n127.0.1.1 n1.site n1\n",
            id="what somebody added stays",
        ),
        pytest.param(WRITTEN, None, "127.0.0.1 localhost\n10.0.0.9 printer\n", id="nothing was kept"),
        pytest.param(HOSTS, None, HOSTS, id="nothing of ours in it"),
    ],
)
def test_lines_of_ours_go_from_a_file_of_others(
    now: str, before: str | None, after: str, tmp_path: Path
) -> None:
    file = tmp_path / "hosts"
    file.write_text(now)
    number = file.stat().st_ino
    if before is not None:
        beside(file).write_text(before)
    assert undo(blocks=file) == 0
    assert (file.read_text(), file.stat().st_ino) == (after, number)
    assert list(tmp_path.iterdir()) == [file]


def test_data_go_only_when_they_shall(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    outcome = Outcome(data=(str(folder), "{base_folder}/x"))
    with LocalRunner() as runner:
        assert runner.run(undo_command([], [outcome], sudo=False)).ok and folder.exists()
        assert runner.run(undo_command([], [outcome], purge=True, sudo=False)).ok and not folder.exists()
