"""docs/jobs.md names every variable that a job gets, and no other."""

import re
from pathlib import Path

import msgspec

from l2_scheduler.local.launch import describe_launch
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.records import Record
from l2_scheduler.local.shim.launch import Launch, read_shell, task_environment
from l2_scheduler.schemas import FINAL_STATES, Job, JobStatus, NodeShare

PAGE = (Path(__file__).parents[2] / "docs" / "jobs.md").read_text()


def table(title: str) -> set[str]:
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    first_cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}


def test_the_variables_are_those_a_job_gets(tmp_path: Path) -> None:
    layout = Layout(tmp_path).prepare()
    layout.environment(7).write_text('{"environment": {}}')
    share = NodeShare(node="n", cpus=1, accelerators=("nvidia:0",))
    status = JobStatus(
        job_id="7_3",
        job=Job(name="a", command=("true",), directory="/"),
        array_index=3,
        attempt=1,
        allocation=(share,),
    )
    told = describe_launch(
        Record(status=status, submission=7), layout, frozenset({"nvidia", "ascend", "amd"}), None
    )
    launch = Launch(msgspec.to_builtins(told))
    seen = task_environment(launch, read_shell(launch).environment, 0, str(tmp_path / "7_3" / "1"))
    assert table("What a job sees") == set(seen) - {"PWD"}


def test_the_states_are_those_a_job_may_end_in() -> None:
    assert table("How a job ends") == FINAL_STATES
