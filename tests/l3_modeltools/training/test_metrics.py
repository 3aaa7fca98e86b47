from pathlib import Path

import msgspec
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from l0_infra.core.store import append_line
from l3_modeltools.runs import Sample
from l3_modeltools.training.board import TensorBoard
from l3_modeltools.training.metrics import JsonLines, StepMetrics
from tests.support.small_disk import a_small_disk, fill


def metrics(step: int, loss: float) -> StepMetrics:
    return StepMetrics(step=step, at=1_000.0 + step, monotonic_s=0.5 * step, tokens=64 * step, loss=loss)


def test_a_line_that_was_cut_off_does_not_spoil_the_next(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_bytes(b'{"step":1,"at":1.0,"tokens":64}\n{"step":2,"at":2.')
    lines = JsonLines(tmp_path)
    lines.stepped(metrics(2, 3.5))
    lines.close()
    written = (tmp_path / "metrics.jsonl").read_bytes().splitlines()
    assert msgspec.json.decode(written[-1], type=StepMetrics) == metrics(2, 3.5)
    assert written[1] == b'{"step":2,"at":2.'


def test_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    lines = JsonLines(tmp_path)
    lines.stepped(metrics(1, 2.5))
    lines.sampled(Sample(step=1, prompt="def ", text="f():\n"))
    lines.close()
    assert (
        tmp_path / "metrics.jsonl"
    ).read_text() == '{"step":1,"at":1001.0,"monotonic_s":0.5,"tokens":64,"loss":2.5}\n'
    assert (tmp_path / "samples.jsonl").read_text() == '{"step":1,"prompt":"def ","text":"f():\\n"}\n'


def test_tensorboard_reads_it_and_forgets_steps_that_come_again(tmp_path: Path) -> None:
    first = TensorBoard(tmp_path, done=0)
    for step in (1, 2, 3):
        first.stepped(metrics(step, float(step)))
    first.sampled(Sample(step=3, prompt="def ", text="f():\n    # x"))
    first.close()
    second = TensorBoard(tmp_path, done=1)
    second.stepped(metrics(2, 20.0))
    second.close()
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    assert [(event.step, event.value) for event in events.Scalars("loss")] == [(1, 1.0), (2, 20.0)]
    (sample,) = events.Tensors("def /text_summary")
    assert sample.tensor_proto.string_val == [b"    def f():\n        # x"]
    assert set(events.Tags()["scalars"]) == {"loss", "tokens"}


@pytest.mark.real
def test_a_full_disk_costs_no_line_and_no_event_and_a_word_is_said_once(tmp_path: Path) -> None:
    said: list[str] = []
    with a_small_disk(tmp_path, "size=1m") as disk:
        lines, board = JsonLines(disk), TensorBoard(disk, done=0, say=said.append)
        filler = fill(disk)
        with pytest.raises(OSError, match="No space left"):
            append_line(disk / "more", "x" * 5000)
        for step in range(1, 61):
            lines.stepped(metrics(step, 2.5))
            board.stepped(metrics(step, 2.5))
        (line,) = said
        assert "events.out.tfevents" in line and "no space left on device" in line and "catches up" in line
        filler.unlink()
        for listener in (lines, board):
            listener.stepped(metrics(61, 2.5))
            listener.close()
        written = (disk / "metrics.jsonl").read_bytes().splitlines()
        assert [msgspec.json.decode(one, type=StepMetrics).step for one in written] == list(range(1, 62))
        events = EventAccumulator(str(disk / "tensorboard"), size_guidance={"scalars": 0})
        events.Reload()
        assert [event.step for event in events.Scalars("loss")] == list(range(1, 62))
    assert len(said) == 1


def test_a_board_that_cannot_be_written_ends_with_a_word(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "tensorboard").write_text("a file where the folder goes")
    board = TensorBoard(tmp_path, done=0, say=said.append)
    for step in (1, 2):
        board.stepped(metrics(step, 2.5))
    board.close()
    assert said == ["TensorBoard's files end here: file exists"]
