"""Of several ends the root is named, with its class, a sentence, evidence and advice."""

from collections.abc import Sequence
from typing import Literal

import pytest

from l3_modeltools.resilience.catalogue import load_catalogue
from l3_modeltools.resilience.classify import classify_ends
from l3_modeltools.resilience.ends import End, LastWord
from l3_modeltools.resilience.heartbeat import Beat
from l3_modeltools.resilience.kernel import KernelLine
from l3_modeltools.schemas import TrainingFault

NOW = 1_700_000_000.0
CATALOGUE = load_catalogue()
TRACEBACK = """\
Traceback (most recent call last):
  File "a.py", line 1, in run
    x
  File "b.py", line 7, in f
    y
"""


def end(
    rank: int,
    exit_code: int,
    *,
    after: float = 0.0,
    ordered: bool = False,
    word: LastWord | None = None,
    log: Sequence[str] = (),
) -> End:
    return End(
        rank=rank,
        at=NOW - 10 + after,
        exit_code=exit_code,
        ordered=ordered,
        beat=Beat(phase="forward", step=12, since_s=5.0),
        word=word,
        log=tuple(log),
    )


def error(exception: str, text: str, *, retry: bool = True, kind: Literal["error"] = "error") -> LastWord:
    return LastWord(
        kind=kind,
        exit_code=1,
        step=12,
        section="optimizer",
        exception=exception,
        text=text,
        traceback=f"{TRACEBACK}{exception}: {text}",
        retry=retry,
    )


LOST = LastWord(kind="peer_lost", exit_code=1, step=12, section="forward_backward", exception="RuntimeError")


def classify(
    *ends: End,
    kernel: Sequence[str] = (),
    ago_s: float = 9.0,
    oom_kills: int | None = 0,
    accelerators: bool = True,
) -> TrainingFault:
    return classify_ends(
        "small-1",
        ends,
        kernel=[KernelLine(at=NOW - ago_s, text=text) for text in kernel],
        oom_kills=oom_kills,
        node="n1",
        catalogue=CATALOGUE,
        now=NOW,
        accelerators=accelerators,
    )


def test_a_killed_rank_is_the_root_and_the_survivor_that_lost_it_is_not() -> None:
    fault = classify(end(0, 1, word=LOST), end(1, -9, after=0.2), end(2, -15, after=1, ordered=True))
    assert (fault.fault_class, fault.advised, fault.known_as) == ("killed", "restart_worker", None)
    assert fault.summary == "rank 1 was killed by SIGKILL from outside"
    assert [suspect.rank for suspect in fault.suspects] == [1]
    assert [entry.text for entry in fault.evidence] == [
        "rank 1 was killed by SIGKILL from outside, in forward of step 12",
        "rank 0 lost a peer",
    ]
    assert (fault.step, fault.section, fault.occurred_at, fault.detected_at) == (
        12,
        "forward_backward",
        NOW - 9.8,
        NOW,
    )


OOM_LINE = "Memory cgroup out of memory: Killed process 71 (python) total-vm:1kB, anon-rss:1kB"


@pytest.mark.parametrize(("kernel", "kills"), [((), 1), ((OOM_LINE,), None), ((OOM_LINE,), 1)])
def test_a_rank_that_the_kernel_killed_for_want_of_memory(kernel: Sequence[str], kills: int | None) -> None:
    fault = classify(end(0, 1, word=LOST), end(1, -9), kernel=kernel, oom_kills=kills)
    assert fault.fault_class == "killed"
    assert fault.summary == "rank 1 was killed by SIGKILL: the kernel ran out of memory in its control group"
    assert fault.known_as == ("oom-killer-cgroup" if kernel else None)


def test_a_rank_that_was_asked_to_end_was_not_killed_for_want_of_memory() -> None:
    assert classify(end(1, -15), oom_kills=3).summary == "rank 1 was killed by SIGTERM from outside"


def test_a_kill_of_another_job_does_not_explain_ours() -> None:
    fault = classify(end(1, -9), kernel=[OOM_LINE], oom_kills=0)
    assert fault.summary == "rank 1 was killed by SIGKILL from outside"


def test_several_ranks_killed_at_once_are_all_suspects() -> None:
    fault = classify(end(0, -9), end(1, -9, after=1), end(2, 1, word=LOST))
    assert fault.summary == "ranks 0 and 1 were killed by SIGKILL from outside"
    assert [suspect.rank for suspect in fault.suspects] == [0, 1]


def test_a_loader_that_the_kernel_killed_is_out_of_memory_too() -> None:
    word = error("RuntimeError", "DataLoader worker (pid 71) is killed by signal: Killed.")
    fault = classify(end(0, 1, word=word), kernel=[OOM_LINE], oom_kills=1)
    assert (fault.fault_class, fault.known_as) == ("killed", "oom-killer-cgroup")


@pytest.mark.parametrize(
    ("exception", "text", "fault_class", "advised", "known_as"),
    [
        ("torch.OutOfMemoryError", "CUDA out of memory. Tried to allocate 2 GiB", "crash", "restart_worker",
         "cuda-out-of-memory"),
        ("MemoryError", "", "crash", "restart_worker", "python-memory-error"),
        ("OSError", "[Errno 28] No space left on device: '/x'", "storage_full", "restart_worker", "disk-full"),
        ("OSError", "[Errno 122] Disk quota exceeded", "storage_full", "restart_worker", "quota-exceeded"),
        ("OSError", "[Errno 30] Read-only file system: '/x'", "storage_read_only", "restart_worker", "read-only"),
        ("OSError", "[Errno 5] Input/output error", "crash", "restart_job", "io-error"),
        ("FileNotFoundError", "[Errno 2] No such file or directory: 'x'", "crash", "give_up", "file-missing"),
        ("RuntimeError", "PytorchStreamReader failed reading zip archive: bad", "checkpoint_damaged", "roll_back",
         "checkpoint-incomplete"),
        ("RuntimeError", "CUDA error: uncorrectable ECC error encountered", "device_lost", "replace_node",
         "cuda-ecc-error"),
        ("ValueError", "the router got 3 experts", "crash", "restart_worker", None),
    ],
)  # fmt: skip
def test_an_exception_by_its_family(
    exception: str, text: str, fault_class: str, advised: str, known_as: str | None
) -> None:
    fault = classify(end(0, 1, after=0.1, word=LOST), end(1, 1, word=error(exception, text)))
    assert (fault.fault_class, fault.advised, fault.known_as) == (fault_class, advised, known_as)
    assert fault.summary == f"rank 1 failed with {exception}: {text}".rstrip(": ")
    assert fault.section == "optimizer"
    assert 'File "b.py", line 7, in f' in [entry.text for entry in fault.evidence]


def test_what_would_come_again_for_sure_is_given_up() -> None:
    fault = classify(end(0, 2, word=error("DocumentError", "steps: found 0; expected more", retry=False)))
    assert fault.advised == "give_up"


def test_ranks_that_fail_alike_have_no_single_suspect() -> None:
    ends = [
        end(rank, 1, after=rank / 10, word=error("ValueError", f"row {rank} is odd")) for rank in range(3)
    ]
    fault = classify(*ends)
    assert fault.suspects == ()
    assert fault.summary == "ranks 0, 1 and 2 failed with ValueError: row 0 is odd"
    late = end(1, 1, after=9, word=error("ValueError", "row 1 is odd"))
    assert [suspect.rank for suspect in classify(ends[0], late).suspects] == [0]


def test_a_symptom_in_a_survivors_own_words_is_one() -> None:
    survivor = error(
        "torch.distributed.DistBackendError",
        "NCCL error in: x, remote process exited or there was a network error, NCCL version 2",
    )
    fault = classify(
        end(0, 1, word=survivor), end(1, 1, after=3, word=error("ZeroDivisionError", "division by zero"))
    )
    assert fault.summary == "rank 1 failed with ZeroDivisionError: division by zero"


def test_words_too_general_are_explained_by_the_log() -> None:
    word = error("torch.distributed.DistBackendError", "NCCL error in: x.cpp:1, NCCL version 2.18.1")
    log = ["n:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.1<4> with status=12 opcode=0 len=0"]
    assert classify(end(0, 1, word=word, log=log)).known_as == "nccl-ib-retry-exceeded"
    own = error("ValueError", "mine")
    assert classify(end(0, 1, word=own, log=log)).known_as is None


@pytest.mark.parametrize(
    ("exit_code", "fault_class", "summary"),
    [
        (-11, "crash", "rank 0 was ended by SIGSEGV: native code touched memory it may not"),
        (139, "crash", "rank 0 was ended by SIGSEGV: native code touched memory it may not"),
        (
            -7,
            "crash",
            "rank 0 was ended by SIGBUS: memory could not be had; /dev/shm is full, or a device failed",
        ),
        (-6, "crash", "rank 0 was ended by SIGABRT: native code gave up"),
        (-15, "killed", "rank 0 was killed by SIGTERM from outside"),
        (137, "killed", "rank 0 was killed by SIGKILL from outside"),
        (127, "crash", "rank 0 ended with exit code 127: there is no such program"),
        (3, "crash", "rank 0 ended with exit code 3"),
    ],
)
def test_without_words_signal_and_exit_code_tell(exit_code: int, fault_class: str, summary: str) -> None:
    fault = classify(end(0, exit_code))
    assert (fault.fault_class, fault.summary) == (fault_class, summary)
    assert fault.advised == ("give_up" if exit_code == 127 else "restart_worker")


def test_without_words_the_log_tells() -> None:
    known = classify(end(0, 1, log=["torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB"]))
    assert known.known_as == "cuda-out-of-memory"
    own = classify(
        end(0, 1, log=["Traceback (most recent call last):", '  File "t.py", line 1', "KeyError: 'x'"])
    )
    assert (own.known_as, own.summary) == (None, "rank 0 ended with exit code 1: KeyError: 'x'")
    watchdog = classify(
        end(0, -6, log=["[Rank 0] Watchdog caught collective operation timeout: Work"]), end(1, -11, after=2)
    )
    assert [suspect.rank for suspect in watchdog.suspects] == [1]


XID = "NVRM: Xid (PCI:0000:1b:00): 79, pid=7, name=python, GPU has fallen off the bus."


def test_a_lost_device_is_told_by_the_kernel() -> None:
    word = error("torch.AcceleratorError", "CUDA error: unspecified launch failure")
    fault = classify(end(1, 1, word=word), end(0, 1, word=LOST), kernel=["usb 1-1: new device", XID])
    assert (fault.fault_class, fault.advised, fault.known_as) == ("device_lost", "replace_node", "xid-79")
    assert XID in fault.summary
    assert XID in [entry.text for entry in fault.evidence if entry.source == "kernel_log"]


def test_what_the_kernel_says_to_be_harmless_explains_nothing() -> None:
    corrected = "pcieport 0000:00:01.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer"
    fault = classify(end(0, 1, word=error("ValueError", "mine")), kernel=[corrected])
    assert (fault.fault_class, fault.known_as) == ("crash", None)


def test_ranks_that_only_lost_each_other_say_so() -> None:
    fault = classify(end(0, 1, word=LOST), end(1, 1, word=LOST))
    assert (fault.fault_class, fault.summary, fault.suspects) == ("crash", "ranks 0 and 1 lost a peer", ())


def test_ends_that_were_ordered_count_when_there_are_no_others() -> None:
    fault = classify(end(0, -15, ordered=True), end(1, 0, word=LastWord(kind="done", exit_code=0)))
    assert fault.fault_class in ("killed", "crash")


def test_a_device_that_the_run_does_not_use_or_that_fell_long_ago_is_no_reason() -> None:
    killed = end(1, -9)
    assert classify(killed, kernel=[XID]).fault_class == "device_lost"
    assert classify(killed, kernel=[XID], accelerators=False).fault_class == "killed"
    assert classify(killed, kernel=[XID], ago_s=3600.0).fault_class == "killed"
