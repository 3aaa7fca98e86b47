"""A run of a training is its directory: made once, found again, read while it goes on, judged, compared."""

from l3_modeltools.runs.compare import Comparison, Difference, Measured, compare_runs
from l3_modeltools.runs.exits import FINAL, GAVE_UP, REFUSALS, RESTART, SIGNALLED, is_final
from l3_modeltools.runs.expectation import Met, expectations, measured_peak_bytes, measured_step_s
from l3_modeltools.runs.find import choose_run, find_run
from l3_modeltools.runs.happened import Happened
from l3_modeltools.runs.inputs import hash_inputs, require_inputs
from l3_modeltools.runs.journal import (
    Mark,
    MarkWord,
    Source,
    append_mark,
    read_faults,
    read_marks,
    report_fault,
    reserve_journal,
    revise_fault,
)
from l3_modeltools.runs.judge import judge_run
from l3_modeltools.runs.layout import RunLayout
from l3_modeltools.runs.lines import LineReader, decode_lines, is_cut_off
from l3_modeltools.runs.metric import Metric, parse_metrics
from l3_modeltools.runs.one_clock import OneClock
from l3_modeltools.runs.outcome import Outcome, read_outcome, save_outcome
from l3_modeltools.runs.ranks_now import RankNow, RanksNow, read_ranks, save_ranks
from l3_modeltools.runs.reader import MetricsReader, read_metric_lines, read_metrics
from l3_modeltools.runs.samples import Sample, read_samples
from l3_modeltools.runs.saved import list_saved
from l3_modeltools.runs.starts import read_ends, read_starts
from l3_modeltools.runs.store import (
    DamagedRun,
    RunsFound,
    create_run,
    hold_run,
    list_runs,
    load_run,
    scan_runs,
    update_run,
)
from l3_modeltools.runs.summarize import LossAt, RunSummary, summarize

__all__ = [
    "FINAL",
    "GAVE_UP",
    "REFUSALS",
    "RESTART",
    "SIGNALLED",
    "Comparison",
    "DamagedRun",
    "Difference",
    "Happened",
    "LineReader",
    "LossAt",
    "Mark",
    "MarkWord",
    "Measured",
    "Met",
    "Metric",
    "MetricsReader",
    "OneClock",
    "Outcome",
    "RankNow",
    "RanksNow",
    "RunLayout",
    "RunSummary",
    "RunsFound",
    "Sample",
    "Source",
    "append_mark",
    "choose_run",
    "compare_runs",
    "create_run",
    "decode_lines",
    "expectations",
    "find_run",
    "hash_inputs",
    "hold_run",
    "is_cut_off",
    "is_final",
    "judge_run",
    "list_runs",
    "list_saved",
    "load_run",
    "measured_peak_bytes",
    "measured_step_s",
    "parse_metrics",
    "read_ends",
    "read_faults",
    "read_marks",
    "read_metric_lines",
    "read_metrics",
    "read_outcome",
    "read_ranks",
    "read_samples",
    "read_starts",
    "report_fault",
    "require_inputs",
    "reserve_journal",
    "revise_fault",
    "save_outcome",
    "save_ranks",
    "scan_runs",
    "summarize",
    "update_run",
]
