"""Settings that dry runs are tried on, out of a file that the benchmark of the planner reads as well."""

from dataclasses import dataclass
from pathlib import Path

import msgspec
import yaml

from l3_modeltools import preset
from l3_modeltools.frameworks import practice_of
from l3_modeltools.planning.cost import Setting
from l3_modeltools.schemas import Strategy

__all__ = ["DryRunCase", "dry_run_cases"]

FILE = Path(__file__).parents[1] / "cases" / "planner" / "dry_runs.yaml"


@dataclass(frozen=True, kw_only=True)
class DryRunCase:
    """A preset, cut, as a trainer computes it."""

    name: str
    preset: str
    framework: str
    sequence_length: int
    global_batch_size: int
    strategy: dict[str, object]

    def setting(self) -> Setting:
        """What is run dry."""
        return Setting(
            architecture=preset(self.preset),
            strategy=msgspec.convert({"kind": "strategy", **self.strategy}, Strategy),
            sequence_length=self.sequence_length,
            global_batch_size=self.global_batch_size,
            practice=practice_of(self.framework),
        )


def dry_run_cases() -> list[DryRunCase]:
    """All of the file."""
    return msgspec.convert(yaml.safe_load(FILE.read_text("utf-8")), list[DryRunCase])
