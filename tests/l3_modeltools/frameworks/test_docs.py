"""docs/trainers.md names every variable a trainer gets, every field of a metric, and no other."""

import re
from pathlib import Path

import pytest

from l0_infra.core.documents import parse_document, read_document
from l3_modeltools.frameworks import render_job
from l3_modeltools.frameworks.starter import AT_START, FILLED_IN
from l3_modeltools.runs import Metric
from l3_modeltools.runs.metric import OTHER_NAMES, parse_metrics
from l3_modeltools.schemas import Train
from tests.support.runs import a_command, a_run

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "trainers.md").read_text("utf-8")


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def rows(title: str) -> list[list[str]]:
    lines = [line for line in section(title).splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def blocks(language: str, text: str = PAGE) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


DOCUMENTED = {name for row in rows("Variables") for name in words(row[0])}


def test_the_variables_are_those_a_trainer_gets() -> None:
    job = render_job(a_run(a_command("true")), python="python")
    assert {*job.environment, *AT_START} == DOCUMENTED
    assert set(FILLED_IN) == DOCUMENTED - {"OMP_NUM_THREADS"} | {"OGAI_EVENTS", "OGAI_JOB_DIR"}


def test_the_metrics_are_those_that_are_read() -> None:
    table = {words(field)[0]: tuple(words(names)) for field, _, names in rows("Metrics")}
    assert table == dict(OTHER_NAMES)
    assert {*table, "extra"} == set(Metric.__struct_fields__)
    (line,) = blocks("json")
    (metric,) = parse_metrics(line.encode())
    assert metric.step == 12 and metric.extra == {} and metric.learning_rate == 3e-4


@pytest.mark.parametrize("text", blocks("yaml"), ids=["plain", "torchrun"])
def test_the_documents_on_the_page_are_good(text: str) -> None:
    head = "" if "kind:" in text else "kind: train\nname: mine\nframework: command\n"
    train = parse_document(head + text, source="page", expect=Train)
    assert train.command is not None
    assert all(name in FILLED_IN for word in train.command.argv for name in re.findall(r"{(\w+)}", word))


def test_the_example_is_good_and_begins_a_checkpoint_under_a_name_that_is_passed_over() -> None:
    folder = ROOT / "examples" / "command"
    train = read_document(folder / "train.yaml", expect=Train)
    assert train.command is not None and (folder / train.command.argv[1]).is_file()
    assert len((folder / "train.py").read_text("utf-8").splitlines()) <= 50
