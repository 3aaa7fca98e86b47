"""The planner's memory against MindFormers' dry runs, which tell the peak of each stage of a pipeline."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from _planner_models import Row, llama, rows_of
from _score import Score
from msgspec.structs import replace

from l3_modeltools.frameworks import practice_of
from l3_modeltools.planning.cost import Setting
from l3_modeltools.planning.cost.bytes import StagePeak, decompose, memory_of
from l3_modeltools.schemas import Degrees, Pipeline, Recompute, Strategy

MIB = 2**20


def mindformers_scores(path: Path) -> Iterator[Score]:
    """Dry-run peaks of each stage: one model by its sizes alone, nothing fitted; all by a fit to the other stages."""
    rows = rows_of(path)
    known = [row for row in rows if row["model"].startswith("llama2-175B")]
    if known:
        stages = memory_of(_sapp_setting(known)).stages
        pairs = zip(stages, known, strict=True)
        errors = [stage.allocated / MIB / float(row["peak_mb"]) - 1 for stage, row in pairs]
        yield Score("mindformers dry run, nothing fitted", errors)
    left_out: list[float] = []
    for _, group in groupby(rows, lambda row: row["model"].partition(" round")[0]):
        left_out.extend(_left_out([_stage_peak(row) for row in group]))
    yield Score("mindformers dry run, a stage left out", left_out)


def _left_out(stages: Sequence[StagePeak]) -> Iterator[float]:
    """Stages between the ends: of an end there is but one, and what it has more is known from it alone."""
    for place, stage in enumerate(stages):
        if not stage.first and not stage.last:
            others = [*stages[:place], *stages[place + 1 :]]
            yield decompose(others).peak_of(stage) / stage.peak_bytes - 1


def _stage_peak(row: Row) -> StagePeak:
    told = re.search(r"full recompute layers=(\d+)", " ".join(map(str, row.values())))
    pp, p, layers = int(row["pp"]), int(row["stage"]), int(row["layers_in_stage"])
    flying = pp - p
    return StagePeak(
        layers=layers,
        kept=flying * layers,
        full=flying * int(told[1] if told else 0),
        selective=flying * int(row["select_recompute_layers"] or 0),
        gathering=flying * int(row["select_comm_recompute_layers"] or 0),
        first=p == 0,
        last=p == pp - 1,
        peak_bytes=float(row["peak_mb"]) * MIB,
    )


def _sapp_setting(rows: Sequence[Row]) -> Setting:
    """tp 8 · dp 128 make the 1,024 ranks of a stage; no other cut of them holds the bytes of a layer."""
    offset, selective, gathering = (
        (tuple(int(row[name]) for row in rows),)
        for name in ("offset", "select_recompute_layers", "select_comm_recompute_layers")
    )
    return Setting(
        architecture=replace(llama(12288, 53248, 96, 16, 160000), num_hidden_layers=96),
        strategy=Strategy(
            degrees=Degrees(dp=128, tp=8, pp=len(rows), sequence_parallel=True),
            zero_stage=1,
            pipeline=Pipeline(offset=offset),
            recompute=Recompute(mode="selective", layers=selective, gathering_layers=gathering),
        ),
        sequence_length=8192,
        global_batch_size=128 * len(rows),
        practice=practice_of("mindformers"),
    )
