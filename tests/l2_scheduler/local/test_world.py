"""What of this machine others hold, as placement sees it."""

from l1_podsys.schemas import AcceleratorState, NodeState
from l2_scheduler.local.ledger import Claim
from l2_scheduler.local.records import Record
from l2_scheduler.local.world import cluster_of, foreign_claims
from l2_scheduler.schemas import Job, JobStatus


def claim(*, user: int = 7, home: str = "/h", attempt: int = 2) -> Claim:
    return Claim(
        user=user, home=home, job_id="1", attempt=attempt, cpus=3, memory_bytes=5, accelerators=("nvidia:1",)
    )


def test_only_the_claim_of_an_active_job_s_own_attempt_is_not_foreign() -> None:
    job = Job(name="a", command=("true",))
    active = [Record(status=JobStatus(job_id="1", job=job, state="RUNNING", attempt=2), submission=1)]
    others = (claim(attempt=1), claim(user=8), claim(home="/other"))
    assert foreign_claims((claim(), *others), 7, "/h", active) == others


def test_what_others_hold_is_taken_off() -> None:
    devices = (AcceleratorState(id="nvidia:0"), AcceleratorState(id="nvidia:1"))
    node = NodeState(name="n1", cpus=8, memory_bytes=64, accelerators=devices)
    (rest,) = cluster_of(node, (claim(),)).nodes
    assert (rest.cpus, rest.foreign_cpus, rest.foreign_memory_bytes) == (8, 3, 5)
    assert [one.busy for one in rest.accelerators] == [None, "job 1 of uid 7"]
