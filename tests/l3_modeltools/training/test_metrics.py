import threading
from pathlib import Path

import msgspec
import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from l0_infra.core.store import append_line
from l3_modeltools.runs import Sample
from l3_modeltools.training.metrics import JsonLines, StepMetrics, TensorBoard
from tests.support.small_disk import a_small_disk, fill


def metrics(step: int, loss: float) -> StepMetrics:
    return StepMetrics(step=step, at=1_000.0 + step, tokens=64 * step, loss=loss)


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
    assert (tmp_path / "metrics.jsonl").read_text() == '{"step":1,"at":1001.0,"tokens":64,"loss":2.5}\n'
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
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # of its thread
def test_a_full_disk_costs_no_line_and_ends_tensorboard_with_a_word(tmp_path: Path) -> None:
    said: list[str] = []
    with a_small_disk(tmp_path, "size=1m") as disk:
        lines = JsonLines(disk)
        filler = fill(disk)
        for step in range(1, 61):
            lines.stepped(metrics(step, 2.5))
        filler.unlink()
        lines.stepped(metrics(61, 2.5))
        lines.close()
        written = (disk / "metrics.jsonl").read_bytes().splitlines()
        assert [msgspec.json.decode(line, type=StepMetrics).step for line in written] == list(range(1, 62))
        with pytest.raises(OSError, match="No space left"):
            fill(disk)
            append_line(disk / "more", "x" * 5000)
        board = TensorBoard(disk, done=0, say=said.append)
        board.stepped(metrics(1, 2.5))
        board.close()
        for thread in set(threading.enumerate()) - {threading.current_thread()}:
            thread.join(10.0)  # its thread fails too, in its own time
    assert len(said) == 1 and "no space left" in said[0]
