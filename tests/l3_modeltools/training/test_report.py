import json
from pathlib import Path

import msgspec
import pytest

from l3_modeltools.runs import Sample
from l3_modeltools.training.metrics import StepMetrics
from l3_modeltools.training.report import Console, Events, render_steps

STEP = StepMetrics(
    step=40,
    at=5.0,
    tokens=163_840,
    loss=5.25,
    learning_rate=3e-4,
    grad_norm=1.5,
    tokens_per_s=8192.0,
    step_s=0.5,
    validation_loss=5.5,
)


def test_a_step_is_one_line() -> None:
    assert render_steps([STEP], steps=100, left_s=30.2) == (
        "step  40/100  loss  5.2500  lr 3.00e-04  grad norm  1.500      8,192 tokens/s  30s left"
        "  validation loss 5.5000"
    )
    assert render_steps([StepMetrics(step=3, at=1.0, tokens=0)], steps=9, left_s=None) == "step 3/9  left out"


def test_a_line_tells_the_mean_of_the_steps_since_the_last_one() -> None:
    slower = msgspec.structs.replace(
        STEP, step=41, loss=4.75, step_s=1.5, tokens_per_s=4096.0, validation_loss=None
    )
    line = render_steps([STEP, slower], steps=41, left_s=0.0)
    assert "loss  5.0000" in line and "5,120 tokens/s" in line and "left" not in line


def test_what_is_left_follows_the_pace_since_the_first_step(capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([10.0, 12.0, 20.0])
    console = Console(steps=10, quiet=False, clock=lambda: next(times))
    for step in (3, 4, 5):
        console.stepped(msgspec.structs.replace(STEP, step=step, validation_loss=None))
    first, last = capsys.readouterr().out.splitlines()
    assert "left" not in first and last.startswith("step  5/10") and "25s left" in last


def test_a_sample_keeps_its_lines(capsys: pytest.CaptureFixture[str]) -> None:
    Console(steps=9, quiet=False).sampled(Sample(step=4, prompt="def f():", text="\n\n    pass"))
    assert capsys.readouterr().out == "after step 4 it writes:\n    | def f():\n    | \n    |     pass\n"


def test_steps_are_told_seldom_but_the_last_always(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(steps=50, quiet=False)
    for step in range(1, 51):
        console.stepped(StepMetrics(step=step, at=1.0, tokens=0))
    assert capsys.readouterr().out.splitlines() == ["step  1/50  left out", "step 50/50  left out"]


def test_a_validation_is_always_told(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(steps=50, quiet=False)
    for step in (1, 2, 3):
        console.stepped(StepMetrics(step=step, at=1.0, tokens=0, validation_loss=1.0 if step == 3 else None))
    assert [line.split()[1] for line in capsys.readouterr().out.splitlines()] == ["1/50", "3/50"]


def test_a_quiet_console_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(steps=50, quiet=True)
    console.say("begins")
    console.sampled(Sample(step=1, prompt="a", text="b"))
    assert capsys.readouterr().out == ""


def test_events_are_lines_for_the_engine(tmp_path: Path) -> None:
    events = Events(tmp_path / "events.jsonl", steps=100)
    events.stepped(STEP)
    events.stepped(STEP)
    events.saved(40)
    events.stepped(msgspec.structs.replace(STEP, step=100))
    told = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert [(one["event"], one["step"]) for one in told] == [
        ("progress", 40),
        ("saved", 40),
        ("progress", 100),
    ]
    assert all(one["at"] > 1e9 for one in told)


def test_a_missing_event_file_harms_nobody(tmp_path: Path) -> None:
    Events(tmp_path / "gone" / "events.jsonl", steps=100).stepped(STEP)
