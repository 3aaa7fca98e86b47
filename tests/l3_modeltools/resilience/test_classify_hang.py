"""A hang is told with who stopped, for how long, and with the frames of its code."""

from l3_modeltools.resilience.classify_hang import classify_hang
from l3_modeltools.resilience.hang import Hang
from l3_modeltools.resilience.heartbeat import Phase

STACK = """\
Current thread 0x00007f1b (most recent call first):
  File "/env/lib/python3.11/site-packages/torch/utils/data.py", line 2810 in wait
  File "/srv/train/train.py", line 88 in next_batch
"""


def hang(phase: Phase, *suspects: int, is_stopped: bool = False) -> Hang:
    return Hang(
        suspects=suspects,
        occurred_at_s=90.0,
        phase=phase,
        step=7,
        limit_s=4.0,
        is_stopped=is_stopped,
        evidence=((0, "rank 0 waits in forward"), (1, "rank 1 sleeps")),
    )


def test_a_hang_names_its_suspect_with_its_stack() -> None:
    fault = classify_hang(
        "small-1", hang("backward", 1), stacks={0: "", 1: STACK}, node="n1", now=1000.0, monotonic=99.5
    )
    assert (fault.fault_class, fault.advised, fault.step, fault.section) == (
        "hang",
        "restart_worker",
        7,
        "forward_backward",
    )
    assert fault.summary == "rank 1 did not move for 9.5 s in backward of step 7"
    assert (fault.occurred_at, fault.detected_at) == (990.5, 1000.0)
    assert [suspect.rank for suspect in fault.suspects] == [1]
    assert (fault.evidence[0].source, fault.evidence[0].rank) == ("stack", 1)
    assert fault.evidence[0].text.endswith(
        "data.py:2810 in wait; called by /srv/train/train.py:88 in next_batch"
    )
    assert [entry.text for entry in fault.evidence[1:]] == ["rank 0 waits in forward", "rank 1 sleeps"]


def test_a_rank_that_a_signal_stopped_waits_for_no_data() -> None:
    stopped = hang("data", 1, is_stopped=True)
    fault = classify_hang("small-1", stopped, stacks={}, node="n1", now=1000.0, monotonic=99.5)
    assert (fault.fault_class, fault.section) == ("hang", "data")
    assert fault.summary == "rank 1 did not move for 9.5 s in data of step 7"


def test_a_rank_without_data_stalls() -> None:
    fault = classify_hang("small-1", hang("data", 0, 1), stacks={}, node="n1", now=1000.0, monotonic=99.5)
    assert (fault.fault_class, fault.section) == ("data_stall", "data")
    assert fault.summary == "ranks 0 and 1 got no data for 9.5 s in data of step 7"
