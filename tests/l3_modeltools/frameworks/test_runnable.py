from typing import get_args

import pytest

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.frameworks import RUNNABLE, runnable_degrees
from l3_modeltools.frameworks.translate import TABLES, export_strategy
from l3_modeltools.schemas import Degrees, Framework, Pipeline, Strategy

INTERLEAVED = Strategy(degrees=Degrees(pp=4, vp=2), pipeline=Pipeline(schedule="interleaved"))
CUT_AND_SHARDED = Strategy(degrees=Degrees(dp=4, tp=2), zero_stage=3)
PIPELINED = Strategy(degrees=Degrees(dp=4, pp=4), zero_stage=2)

REFUSED = [
    ("ogai", Strategy(degrees=Degrees(tp=2)), "degrees.tp", "tp 2"),
    ("ogai", Strategy(degrees=Degrees(dp=2, ep=2)), "degrees.ep", "ep 2"),
    ("deepspeed", INTERLEAVED, "degrees.vp", "vp 2"),
    ("deepspeed", CUT_AND_SHARDED, "degrees.tp", "tp 2 with zero_stage 3"),
    ("deepspeed", PIPELINED, "degrees.pp", "pp 4 with zero_stage 2"),
]


@pytest.mark.parametrize(("framework", "strategy", "path", "found"), REFUSED)
def test_what_a_framework_cannot_run_is_named_by_its_degree(
    framework: str, strategy: Strategy, path: str, found: str
) -> None:
    faults = list(runnable_degrees(framework).faults(strategy))
    assert [(".".join(map(str, fault.path)), fault.found) for fault in faults] == [(path, found)]
    assert "`megatron`" in faults[0].hint


def test_an_export_is_refused_as_a_submission_is() -> None:
    with pytest.raises(
        UnsatisfiableError, match=r"degrees\.vp: found vp 2; expected vp 1: DeepSpeed's pipeline"
    ):
        export_strategy(INTERLEAVED, "deepspeed")


def test_graph_mode_needs_a_micro_batch_for_each_stage() -> None:
    strategy = Strategy(degrees=Degrees(pp=4))
    found = [fault.found for fault in runnable_degrees("mindformers").faults(strategy, 3)]
    assert found == ["pp 4 with 3 micro batches"]
    assert not list(runnable_degrees("mindformers").faults(strategy, 4))
    assert not list(runnable_degrees("megatron").faults(strategy, 3))


def test_every_framework_states_what_it_runs_and_where_that_stands() -> None:
    assert set(get_args(Framework)) - {"command"} <= set(RUNNABLE)
    assert {table.framework for table in TABLES.values()} <= set(RUNNABLE)
    assert all(one.sources and "dp" in one.degrees for one in RUNNABLE.values())
    assert runnable_degrees("torchtitan").zero_stages == (0, 2, 3)
    assert runnable_degrees("mindformers").zero_stages == (0, 1, 2)


def test_a_strategy_of_copies_alone_runs_everywhere() -> None:
    assert not [fault for one in RUNNABLE.values() for fault in one.faults(Strategy(degrees=Degrees(dp=64)))]


@pytest.mark.parametrize(
    ("framework", "batches", "right"),
    [
        ("megatron", 8, True),
        ("megatron", 12, True),
        ("megatron", 10, False),
        ("megatron", 3, False),
        ("torchtitan", 10, True),  # two groups of five
        ("torchtitan", 3, True),  # one of three
        ("torchtitan", 9, False),  # two groups, which 9 are not
        ("deepspeed", 9, True),  # what it has no virtual stages for is told by them
    ],
)
def test_virtual_stages_take_micro_batches_in_whole_groups(framework: str, batches: int, right: bool) -> None:
    strategy = Strategy(
        degrees=Degrees(pp=4, vp=2), pipeline=Pipeline(schedule="interleaved", offset=((0,) * 4,) * 2)
    )
    found = [
        fault.found
        for fault in runnable_degrees(framework).faults(strategy, batches)
        if "micro" in fault.found
    ]
    assert found == ([] if right else [f"vp 2 with {batches} micro batches"])
    plain = Strategy(degrees=Degrees(pp=4))
    assert not [one for one in runnable_degrees(framework).faults(plain, batches) if "vp" in one.found]
