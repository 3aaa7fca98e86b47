"""What `why` says: each blocker, and changes that really start the job."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from msgspec import structs

from l0_infra.core.errors import UsageError
from l1_podsys.schemas import ClusterState
from l2_scheduler.placement import Explanation, Setting, Suggestion, decide, explain
from l2_scheduler.schemas import JobStatus, Queue, Queues
from tests.l2_scheduler.placement.make import (
    GIB,
    HOUR,
    Simulation,
    cluster,
    job,
    node,
    nodes,
    queues,
    running,
    share,
    started,
)
from tests.l2_scheduler.placement.test_laws import NOW, QUEUES, World, worlds

RESOURCES = {"--cpus": "cpus_per_task", "--gpus": "gpus_per_node", "--memory": "memory_bytes_per_node"}


def by_change(explanation: Explanation) -> dict[str, Suggestion]:
    return {suggestion.change: suggestion for suggestion in reversed(explanation.suggestions)}


def typed(suggestion: Suggestion) -> list[str]:
    return [" ".join(command) for command in suggestion.commands]


def obey(
    some: Queues, jobs: Sequence[JobStatus], suggestion: Suggestion, job_id: str, now: float
) -> tuple[Queues, list[JobStatus], str]:
    """Do what the suggestion says, by its commands alone; which job is to start then."""
    changed = list(jobs)
    for _ogai, _job, verb, *words in suggestion.commands:
        if verb == "submit":
            changed.append(_resubmitted(changed, job_id, words, now))
            job_id = changed[-1].job_id
        else:
            changed = [_told(status, verb, words) for status in changed]
    return _with_settings(some, suggestion.settings), changed, job_id


def _told(status: JobStatus, verb: str, words: list[str]) -> JobStatus:
    if verb == "throttle" and status.job_id.startswith(words[0] + "_"):
        assert status.job.array is not None
        array = structs.replace(status.job.array, throttle=int(words[1]))
        return structs.replace(status, job=structs.replace(status.job, array=array))
    if status.job_id != words[0]:
        return status
    if verb == "priority":
        return structs.replace(status, priority=int(words[1]))
    changes = {"release": {"held": False}, "hold": {"held": True}, "cancel": {"state": "CANCELLED"}}
    return structs.replace(status, **changes[verb])


def _resubmitted(jobs: Sequence[JobStatus], job_id: str, words: list[str], now: float) -> JobStatus:
    as_before, option, value = words
    assert as_before == "…"
    amount = int(value.removesuffix("MiB")) * (2**20 if value.endswith("MiB") else 1)
    old = next(status for status in jobs if status.job_id == job_id)
    resources = structs.replace(old.job.resources, **{RESOURCES[option]: amount})
    return JobStatus(
        job_id="1000",
        job=structs.replace(old.job, resources=resources),
        priority=old.job.priority,
        submitted_at=now,
    )


def _with_settings(some: Queues, wanted: Sequence[Setting]) -> Queues:
    changed = some.queues
    for setting in wanted:
        edit = {setting.field: setting.value}
        changed = tuple(structs.replace(q, **edit) if q.name == setting.queue else q for q in changed)
    return structs.replace(some, queues=changed)


def starts_after(
    observed: ClusterState,
    some: Queues,
    jobs: Sequence[JobStatus],
    suggestion: Suggestion,
    job_id: str,
    now: float,
) -> bool:
    if suggestion.change == "wait":
        return _starts_at(observed, some, jobs, suggestion, job_id, now)
    some, jobs, job_id = obey(some, jobs, suggestion, job_id, now)
    return job_id in started(decide(observed, some, jobs, now))


def _starts_at(
    observed: ClusterState,
    some: Queues,
    jobs: Sequence[JobStatus],
    suggestion: Suggestion,
    job_id: str,
    now: float,
) -> bool:
    """Play time forward, with every job running to its limit, until the time that was told."""
    _, after_release, _ = obey(some, jobs, suggestion, job_id, now)
    limits = {queue.name: queue.default_time_s for queue in some.queues}
    longest = {s.job_id: s.job.limits.time_s or limits[s.job.queue] or float("inf") for s in jobs}
    simulation = Simulation(observed, some, after_release, longest, now=now, overdue_s=1.0)
    while job_id not in started(simulation.step()):
        assert suggestion.at is not None and simulation.now < suggestion.at
        assert simulation.pass_time()
    return simulation.now == suggestion.at


@settings(max_examples=150, deadline=None)
@given(worlds)
def test_every_suggestion_starts_the_job(world: World) -> None:
    observed, jobs = world
    for wait in decide(observed, QUEUES, jobs, NOW).waits[:4]:
        explanation = explain(observed, QUEUES, jobs, NOW, wait.job_id)
        assert set(wait.blockers) <= set(explanation.blockers)
        for suggestion in explanation.suggestions:
            assert starts_after(observed, QUEUES, jobs, suggestion, wait.job_id, NOW), suggestion


def test_a_hold_is_lifted() -> None:
    explanation = explain(nodes(1), queues(), [job(1, held=True)], 0.0, "1")
    assert [blocker.code for blocker in explanation.blockers] == ["held"]
    assert [typed(suggestion) for suggestion in explanation.suggestions] == [["ogai job release 1"]]


def test_a_held_job_also_says_what_else_stops_it() -> None:
    other = running(job(1, cpus=8, time_s=HOUR), share("n0", cpus=8))
    explanation = explain(nodes(1), queues(), [other, job(2, cpus=2, held=True)], 0.0, "2")
    assert [blocker.code for blocker in explanation.blockers] == ["held", "resources"]
    assert typed(by_change(explanation)["wait"]) == ["ogai job release 2"]
    assert by_change(explanation)["wait"].at == HOUR
    assert typed(by_change(explanation)["cancel"]) == ["ogai job release 2", "ogai job cancel 1"]


def test_it_says_when_the_job_starts_by_itself() -> None:
    jobs = [
        running(job(1, cpus=4, time_s=HOUR), share("n0", cpus=4)),
        running(job(2, cpus=4, time_s=2 * HOUR), share("n0", cpus=4)),
        job(3, cpus=4, time_s=HOUR),
        job(4, cpus=4),
    ]
    wait = by_change(explain(nodes(1), queues(), jobs, 0.0, "4"))["wait"]
    assert wait.at == 2 * HOUR
    assert "job 2, 3 ends" in wait.text


def test_the_priority_told_is_the_smallest() -> None:
    jobs = [job(n, cpus=3, priority=n, submitted_at=0.0) for n in range(1, 8)]
    observed = cluster(node(cpus=9))
    assert started(decide(observed, queues(), jobs, 0.0)) == ["7", "6", "5"]
    suggestion = by_change(explain(observed, queues(), jobs, 0.0, "2"))["priority"]
    assert typed(suggestion) == ["ogai job priority 2 5"]
    almost = [structs.replace(s, priority=4) if s.job_id == "2" else s for s in jobs]
    assert "2" not in started(decide(observed, queues(), almost, 0.0))


def test_the_most_the_job_could_have_now_is_told() -> None:
    observed = cluster(node(cpus=8, gpus=4, gib=32))
    other = running(job(1), share(cpus=3, gib=20, gpus=[0]))
    explanation = explain(observed, queues(), [other, job(2, cpus=8)], 0.0, "2")
    assert typed(by_change(explanation)["shrink"]) == ["ogai job cancel 2", "ogai job submit … --cpus 5"]
    explanation = explain(observed, queues(), [other, job(2, gpus=4)], 0.0, "2")
    assert typed(by_change(explanation)["shrink"])[1] == "ogai job submit … --gpus 3"
    explanation = explain(observed, queues(), [other, job(2, gib=13)], 0.0, "2")
    assert typed(by_change(explanation)["shrink"])[1] == f"ogai job submit … --memory {12 * GIB // 2**20}MiB"


def test_a_job_that_never_fits_is_told_what_would() -> None:
    explanation = explain(nodes(1), queues(), [job(1, cpus=9)], 0.0, "1")
    assert [blocker.code for blocker in explanation.blockers] == ["never_fits"]
    assert list(by_change(explanation)) == ["shrink"]


def test_one_victim_is_named_where_one_is_enough_and_none_where_it_is_not() -> None:
    jobs = [
        running(job(1, priority=1), share("n0", cpus=4)),
        running(job(2), share("n0", cpus=2)),
        running(job(3), share("n0", cpus=1)),
        job(4, cpus=3),
    ]
    assert typed(by_change(explain(nodes(1), queues(), jobs, 0.0, "4"))["cancel"]) == ["ogai job cancel 2"]
    jobs[3] = job(4, cpus=8)
    assert "cancel" not in by_change(explain(nodes(1), queues(), jobs, 0.0, "4"))


def test_limits_and_throttle_are_raised_no_further_than_needed() -> None:
    some = queues(Queue(name="default", max_cpus=4, max_running_jobs=9))
    jobs = [running(job(1, cpus=2), share("n0", cpus=2)), job(2, cpus=5)]
    limit = by_change(explain(nodes(1), some, jobs, 0.0, "2"))["limit"]
    assert limit.settings == (Setting(queue="default", field="max_cpus", value=7),)
    elements = [running(job("5_1", throttle=1), share("n0")), job("5_2", throttle=1), job("5_3", throttle=1)]
    throttle = by_change(explain(nodes(1), queues(), elements, 0.0, "5_3"))["throttle"]
    assert typed(throttle) == ["ogai job throttle 5 3"]


def test_a_job_behind_a_reservation_names_whom_it_waits_for() -> None:
    jobs = [running(job(1, cpus=4), share("n0", cpus=4)), job(2, cpus=8), job(3, cpus=4)]
    explanation = explain(nodes(1), queues(), jobs, 0.0, "3")
    assert explanation.blockers[0].code == "reserved_for_earlier_job"
    assert explanation.blockers[0].jobs == ("2",)
    assert typed(by_change(explanation)["hold"]) == ["ogai job hold 2"]


def test_jobs_that_do_not_wait_say_so() -> None:
    jobs = [job(1), job(2, state="FAILED"), job(3, after=[("2", "afterok")])]
    assert explain(nodes(1), queues(), jobs, 0.0, "1").text == "job 1 starts in the next pass"
    assert explain(nodes(1), queues(), jobs, 0.0, "2").text == "job 2 is FAILED"
    assert explain(nodes(1), queues(), jobs, 0.0, "3").outcome == "cancelled"
    with pytest.raises(UsageError, match="job 9: found no such job"):
        explain(nodes(1), queues(), jobs, 0.0, "9")
