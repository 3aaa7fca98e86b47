"""What README shows is true: its documents check, its commands exist, its table names what there is."""

import re
from pathlib import Path

import click

import ogai
from l0_infra.core.documents import parse_document
from l2_scheduler.schemas import Job
from l3_modeltools.schemas import Train
from ogai.main import COMMANDS, build

README = (Path(__file__).parents[2] / "README.md").read_text()


def blocks(language: str) -> list[str]:
    every = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    return [text for name, text in every if name == language]


def document(kind: str) -> str:
    (text,) = (text for text in blocks("yaml") if f"kind: {kind}\n" in text)
    return text


def test_its_job_is_a_good_one() -> None:
    job = parse_document(document("job"), source="README.md", expect=Job)
    assert job.array is not None
    assert (job.limits.time_s, job.resources.memory_bytes_per_node) == (8 * 3600, 16 * 2**30)


def test_its_training_is_a_good_one() -> None:
    train = parse_document(document("train"), source="README.md", expect=Train)
    assert (train.steps, train.resources.tasks_per_node) == (732, 2)


def test_its_python_uses_what_there_is() -> None:
    shown = [name for block in blocks("python") for name in re.findall(r"ogai\.(\w+)\.(\w+)", block)]
    assert len(shown) >= 4
    assert all(hasattr(getattr(ogai, group), name) for group, name in shown)


def test_its_commands_exist() -> None:
    typed = [line.split() for block in blocks("") for line in block.splitlines() if line.startswith("ogai ")]
    assert len(typed) > 5
    root = build()
    for _, group, *rest in typed:
        command = root.get_command(click.Context(root), group)
        assert command is not None, group
        if isinstance(command, click.Group):
            assert command.get_command(click.Context(command), rest[0]) is not None, rest


def test_its_table_names_every_command() -> None:
    row = next(line for line in README.splitlines() if line.startswith("| `ogai` |"))
    assert set(re.findall(r"`(\w+)`", row.split("|")[3])) == set(COMMANDS)
