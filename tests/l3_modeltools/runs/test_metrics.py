"""Metrics are read whatever a trainer calls them and however often it was killed while it wrote."""

import json
import math
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from l3_modeltools.runs import Metric, MetricsReader, read_metrics
from l3_modeltools.runs.metric import OTHER_NAMES, parse_metrics
from l3_modeltools.training.metrics import JsonLines, StepMetrics


def read(folder: Path, text: str | bytes) -> tuple[Metric, ...]:
    (folder / "metrics.jsonl").write_bytes(text.encode() if isinstance(text, str) else text)
    return read_metrics(folder)


def test_a_line_tells_a_step_and_foreign_words_are_kept(tmp_path: Path) -> None:
    line = (
        '{"step": 3, "at": 9.5, "loss": 2.25, "lr": 0.001, "grad_norm": 1, "tokens": 96, "epoch": 0.5, '
        '"expert": {"load": [1, 2]}, "note": "ok", "mfu": null}\n'
    )
    assert read(tmp_path, line) == (
        Metric(
            step=3,
            at=9.5,
            loss=2.25,
            learning_rate=0.001,
            grad_norm=1.0,
            tokens=96.0,
            extra={"epoch": 0.5, "expert": {"load": [1, 2]}, "note": "ok"},
        ),
    )


def test_a_word_of_theirs_that_is_the_name_of_ours_is_kept() -> None:
    (metric,) = parse_metrics(b'{"step": 1, "loss": 2, "extra": {"a": 1}}')
    assert metric == Metric(step=1, loss=2.0, extra={"extra": {"a": 1}})


def test_what_the_trainer_writes_is_read_as_it_was(tmp_path: Path) -> None:
    told = StepMetrics(
        step=1, at=5.25, monotonic_s=1.5, tokens=64, loss=3.5, learning_rate=1e-3, grad_norm=2.0, tokens_per_s=9.5,
        step_s=0.5, memory_bytes=2**31, mfu=0.25, validation_loss=3.0,
    )  # fmt: skip
    lines = JsonLines(tmp_path)
    lines.stepped(told)
    lines.close()
    assert read_metrics(tmp_path) == (Metric(**msgspec.structs.asdict(told)),)


@pytest.mark.parametrize("field", [name for name in OTHER_NAMES if name != "step"])
def test_every_other_name_means_its_field(field: str) -> None:
    for name in OTHER_NAMES[field]:
        (metric,) = parse_metrics(json.dumps({"global_step": 1, name.upper(): 4}).encode())
        assert getattr(metric, field) == 4.0 and metric.extra == {}


def test_the_field_s_own_name_counts_above_its_others() -> None:
    for line in (b'{"step": 1, "loss": 2, "train_loss": 3}', b'{"step": 1, "train_loss": 3, "loss": 2}'):
        assert [metric.loss for metric in parse_metrics(line)] == [2.0]


@pytest.mark.parametrize("word", ["NaN", '"nan"', "Infinity", "-Infinity", "1e999"])
def test_losses_that_are_no_finite_numbers_are_told(word: str) -> None:
    (metric,) = parse_metrics(f'{{"step": 1, "loss": {word}}}'.encode())
    assert metric.loss is not None and not math.isfinite(metric.loss)


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"loss 3.2",
        b"[1, 2]",
        b"7",
        b'{"loss": 3}',
        b'{"step": -1, "loss": 3}',
        b'{"step": 1.5, "loss": 3}',
        b'{"step": true, "loss": 3}',
        b'{"step": NaN, "loss": 3}',
        b'{"step": Infinity}',
        b'{"step": "one", "loss": 3}',
        b'{"step": 1, "loss": 3',
        b"\xff\xfe{",
        b"[" * 100_000,
        b'{"step": ' + b"9" * 5000 + b"}",
    ],
)
def test_what_tells_of_no_step_is_passed_over(line: bytes) -> None:
    assert list(parse_metrics(line)) == []


def test_a_step_that_comes_again_after_a_resume_is_told_by_its_last_line(tmp_path: Path) -> None:
    text = (
        '{"step": 1, "loss": 5}\n{"step": 2, "loss": 4, "note": "a"}\n{"step": 3, "loss": 3}\n'
        '{"step": 2, "loss": 4.5}\n{"step": 2, "validation_loss": 6}\n'
    )
    assert [(m.step, m.loss, m.validation_loss) for m in read(tmp_path, text)] == [
        (1, 5.0, None),
        (2, 4.5, 6.0),
        (3, 3.0, None),
    ]


def test_a_whole_line_behind_one_that_a_kill_cut_off_is_found(tmp_path: Path) -> None:
    text = b'{"step": 1, "loss": {"step": 7}, "x\0\0\0{"step": 2, "extra": {"step": 9}, "loss": 3}\n'
    assert [(m.step, m.loss) for m in read(tmp_path, text)] == [(2, 3.0)]
    assert [m.step for m in read(tmp_path, '{"step": 1}{"step": 2}\n')] == [1, 2]


def test_what_a_crashed_disk_left_of_zeros_hides_no_line(tmp_path: Path) -> None:
    assert [m.step for m in read(tmp_path, b'{"step": 1}\n\0\0\0{"step": 2, "lo\0ss": 3}\n')] == [1, 2]


def test_only_what_was_added_is_told_and_an_unfinished_line_comes_when_it_ends(tmp_path: Path) -> None:
    reader = MetricsReader(tmp_path)
    assert reader.read() == ()
    with (tmp_path / "metrics.jsonl").open("a") as file:
        for piece, steps in (
            ('{"step": 1, "loss": 5}\n{"step": 2, ', [1]),
            ('"loss": 4}\n', [2]),
            ("", []),
            ('{"step": 1, "validation_loss": 1}\n', [1]),
        ):
            file.write(piece)
            file.flush()
            told = reader.read()
            assert [metric.step for metric in told] == steps
    assert told[0] == Metric(step=1, loss=5.0, validation_loss=1.0)
    assert [metric.step for metric in reader.metrics] == [1, 2]


def test_a_file_that_was_begun_anew_is_read_from_its_start(tmp_path: Path) -> None:
    reader = MetricsReader(tmp_path)
    (tmp_path / "metrics.jsonl").write_text('{"step": 1, "loss": 5, "note": "long"}\n')
    reader.read()
    (tmp_path / "metrics.jsonl").write_text('{"step": 2}\n')
    assert [metric.step for metric in reader.read()] == [2]


numbers = st.one_of(st.floats(), st.integers(-(2**70), 2**70), st.none())
fields = st.dictionaries(st.sampled_from(["loss", "lr", "epoch", "note", "tokens"]), numbers)
written = st.builds(lambda step, rest: {"step": step, **rest}, st.integers(0, 30), fields)


class Line(NamedTuple):
    """A line a trainer writes; `kept` is how much of it reached the disk, None: all, its end too."""

    fields: dict[str, object]
    kept: float | None


lines = st.lists(st.builds(Line, written, st.one_of(st.none(), st.floats(0, 1, exclude_max=True))))


@settings(deadline=None)
@given(lines, st.lists(st.integers(0, 2000)))
@example([Line({"step": 1}, 0.99), Line({"step": 2}, None)], [])
def test_no_whole_line_is_lost_however_lines_are_cut_off_and_the_reader_comes(
    tmp_path_factory: pytest.TempPathFactory, lines: list[Line], stops: list[int]
) -> None:
    content, whole, unended = b"", [], set()
    for line in lines:
        text = json.dumps(line.fields).encode() + b"\n"
        kept = len(text) if line.kept is None else int(line.kept * len(text))
        content += text[:kept]
        if kept == len(text):
            whole.append(line.fields)
        elif kept == len(text) - 1:  # all but its end: it may be told or not
            unended.add(line.fields["step"])
    file = tmp_path_factory.mktemp("run") / "metrics.jsonl"
    reader = MetricsReader(file.parent)
    for stop in [*sorted(stops), len(content)]:
        file.write_bytes(content[:stop])
        reader.read()
    steps = {fields["step"] for fields in whole}
    assert steps <= {metric.step for metric in reader.metrics} <= steps | unended
    last = {fields["step"]: fields["loss"] for fields in whole if fields.get("loss") is not None}
    for metric in reader.metrics:
        if metric.step not in unended:
            wanted = last.get(metric.step)
            assert metric.loss == (None if wanted is None else pytest.approx(float(wanted), nan_ok=True))


@settings(deadline=None)
@given(st.lists(st.binary(max_size=60)))
def test_no_content_whatever_stops_the_reader(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
) -> None:
    read(tmp_path_factory.mktemp("run"), b"\n".join(pieces) + b'\n{"step": 77}\n')
    for piece in pieces:
        list(parse_metrics(piece))
