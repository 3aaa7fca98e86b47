"""Who starts and who waits, case by case."""

import pytest
from msgspec import structs

from l2_scheduler.placement import decide, fits_ever
from l2_scheduler.schemas import JobState, Queue
from tests.l2_scheduler.placement.make import (
    HOUR,
    Condition,
    Simulation,
    cluster,
    codes,
    job,
    node,
    nodes,
    queues,
    running,
    share,
    started,
)


def test_of_two_gangs_as_large_as_the_cluster_exactly_one_runs() -> None:
    decisions = decide(nodes(100, cpus=1), queues(), [job(1, nodes=100), job(2, nodes=100)], 0.0)
    assert started(decisions) == ["1"]
    assert {share.node for share in decisions.starts[0].allocation} == {f"n{i}" for i in range(100)}
    assert codes(decisions) == {"2": {"resources"}}


@pytest.mark.parametrize("sizes", [(29, 54), (54, 29)])
def test_best_fit_leaves_the_large_hole_for_the_large_job(sizes: tuple[int, int]) -> None:
    observed = cluster(node("a", cpus=57), node("b", cpus=33))
    decisions = decide(observed, queues(), [job(i, cpus=cpus) for i, cpus in enumerate(sizes)], 0.0)
    where = {start.allocation[0].cpus: start.allocation[0].node for start in decisions.starts}
    assert where == {29: "b", 54: "a"}


def test_sums_that_fit_on_nodes_that_do_not_are_called_fragmentation() -> None:
    busy = [running(job(i, cpus=2), share(f"n{i}", cpus=2)) for i in range(10)]
    decisions = decide(nodes(10, cpus=8), queues(), [*busy, job(20, nodes=6, cpus=8)], 0.0)
    (wait,) = decisions.waits
    assert [blocker.code for blocker in wait.blockers] == ["fragmentation"]
    assert str(wait.blockers[0]) == (
        "nodes: found 60 CPUs free in sum, but no such node (the next best has 6 CPUs free now); "
        "expected 6 nodes with 8 CPUs each"
    )


def test_when_nothing_is_free_all_share_one_reason_but_never_is_still_told() -> None:
    full = running(job(1, cpus=8), share("n0", cpus=8))
    decisions = decide(
        nodes(1), queues(), [full, job(2), job(3, cpus=2), job(4, cpus=9), job(5, cpus=3)], 0.0
    )
    assert codes(decisions) == {
        "2": {"resources"},
        "3": {"resources"},
        "4": {"never_fits"},
        "5": {"resources"},
    }
    assert decisions.waits[1].blockers[0] is decisions.waits[3].blockers[0]
    assert str(decisions.waits[1].blockers[0]) == ("nodes: found every CPU taken; expected free CPUs")


def test_a_job_that_can_never_fit_stops_nobody() -> None:
    decisions = decide(nodes(2), queues(), [job(1), job(2, cpus=9), job(3)], 0.0)
    assert started(decisions) == ["1", "3"]
    assert codes(decisions) == {"2": {"never_fits"}}
    assert decisions.reservation is None


def test_a_gang_of_the_whole_cluster_does_not_starve_behind_small_jobs() -> None:
    small = [job(i, time_s=HOUR, cpus=4, submitted_at=float(i)) for i in range(2, 60)]
    whole = job(7000, nodes=4, cpus=8, time_s=HOUR, submitted_at=8.5)
    simulation = Simulation(nodes(4), queues(), [*small, whole], {})
    times = simulation.start_times()
    assert times["7000"] == HOUR
    assert len(times) == 59


def test_it_does_not_starve_when_nobody_states_a_limit() -> None:
    jobs = [job(1, cpus=4), *(job(i, cpus=4, submitted_at=10.0) for i in range(3, 40))]
    whole = job(2, nodes=2, cpus=8, submitted_at=5.0)
    simulation = Simulation(nodes(2), queues(), jobs, {})
    simulation.step()
    simulation.jobs.append(whole)
    assert started(simulation.step()) == []
    while simulation.pass_time() and "2" not in started(simulation.step()):
        assert all(s.job_id in {"1", "2"} or s.started_at in {None, 0.0} for s in simulation.jobs)
    assert simulation.now == HOUR


def test_busy_and_held_accelerators_are_avoided() -> None:
    mine = running(job(1, gpus=1), share(gpus=[4]))
    decisions = decide(cluster(node(gpus=8, busy=[1])), queues(), [mine, job(2, gpus=5)], 0.0)
    assert decisions.starts[0].allocation[0].accelerators == tuple(f"nvidia:{i}" for i in (0, 2, 3, 5, 6))


def test_neighbouring_accelerators_are_preferred_and_order_is_natural() -> None:
    decisions = decide(cluster(node(gpus=12, busy=[1])), queues(), [job(1, gpus=10)], 0.0)
    assert decisions.starts[0].allocation[0].accelerators == tuple(f"nvidia:{i}" for i in range(2, 12))


def test_accelerators_used_from_outside_are_named_and_idle_nobody() -> None:
    observed = cluster(node(gpus=2, busy=[0]))
    decisions = decide(observed, queues(), [job(1, gpus=2), job(2, gpus=1)], 0.0)
    assert started(decisions) == ["2"]
    assert decisions.waits[0].blockers[0].code == "accelerators_busy"
    assert "nvidia:0 on n1 (pid 100)" in decisions.waits[0].blockers[0].found


def test_once_the_outside_lets_go_the_job_is_not_overtaken_any_more() -> None:
    other = running(job(2, gpus=1), share(gpus=[1]))
    decisions = decide(cluster(node(gpus=2)), queues(), [other, job(1, gpus=2), job(3, gpus=1)], 0.0)
    assert started(decisions) == []
    assert codes(decisions) == {"1": {"resources"}, "3": {"reserved_for_earlier_job"}}


def test_jobs_wait_for_nodes_out_of_service_without_stopping_others() -> None:
    observed = cluster(node("a"), node("b", state="drained"))
    decisions = decide(observed, queues(), [job(1, nodes=2), job(2, cpus=8)], 0.0)
    assert started(decisions) == ["2"]
    assert codes(decisions) == {"1": {"node_state"}}
    assert "b drained" in decisions.waits[0].blockers[0].found


def test_cpus_held_outside_are_not_sold() -> None:
    decisions = decide(cluster(node(foreign_cpus=5)), queues(), [job(1, cpus=4), job(2, cpus=3)], 0.0)
    assert started(decisions) == ["2"]
    assert codes(decisions) == {"1": {"resources"}}


def test_jobs_of_cpus_alone_leave_nodes_with_accelerators_alone() -> None:
    observed = cluster(node("gpu", cpus=4, gpus=4), node("plain", cpus=64))
    decisions = decide(observed, queues(), [job(1, cpus=2), job(2, cpus=62), job(3, cpus=4)], 0.0)
    assert [start.allocation[0].node for start in decisions.starts] == ["plain", "plain", "gpu"]


def test_memory_counts_and_no_limit_reserves_none() -> None:
    observed = cluster(node(gib=10))
    decisions = decide(observed, queues(), [job(1, gib=6), job(2, gib=6), job(3, gib=4), job(4)], 0.0)
    assert started(decisions) == ["1", "4"]
    alone = decide(observed, queues(), [job(1, gib=6), job(3, gib=4), job(4)], 0.0)
    assert started(alone) == ["1", "3", "4"]


def test_order_is_priority_then_queue_then_age_then_submission() -> None:
    some = queues(Queue(name="default"), Queue(name="fast", priority=5), age=2.0)
    jobs = [
        job(13, submitted_at=HOUR),
        job("12_10", submitted_at=HOUR),
        job("12_3", submitted_at=HOUR),
        job(9, submitted_at=HOUR),
        job(20, submitted_at=HOUR, priority=6),
        job(21, submitted_at=HOUR, queue="fast"),
        job(22, submitted_at=0.0, priority=-1),
    ]
    decisions = decide(nodes(1), some, jobs, HOUR)
    assert started(decisions) == ["20", "21", "22", "9", "12_3", "12_10", "13"]


def test_backfill_runs_what_ends_in_time_or_keeps_away() -> None:
    first = running(job(1, cpus=6, time_s=HOUR), share("n0", cpus=6))
    jobs = [
        first,
        job(2, cpus=7, time_s=HOUR),
        job(3, cpus=1, time_s=2 * HOUR),
        job(4, cpus=1, time_s=2 * HOUR),
        job(5, cpus=1, time_s=HOUR / 2),
    ]
    decisions = decide(nodes(1), queues(), jobs, 0.0)
    assert started(decisions) == ["3", "5"]
    assert codes(decisions) == {"2": {"resources"}, "4": {"reserved_for_earlier_job"}}
    assert decisions.reservation is not None
    assert (decisions.reservation.job_id, decisions.reservation.at) == ("2", HOUR)
    assert decisions.waits[0].blockers[0].jobs == ("1",)
    assert decisions.waits[0].blockers[0].until == HOUR


def test_grace_counts_as_run_time() -> None:
    jobs = [
        running(job(1, cpus=6, time_s=100.0, grace_s=30.0), share("n0", cpus=6)),
        job(2, cpus=8, time_s=10.0),
        job(3, cpus=1, time_s=100.0, grace_s=31.0),
        job(4, cpus=1, time_s=100.0, grace_s=30.0),
    ]
    decisions = decide(nodes(1), queues(), jobs, 0.0)
    assert started(decisions) == ["4"]
    assert decisions.reservation is not None and decisions.reservation.at == 130.0


def test_the_default_time_of_a_queue_limits_its_jobs() -> None:
    some = queues(Queue(name="default", default_time_s=60.0))
    jobs = [running(job(1, cpus=6), share("n0", cpus=6)), job(2, cpus=8), job(3, time_s=61.0), job(4)]
    decisions = decide(nodes(1), some, jobs, 0.0)
    assert decisions.reservation is not None and decisions.reservation.at == 60.0
    assert started(decisions) == ["4"]


def test_an_overdue_job_is_taken_to_end_in_a_moment() -> None:
    jobs = [running(job(1, cpus=8, time_s=100.0), share("n0", cpus=8)), job(2, cpus=8)]
    decisions = decide(nodes(1), queues(), jobs, 5000.0)
    assert decisions.reservation is not None and decisions.reservation.at == 5001.0


def test_the_reservation_takes_the_nodes_that_are_free_first() -> None:
    jobs = [
        running(job(1, cpus=8, time_s=300.0), share("n0", cpus=8)),
        running(job(2, cpus=8, time_s=100.0), share("n1", cpus=8)),
        running(job(3, cpus=8, time_s=200.0), share("n2", cpus=8)),
        job(4, nodes=2, cpus=8),
    ]
    decisions = decide(nodes(3), queues(), jobs, 0.0)
    assert decisions.reservation is not None
    assert (decisions.reservation.at, decisions.reservation.nodes) == (200.0, ("n1", "n2"))


def test_held_jobs_and_back_off_wait_and_time_wakes() -> None:
    jobs = [job(1, held=True), job(2, not_before=90.0), job(3, not_before=70.0), job(4, not_before=5.0)]
    decisions = decide(nodes(1), queues(), [*jobs, job(5, held=True, not_before=60.0)], 50.0)
    assert started(decisions) == ["4"]
    waits = {"1": {"held"}, "2": {"backoff"}, "3": {"backoff"}, "5": {"held", "backoff"}}
    assert codes(decisions) == waits
    assert decisions.wake_at == 70.0


@pytest.mark.parametrize(
    ("condition", "state", "outcome"),
    [
        ("afterok", "RUNNING", "waits"),
        ("afterok", "COMPLETED", "starts"),
        ("afterok", "TIMEOUT", "cancelled"),
        ("afternotok", "PENDING", "waits"),
        ("afternotok", "FAILED", "starts"),
        ("afternotok", "COMPLETED", "cancelled"),
        ("afterany", "COMPLETING", "waits"),
        ("afterany", "CANCELLED", "starts"),
    ],
)
def test_dependencies(condition: Condition, state: JobState, outcome: str) -> None:
    other = job(1, state=state, held=True)
    decisions = decide(nodes(1), queues(), [other, job(2, after=[("1", condition)])], 0.0)
    assert ("2" in started(decisions)) == (outcome == "starts")
    assert [cancel.job_id for cancel in decisions.cancels] == (["2"] if outcome == "cancelled" else [])
    assert codes(decisions).get("2") == ({"dependency"} if outcome == "waits" else None)


def test_an_array_is_all_of_its_elements() -> None:
    done = [job("1_0", state="COMPLETED"), job("1_1", state="COMPLETED"), job("11_0", state="FAILED")]
    depends = job(2, after=[("1", "afterok")])
    assert started(decide(nodes(1), queues(), [*done, depends], 0.0)) == ["2"]
    waiting = decide(nodes(1), queues(), [*done, job("1_2", held=True), depends], 0.0)
    assert waiting.waits[-1].blockers[0].jobs == ("1_2",)
    failed = decide(nodes(1), queues(), [*done, job("1_2", state="FAILED"), depends], 0.0)
    assert [cancel.reason for cancel in failed.cancels] == [
        "depends on job 1_2 to complete, but that is FAILED"
    ]


def test_what_depends_on_an_unknown_job_or_itself_is_cancelled() -> None:
    jobs = [job(1, after=[("77", "afterany")]), job("2_0", after=[("2", "afterok")])]
    decisions = decide(nodes(1), queues(), jobs, 0.0)
    assert {cancel.job_id for cancel in decisions.cancels} == {"1", "2_0"}


def test_throttle_counts_running_elements_and_those_of_this_pass() -> None:
    elements = [job(f"5_{i}", throttle=3) for i in range(1, 6)]
    decisions = decide(
        nodes(1), queues(), [running(job("5_0", throttle=3), share("n0")), *elements, job(6)], 0.0
    )
    assert started(decisions) == ["5_1", "5_2", "6"]
    assert codes(decisions)["5_4"] == {"throttle"}


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        (Queue(name="default", max_running_jobs=2), ["2"]),
        (Queue(name="default", max_cpus=4), ["2"]),
        (Queue(name="default", max_gpus=2), ["2", "4"]),
    ],
)
def test_queue_limits_count_what_runs_and_what_starts(queue: Queue, expected: list[str]) -> None:
    observed = cluster(node("n0", cpus=64, gpus=8))
    jobs = [running(job(1, cpus=2, gpus=1), share("n0", cpus=2, gpus=[0])), job(2, cpus=2, gpus=1)]
    jobs += [job(3, cpus=2, gpus=1), job(4, cpus=2)]
    decisions = decide(observed, queues(queue), jobs, 0.0)
    assert started(decisions) == expected
    assert set().union(*codes(decisions).values()) == {"queue_limit"}


def test_a_large_job_does_not_starve_within_the_limits_of_its_queue() -> None:
    some = queues(Queue(name="default", max_gpus=4), Queue(name="free"))
    jobs = [
        running(job(1, gpus=3), share("n0", gpus=[0, 1, 2])),
        job(2, gpus=4),
        job(3, gpus=1),
        job(4),
        job(5, gpus=1, queue="free"),
    ]
    decisions = decide(cluster(node("n0", gpus=8)), some, jobs, 0.0)
    assert started(decisions) == ["4", "5"]
    assert "4 set aside for an earlier job" in decisions.waits[1].blockers[0].found


def test_a_reservation_covers_the_limits_of_the_queue() -> None:
    some = queues(Queue(name="default", max_cpus=8), Queue(name="free"))
    other = running(job(1, cpus=4, queue="free", time_s=100.0), share("n0", cpus=4))
    jobs = [other, job(2, nodes=2, cpus=4), job(3, cpus=1), job(4, cpus=1, queue="free")]
    observed = cluster(node("n0", cpus=4), node("n1", cpus=12))
    decisions = decide(observed, some, jobs, 0.0)
    assert started(decisions) == ["4"]
    assert codes(decisions) == {"2": {"fragmentation"}, "3": {"queue_limit"}}


def test_a_job_of_an_unknown_queue_waits() -> None:
    decisions = decide(nodes(1), queues(Queue(name="a"), Queue(name="b")), [job(1, queue="c")], 0.0)
    assert str(decisions.waits[0].blockers[0]) == "queue: found c; expected one of a, b"


def test_what_can_never_start_is_told_before_it_waits() -> None:
    observed = cluster(node(gpus=2, busy=[0, 1], state="down"))
    some = queues(Queue(name="default", max_gpus=4, max_time_s=60.0))
    assert fits_ever(observed, some, job(1, gpus=2, time_s=60.0).job) == ()
    refused = fits_ever(observed, some, job(1, gpus=5).job)
    assert [blocker.where for blocker in refused] == [
        "queue default: max_gpus",
        "queue default: max_time_s",
        "nodes",
    ]
    assert [blocker.code for blocker in fits_ever(observed, some, job(1, queue="x").job)] == ["no_such_queue"]


def test_jobs_wait_while_their_queue_forbids_them() -> None:
    some = queues(Queue(name="default", max_cpus=4))
    decisions = decide(nodes(1), some, [job(1, cpus=5), job(2, cpus=4)], 0.0)
    assert started(decisions) == ["2"]
    assert decisions.waits[0].blockers[0].found == "the job asks 5"


def test_a_gang_counts_all_its_nodes_against_the_accelerators_of_its_queue() -> None:
    limited = queues(Queue(name="default", max_gpus=8))
    decisions = decide(nodes(4, gpus=4), limited, [job(1, nodes=3, gpus=4), job(2, nodes=2, gpus=4)], 0.0)
    assert [start.job_id for start in decisions.starts] == ["2"]


def test_a_job_that_is_being_ended_makes_room_after_its_grace() -> None:
    active = running(job(1, cpus=8, time_s=10 * HOUR, grace_s=30), share("n1", cpus=8))
    ending = structs.replace(active, state="COMPLETING")
    decisions = decide(cluster(node()), queues(), [ending, job(2, cpus=8)], 100.0)
    assert decisions.reservation is not None
    assert decisions.reservation.at == 130.0


def test_an_array_of_which_one_completed_may_still_fail() -> None:
    after = job(3, after=[("1", "afternotok")])
    jobs = [job("1_0", state="COMPLETED"), job("1_1", state="RUNNING"), after]
    assert not decide(nodes(1), queues(), jobs, 0.0).cancels
