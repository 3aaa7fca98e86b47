"""The step that brings Python holds as long as there is one, whichever."""

from pathlib import Path

from l0_infra import Item
from l0_infra.core.exec import LocalRunner
from l0_infra.roles import look_command, parse_look
from ogai.flows.cluster.prepare import PYTHON


def found(items: list[Item]) -> dict[str, str]:
    look = parse_look(LocalRunner().run(look_command(items, sudo=False)).check().stdout)
    assert look is not None
    return look.of(items)


def test_an_update_of_python_is_no_drift_and_its_absence_is(tmp_path: Path) -> None:
    program = tmp_path / "python3"
    items = [Item(item.kind, item.name.replace("/usr/bin/python3", str(program))) for item in PYTHON]
    absent = found(items)
    program.write_text("one")
    program.chmod(0o755)
    before = found(items)
    program.write_text("its update")
    assert found(items) == before
    assert before != absent
