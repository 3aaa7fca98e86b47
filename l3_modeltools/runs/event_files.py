"""Metrics from TensorBoard's event files, for trainers that write nothing else; read by tensorboard itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from l3_modeltools.runs.metric import Metric, measured

if TYPE_CHECKING:
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event

__all__ = ["EventFiles"]


class EventFiles:
    """The event files below a folder, those of later starts too; each event is read once."""

    def __init__(self, folder: Path) -> None:
        """Take the folder, which need not exist yet."""
        self._folder = folder
        self._loaders: dict[Path, EventFileLoader] = {}

    def read(self) -> tuple[Metric, ...]:
        """Return one metric for each scalar added since the last call, in the order of the files' names."""
        files = sorted(self._folder.rglob("*tfevents*"), key=lambda path: path.name)
        return tuple(metric for path in files for metric in self._read(path))

    def _read(self, path: Path) -> Iterator[Metric]:
        if path not in self._loaders:
            from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

            self._loaders[path] = EventFileLoader(str(path))
        for event in self._loaders[path].Load():
            yield from _scalars(event)


def _scalars(event: Event) -> Iterator[Metric]:
    from tensorboard.util.tensor_util import make_ndarray

    for value in event.summary.value:
        if value.metadata.plugin_data.plugin_name == "scalars":
            number = make_ndarray(value.tensor).item()
            yield measured(event.step, value.tag, float(number), at=event.wall_time)
