"""Samples are read past what a kill cut off, and a step that came again counts once."""

from pathlib import Path

from l3_modeltools.runs import Sample, read_samples


def test_the_last_sample_of_a_step_and_a_prompt_counts(tmp_path: Path) -> None:
    (tmp_path / "samples.jsonl").write_text(
        '{"step": 20, "prompt": "def", "text": " f():", "at": 3}\n{"step": 10, "prompt": "def", "text": "x"}\n'
        '{"step": 20, "prompt": "if", "text": "y"}\n{"step": 20, "pro\n{"step": 20, "prompt": "def", "text": " g"}\n'
    )
    assert read_samples(tmp_path) == (
        Sample(step=10, prompt="def", text="x"),
        Sample(step=20, prompt="def", text=" g"),
        Sample(step=20, prompt="if", text="y"),
    )
    assert read_samples(tmp_path / "absent") == ()
