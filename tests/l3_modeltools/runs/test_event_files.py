"""TensorBoard's event files, as torch writes them, are read where there is nothing else."""

from pathlib import Path

import pytest

from l3_modeltools.runs import MetricsReader, read_metrics

pytest.importorskip("torch")


def write(folder: Path, losses: dict[int, float], *, tag: str = "train/loss") -> None:
    from torch.utils.tensorboard import SummaryWriter

    writer = SummaryWriter(str(folder), filename_suffix=f".{len(list(folder.glob('*')))}")
    for step, loss in losses.items():
        writer.add_scalar(tag, loss, step)
        writer.add_scalar("expert/load", 0.5, step)
        writer.add_text("note", "not a number", step)
    writer.close()


def test_scalars_become_metrics_and_a_later_start_counts_above_an_earlier_one(tmp_path: Path) -> None:
    reader = MetricsReader(tmp_path)
    write(tmp_path / "tensorboard", {1: 5.0, 2: 4.0, 3: 3.0})
    assert [(metric.step, metric.loss) for metric in reader.read()] == [(1, 5.0), (2, 4.0), (3, 3.0)]
    write(tmp_path / "tensorboard", {3: 3.5, 4: 2.5})
    assert [(metric.step, metric.loss) for metric in reader.read()] == [(3, 3.5), (4, 2.5)]
    metrics = read_metrics(tmp_path)
    assert metrics == reader.metrics
    assert [metric.loss for metric in metrics] == [5.0, 4.0, 3.5, 2.5]
    assert metrics[0].extra == {"expert/load": 0.5}
    assert metrics[0].at is not None and metrics[0].at > 1.7e9


def test_files_in_folders_of_their_own_are_read_and_a_cut_off_one_as_far_as_it_goes(tmp_path: Path) -> None:
    write(tmp_path / "tensorboard" / "a", {1: 5.0, 2: 4.0})
    write(tmp_path / "tensorboard" / "b", {1: 6.0, 2: 7.0}, tag="Loss/Validation")
    (file,) = (tmp_path / "tensorboard" / "a").iterdir()
    file.write_bytes(file.read_bytes()[:-150])
    found = [(metric.loss, metric.validation_loss) for metric in read_metrics(tmp_path)]
    assert found == [(5.0, 6.0), (None, 7.0)]


def test_json_lines_count_above_event_files(tmp_path: Path) -> None:
    write(tmp_path / "tensorboard", {1: 5.0})
    reader = MetricsReader(tmp_path)
    assert [metric.loss for metric in reader.read()] == [5.0]
    (tmp_path / "metrics.jsonl").write_text('{"step": 2, "loss": 4}\n')
    assert [metric.loss for metric in reader.read()] == [4.0]
    assert reader.metrics == read_metrics(tmp_path)
