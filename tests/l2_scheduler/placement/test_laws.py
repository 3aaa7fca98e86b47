"""What holds for every cluster and every set of jobs."""

from math import inf
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from l1_podsys.schemas import ClusterState, NodeState
from l2_scheduler.placement import Decisions, decide, fits_ever
from l2_scheduler.schemas import FINAL_STATES, JobStatus, Queue
from tests.l2_scheduler.placement.make import (
    HOUR,
    Simulation,
    check_not_oversold,
    cluster,
    job,
    node,
    nodes,
    queues,
    running,
    started,
)

QUEUES = queues(
    Queue(name="default"),
    Queue(name="short", priority=2, default_time_s=50.0),
    Queue(name="small", max_running_jobs=2, max_cpus=6, max_gpus=2),
)


IDS = ("1", "2", "3_0", "3_1", "3_2", "4", "5", "6", "7", "8", "9", "10")
NOW = 1000.0
World = tuple[ClusterState, list[JobStatus]]


def a_cluster(random: Random) -> ClusterState:
    return cluster(*(a_node(random, f"n{place}") for place in range(random.randint(1, 5))))


def a_node(random: Random, name: str) -> NodeState:
    return node(
        name,
        cpus=random.randint(1, 8),
        gpus=random.choice([0, 0, 2, 4]),
        gib=random.randint(1, 8),
        busy=random.choice([(), (), (1,), (0, 3)]),
        state="drained" if random.random() < 0.1 else "idle",
        foreign_cpus=random.choice([0, 0, 1]),
    )


def a_job(random: Random, job_id: str) -> JobStatus:
    return job(
        job_id,
        cpus=random.choice([1, 1, 2, 3, 5, 8]),
        nodes=random.choice([1, 1, 1, 2, 3]),
        gpus=random.choice([0, 0, 0, 1, 2, 4]),
        gib=random.choice([None, None, 1, 3, 6]),
        time_s=random.choice([None, 10.0, 40.0, 100.0, 300.0]),
        queue=random.choice(["default", "default", "default", "short", "small"]),
        priority=random.randint(-2, 2),
        submitted_at=random.choice([0.0, 10.0, NOW]),
        throttle=random.choice([None, 1, 2]),
        held=random.random() < 0.1,
        not_before=random.choice([None, None, None, NOW + 50.0, NOW - 10.0]),
        after=random.choice(6 * [()] + [(("1", "afterany"),), (("2", "afterok"),), (("99", "afterok"),)]),
    )


def some_jobs(random: Random) -> list[JobStatus]:
    """Jobs of all kinds; the elements of array 3 are alike, as those of any array."""
    element = a_job(random, "3_0").job
    jobs = [a_job(random, job_id) for job_id in IDS]
    return [structs.replace(s, job=element) if s.job_id.startswith("3_") else s for s in jobs]


def a_world(random: Random) -> World:
    """A cluster in the middle of its work: some jobs run where `decide` put them, more have come since."""
    observed, jobs = a_cluster(random), some_jobs(random)
    known = random.randint(0, 6)
    early = jobs[:known]
    begun = after(early, decide(observed, QUEUES, early, NOW), random.choice([500.0, 950.0, NOW]))
    return observed, begun + jobs[known:]


# Drawn by seed: a world has hundreds of choices, which hypothesis draws a hundred times slower one by one.
seeds = st.integers(0, 2**64)
worlds = seeds.map(lambda seed: a_world(Random(seed)))


def a_contended_world(random: Random) -> World:
    """A world in which a job has a reservation whose time is known."""
    while True:
        observed, jobs = a_world(random)
        reservation = decide(observed, QUEUES, jobs, NOW).reservation
        if reservation is not None and reservation.at is not None:
            return observed, jobs


contended_worlds = seeds.map(lambda seed: a_contended_world(Random(seed)))


def after(jobs: list[JobStatus], decisions: Decisions, begun: float = NOW) -> list[JobStatus]:
    """The jobs once those that `decide` starts were started."""
    allocations = {start.job_id: start.allocation for start in decisions.starts}
    return [
        running(s, *allocations[s.job_id], started_at=begun) if s.job_id in allocations else s for s in jobs
    ]


@settings(deadline=None)
@given(worlds)
def test_nothing_is_oversold_and_nothing_runs_where_it_must_not(
    world: World,
) -> None:
    observed, jobs = world
    decisions = decide(observed, QUEUES, jobs, NOW)
    check_not_oversold(observed, after(jobs, decisions))
    idle = {place.name for place in observed.nodes if place.state == "idle"}
    assert all(share.node in idle for start in decisions.starts for share in start.allocation)


@settings(deadline=None)
@given(worlds)
def test_a_gang_is_whole_or_nothing(world: World) -> None:
    observed, jobs = world
    asked = {status.job_id: status.job.resources for status in jobs}
    for start in decide(observed, QUEUES, jobs, NOW).starts:
        resources = asked[start.job_id]
        assert len({share.node for share in start.allocation}) == len(start.allocation) == resources.nodes
        for share in start.allocation:
            assert share.cpus == resources.cpus_per_task
            assert share.memory_bytes == (resources.memory_bytes_per_node or 0)
            assert len(share.accelerators) == resources.gpus_per_node


@settings(deadline=None)
@given(worlds)
def test_each_pending_job_has_exactly_one_answer(world: World) -> None:
    observed, jobs = world
    decisions = decide(observed, QUEUES, jobs, NOW)
    answered = [*decisions.starts, *decisions.cancels, *decisions.waits]
    assert sorted(answer.job_id for answer in answered) == sorted(
        s.job_id for s in jobs if s.state == "PENDING"
    )
    assert all(wait.blockers for wait in decisions.waits)


@settings(deadline=None)
@given(worlds, seeds)
def test_the_order_of_the_input_does_not_matter(world: World, seed: int) -> None:
    observed, jobs = world
    shuffled = list(jobs)
    Random(seed).shuffle(shuffled)
    assert decide(observed, QUEUES, jobs, NOW) == decide(observed, QUEUES, shuffled, NOW)


@settings(deadline=None)
@given(worlds)
def test_a_pass_that_was_carried_out_starts_nothing_more(
    world: World,
) -> None:
    observed, jobs = world
    first = decide(observed, QUEUES, jobs, NOW)
    second = decide(observed, QUEUES, after(jobs, first), NOW)
    assert second.starts == ()


@settings(max_examples=300, deadline=None)
@given(worlds | contended_worlds)
def test_backfill_never_moves_the_reservation_back(world: World) -> None:
    observed, jobs = world
    with_backfill = decide(observed, QUEUES, jobs, NOW)
    if with_backfill.reservation is None:
        return
    first = with_backfill.reservation.job_id
    later = decide(observed, QUEUES, after(jobs, with_backfill), NOW)
    assert later.reservation is not None and later.reservation.job_id == first
    assert (later.reservation.at or inf) <= (with_backfill.reservation.at or inf)


@settings(max_examples=300, deadline=None)
@given(contended_worlds)
def test_the_first_waiting_job_starts_no_later_than_without_any_backfill(world: World) -> None:
    """Play both worlds with jobs that use all of their limit: the one with backfill and the one without."""
    observed, jobs = world
    decisions = decide(observed, QUEUES, jobs, NOW)
    assert decisions.reservation is not None
    head = decisions.reservation.job_id
    overtakers = {start.job_id for start in decisions.starts if start.reason.startswith("backfill")}
    known = [
        status for status in after(jobs, decisions) if status.state == "RUNNING" or status.job_id == head
    ]
    promised = _start_of(head, observed, known)
    alone = _start_of(head, observed, [status for status in known if status.job_id not in overtakers])
    assert promised <= alone


def _start_of(head: str, observed: ClusterState, jobs: list[JobStatus]) -> float:
    """When the only waiting job starts, if all others take the whole of their limit."""
    jobs = [structs.replace(s, job=structs.replace(s.job, depends_on=())) for s in jobs]
    ends = {s.job_id: _end(s) for s in jobs if s.state == "RUNNING"}
    for now in sorted({NOW, *(max(end, NOW) for end in ends.values())}):
        left = [structs.replace(s, state="COMPLETED") if ends.get(s.job_id, inf) <= now else s for s in jobs]
        if head in started(decide(observed, QUEUES, left, now)):
            return now
    return inf


def _end(status: JobStatus) -> float:
    limit = status.job.limits.time_s
    if limit is None:
        limit = 50.0 if status.job.queue == "short" else inf
    return (status.started_at or 0.0) + limit


@settings(deadline=None)
@given(worlds, st.integers(0, 4), st.integers(1, 8), st.integers(0, 2))
def test_more_of_a_node_never_stops_the_first_job(
    world: World, place: int, cpus: int, extra_nodes: int
) -> None:
    observed, jobs = world
    active = [status for status in jobs if status.state == "RUNNING"]
    for first in (status for status in jobs if status.state == "PENDING"):
        alone = [*active, structs.replace(first, job=structs.replace(first.job, depends_on=()))]
        if started(decide(observed, QUEUES, alone, NOW)):
            assert started(decide(_larger(observed, place, cpus, extra_nodes), QUEUES, alone, NOW))


def _larger(observed: ClusterState, place: int, cpus: int, extra_nodes: int) -> ClusterState:
    larger = list(observed.nodes)
    place %= len(larger)
    larger[place] = structs.replace(larger[place], cpus=larger[place].cpus + cpus)
    return cluster(*larger, *(node(f"extra{i}", cpus=cpus) for i in range(extra_nodes)))


@settings(deadline=None)
@given(seeds)
def test_what_can_ever_fit_starts_once_all_is_well(seed: int) -> None:
    random = Random(seed)
    observed, asked = a_cluster(random), a_job(random, "1")
    runs = started(decide(all_well(observed), QUEUES, [unbound(asked)], NOW)) == ["1"]
    assert runs == (fits_ever(observed, QUEUES, asked.job) == ())


def all_well(observed: ClusterState) -> ClusterState:
    """The same nodes in service, with nobody else on them."""
    return cluster(
        *(
            structs.replace(
                place,
                state="idle",
                foreign_cpus=0,
                accelerators=tuple(structs.replace(a, busy=None) for a in place.accelerators),
            )
            for place in observed.nodes
        )
    )


def unbound(status: JobStatus) -> JobStatus:
    """The same job with nothing but resources and limits to wait for."""
    return structs.replace(
        status, held=False, not_before=None, job=structs.replace(status.job, depends_on=())
    )


@settings(max_examples=25, deadline=None)
@given(
    large=st.integers(2, 3),
    limit=st.sampled_from([None, HOUR, 3 * HOUR]),
    stream_limit=st.sampled_from([None, HOUR]),
    lead=st.integers(1, 20),
    runs=st.lists(st.floats(HOUR / 2, HOUR), min_size=1, max_size=8),
)
def test_no_job_starves_behind_a_stream_of_better_ones(
    large: int, limit: float | None, stream_limit: float | None, lead: int, runs: list[float]
) -> None:
    """Eight better jobs an hour for nodes that serve six at most: age brings the gang to its turn.

    At four points an hour it is ahead of all that come `lead / 4` hours after it, and waits for those before.
    """
    gang = job("0", nodes=large, cpus=2, time_s=limit)
    coming = [
        job(n, cpus=2, time_s=stream_limit, priority=lead, submitted_at=max(0.0, (n - 6) * HOUR / 8))
        for n in range(1, 400)
    ]
    times = {status.job_id: runs[int(status.job_id) % len(runs)] for status in coming}
    simulation = Simulation(nodes(3, cpus=2), queues(age=4.0), [gang], times)
    while True:
        simulation.jobs += [s for s in coming if s.submitted_at <= simulation.now]
        coming = [s for s in coming if s.submitted_at > simulation.now]
        if "0" in started(simulation.step()):
            break
        assert simulation.now <= 40 * HOUR and simulation.pass_time()
    ahead = 6 + 8 * lead / 4
    assert simulation.now <= (ahead / 3 + 2) * HOUR


@settings(max_examples=50, deadline=None)
@given(worlds)
def test_every_job_that_fits_ends_in_the_end(world: World) -> None:
    observed, jobs = world
    simulation = Simulation(
        all_well(observed), QUEUES, list(map(unbound, jobs)), dict.fromkeys(IDS, 9.0), now=NOW
    )
    simulation.start_times()
    never = {s.job_id for s in jobs if fits_ever(observed, QUEUES, s.job)}
    assert {s.job_id for s in simulation.jobs if s.state not in FINAL_STATES} == never
