"""What checks remember of a cluster from run to run: speeds of clean runs, and when nodes were last given back."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from l0_infra.core.errors import EngineError
from l0_infra.core.store import load_file, save_file
from l1_podsys.gates.speed import Baseline

__all__ = ["GateRecord", "load_record", "save_record"]


class GateRecord(msgspec.Struct, frozen=True, kw_only=True):
    """All that is kept; speeds by class and measure, times in seconds since the epoch by node."""

    baselines: Mapping[str, Mapping[str, tuple[float, ...]]] = msgspec.field(default_factory=dict)
    given_back_at: Mapping[str, float] = msgspec.field(default_factory=dict)

    def baseline(self, node_class: str, measure: str) -> Baseline:
        """Return the earlier clean runs of a class."""
        return Baseline(runs=self.baselines.get(node_class, {}).get(measure, ()))

    def with_baseline(self, node_class: str, measure: str, baseline: Baseline) -> "GateRecord":
        """Put a baseline in the place of the one before."""
        of_class = {**self.baselines.get(node_class, {}), measure: baseline.runs}
        return msgspec.structs.replace(self, baselines={**self.baselines, node_class: of_class})

    def with_given_back(self, nodes: Sequence[str], at: float) -> "GateRecord":
        """Note that nodes were given back: what their kernels told before is settled."""
        times = {**self.given_back_at, **dict.fromkeys(nodes, at)}
        return msgspec.structs.replace(self, given_back_at=times)


def load_record(path: Path) -> GateRecord:
    """Read it; nothing yet is an empty one. Raises EngineError for a file that cannot be read."""
    try:
        return msgspec.json.decode(load_file(path), type=GateRecord)
    except FileNotFoundError:
        return GateRecord()
    except (OSError, msgspec.DecodeError) as error:
        hint = "it holds speeds of earlier checks only: remove it, and the next clean check begins it anew"
        raise EngineError(
            str(path), found=str(error), expected="what earlier checks wrote", hint=hint
        ) from error


def save_record(path: Path, record: GateRecord) -> None:
    """Write it whole. Raises EngineError when it cannot be written."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        save_file(path, msgspec.json.format(msgspec.json.encode(record)), mode=0o600)
    except OSError as error:
        raise EngineError(str(path), found=str(error), expected="a file that can be written") from error
