"""How faults look: one line each, one in detail, and what a log means."""

from pathlib import Path

import msgspec
import pytest

from l3_modeltools import Meaning, load_catalogue
from l3_modeltools.schemas import Evidence, Suspect, TrainingFault
from ogai.render.train.faults import print_fault, print_faults, print_meaning

OWN = Path("/home/ann/errors.yaml")
KILLED = TrainingFault(
    fault_id=2,
    run="small-1",
    fault_class="killed",
    summary="rank 1 was killed by SIGKILL from outside",
    occurred_at=1000.0,
    detected_at=1000.4,
    resumed_at=1003.1,
    redone_steps=3,
    step=12,
    section="forward_backward",
    suspects=(Suspect(rank=1, node="n1"),),
    evidence=(Evidence(source="kernel_log", text="Out of memory: Killed process 7"),),
    advised="restart_worker",
    taken="restart_worker",
)
BARE = TrainingFault(
    run="small-1",
    fault_class="unknown",
    detected_at=1000.0,
    evidence=(Evidence(source="exit", text="x"),),
    advised="none",
)


def test_each_fault_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_faults([BARE, KILLED], 1010.0)
    head, bare, killed = capsys.readouterr().out.splitlines()
    assert head.split() == [
        "#",
        "WHEN",
        "STEP",
        "CLASS",
        "WHO",
        "DONE",
        "DETECTED",
        "RESUMED",
        "REDONE",
        "WHAT",
    ]
    assert bare.split()[2:] == ["-", "unknown", "-", "nothing", "yet", "-", "-", "-", "-"]
    for text in (
        "12  killed",
        "rank 1 on n1",
        "ranks started again",
        "0.4s",
        "3.1s",
        "3  rank 1 was killed by",
    ):
        assert text in killed


def test_a_fault_in_detail_says_what_it_means_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    known = load_catalogue().names["oom-killer-node"]
    print_fault(KILLED, known, OWN, 1010.0)
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert lines[0] == ["Fault", "2     rank 1 was killed by SIGKILL from outside"]
    told = capsys.readouterr().out + "\n".join(" ".join(line) for line in lines)
    for text in (
        "step 12, in forward and backward",
        "kernel log",
        known.explanation,
        known.hint,
        known.source,
    ):
        assert text in told
    assert "resumed after 3.1s, 3 steps done again" in " ".join(told.split())


def test_evidence_says_whose_it_is_and_nothing_twice(capsys: pytest.CaptureFixture[str]) -> None:
    seen = (
        Evidence(source="heartbeat", rank=3, text="in data of step 57 for 30.1 s"),
        Evidence(source="exit", rank=1, text="rank 1 lost a peer"),
    )
    print_fault(msgspec.structs.replace(KILLED, evidence=seen), None, OWN, 1010.0)
    told = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert "heartbeat rank 3: in data of step 57 for 30.1 s" in told and "exit rank 1 lost a peer" in told


def test_nobody_is_asked_to_teach_what_stands_for_itself(capsys: pytest.CaptureFixture[str]) -> None:
    print_fault(KILLED, None, OWN, 1010.0)
    assert "known as" not in (out := capsys.readouterr().out) and "to teach it" not in out


def test_an_unknown_one_says_how_to_make_it_known(capsys: pytest.CaptureFixture[str]) -> None:
    print_meaning(Meaning(fault_class="unknown", advised="none", line="tape 4 refused", line_number=3), OWN)
    out = capsys.readouterr().out
    assert "nothing that is known" in out and str(OWN) in out and "ogai schema example error_catalogue" in out


def test_nobody_is_asked_to_teach_a_fault_of_which_no_text_is_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    print_fault(BARE, None, OWN, 1010.0)
    assert "to teach it" not in capsys.readouterr().out
    told = msgspec.structs.replace(BARE, evidence=(Evidence(source="log", text="tape 4 refused"),))
    print_fault(told, None, OWN, 1010.0)
    assert "to teach it" in capsys.readouterr().out


def test_a_log_is_told_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    known = load_catalogue().names["disk-full"]
    print_meaning(
        Meaning(
            fault_class="storage_full",
            advised="free_space",
            line="OSError: [Errno 28] No space left on device",
            line_number=812,
            error=known,
            also=("torchrun-child-failed",),
        ),
        OWN,
    )
    out = capsys.readouterr().out
    for text in ("line 812", "Errno 28", "free space", "torchrun-child-failed", known.hint):
        assert text in out
