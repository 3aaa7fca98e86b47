"""What the embedded engine costs beside `nohup`, task-spooler and systemd-run, all measured in the same run."""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from _lab import Lab, median_ms, print_table, seconds
from _spooler import Spooler

from l2_scheduler.local.book import Book
from l2_scheduler.local.queue import JobQueue
from l2_scheduler.local.world import cluster_of
from l2_scheduler.placement import decide
from l2_scheduler.schemas import Array, Queues

Row = tuple[str, float | None, str]
NOT_HERE = "not installed here"


@dataclass(frozen=True, kw_only=True, slots=True)
class Scale:
    """How much is measured."""

    rounds: int
    waiting: int
    singles: int
    spooled: int
    tiny: int
    sleeps: int


FULL = Scale(rounds=40, waiting=10_000, singles=200, spooled=900, tiny=1_000, sleeps=40)
QUICK = Scale(rounds=5, waiting=1_000, singles=20, spooled=100, tiny=50, sleeps=4)


def main() -> None:
    """Print four tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small numbers, to see that it works")
    parser.add_argument(
        "--sleeps", type=int, help="how many one-second jobs; 1,000 take 8 minutes a row on 2 CPUs"
    )
    given = parser.parse_args()
    scale = QUICK if given.quick else FULL
    scale = replace(scale, sleeps=given.sleeps or scale.sleeps)
    with Lab.open() as lab:
        spooler = Spooler(lab.folder, lab.cpus)
        if spooler.installed:
            spooler.start()
        print_table(f"submit → running, median of {scale.rounds}", latency(lab, spooler, scale), unit="ms")
        print_table("no-op jobs, per job", overhead(lab, spooler, scale), unit="ms")
        title = f"what is lost of a CPU's time per job, {scale.sleeps} jobs of one second, {lab.cpus} at once"
        print_table(title, sleeps(lab, spooler, scale), unit="ms")
        print_table(f"a queue of {scale.waiting:,} waiting jobs", crowd(lab, spooler, scale), unit="ms")
        if spooler.installed:
            spooler.stop()


def latency(lab: Lab, spooler: Spooler, scale: Scale) -> list[Row]:
    """From the keystroke to the job's first instruction."""
    up = lab.say_up

    def timed(act: Callable[[], object]) -> float:
        return median_ms(lambda: lab.until_up(act), scale.rounds)

    background = ["sh", "-c", 'nohup "$@" >/dev/null 2>&1 &', "sh", *up]
    rows: list[Row] = [
        ("nohup X &", timed(lambda: subprocess.run(background, check=True)), ""),
        ("tsp X", timed(lambda: spooler.run("-n", *up)) if spooler.installed else None, NOT_HERE),
    ]
    rows += [systemd_row(lab, timed)]
    rows += [
        ("ogai job submit -- X", timed(lambda: lab.ogai("job", "submit", "--", *up)), ""),
        ("  of it, python -c pass", median_ms(start_python, scale.rounds), ""),
        ("ogai.job.submit from Python", timed(lambda: lab.submit(*up)), "the engine's own share"),
    ]
    return [(name, number, note if number is None or note != NOT_HERE else "") for name, number, note in rows]


def start_python() -> float:
    return seconds(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))


def systemd_row(lab: Lab, timed: Callable[[Callable[[], object]], float]) -> Row:
    """Measure systemd-run where a systemd is in charge."""
    if not Path("/run/systemd/system").is_dir():
        return ("systemd-run X", None, "no systemd is running here")
    command = ["systemd-run", "--quiet", *lab.say_up]
    return ("systemd-run X", timed(lambda: subprocess.run(command, check=True)), "")


def overhead(lab: Lab, spooler: Spooler, scale: Scale) -> list[Row]:
    """What a job costs that does nothing, one after the other or as many as there are CPUs."""
    count = scale.tiny
    loop = f"i=0; while [ $i -lt {count} ]; do /bin/true; i=$((i+1)); done"

    def spool() -> None:
        spooler.repeat(count, "-n", "true")
        spooler.run("-w")

    def array() -> None:
        lab.engine.wait(lab.submit("true", array=Array(indices=f"0-{count - 1}"))[:1], 600)
        lab.engine.wait((), 600)

    return [
        (
            "a shell's loop",
            seconds(lambda: subprocess.run(["sh", "-c", loop], check=True)) / count * 1000,
            "",
        ),
        (
            "tsp",
            seconds(spool) / count * 1000 if spooler.installed else None,
            "" if spooler.installed else NOT_HERE,
        ),
        (f"ogai, array of {count:,}", seconds(array) / count * 1000, ""),
    ]


def sleeps(lab: Lab, spooler: Spooler, scale: Scale) -> list[Row]:
    """What is lost between jobs that take a second: the time all took, times the CPUs, less the seconds slept."""
    count = scale.sleeps

    def lost_ms(run: Callable[[], object]) -> float:
        return (seconds(run) * lab.cpus / count - 1) * 1000

    def spool() -> None:
        spooler.repeat(count, "-n", "sleep", "1")
        for number in spooler.run("-l").split("\n"):
            if "sleep 1" in number:
                spooler.run("-w", number.split()[0])

    def array() -> None:
        lab.submit("sleep", "1", array=Array(indices=f"0-{count - 1}"))
        lab.engine.wait((), 3600)

    xargs = f"seq {count} | xargs -P {lab.cpus} -n 1 sh -c 'exec sleep 1'"
    return [
        ("xargs -P", lost_ms(lambda: subprocess.run(["sh", "-c", xargs], check=True)), ""),
        ("tsp", lost_ms(spool) if spooler.installed else None, "" if spooler.installed else NOT_HERE),
        ("ogai, one array", lost_ms(array), ""),
    ]


def crowd(lab: Lab, spooler: Spooler, scale: Scale) -> list[Row]:
    """What the verbs cost while many jobs wait; all but one CPU are taken, and each of the crowd wants them all."""
    rows: list[Row] = []
    if lab.cpus > 1:
        lab.until_up(lambda: lab.submit("sh", "-c", f"echo > {lab.fifo}; sleep 900", cpus=lab.cpus - 1))
    indices = Array(indices=f"0-{scale.waiting - 1}")
    crowd_ids: list[tuple[str, ...]] = []

    def submit_crowd() -> None:
        crowd_ids.append(lab.submit("true", cpus=lab.cpus, array=indices))

    def submit_singles() -> None:
        crowd_ids.extend(lab.submit("true", cpus=lab.cpus) for _ in range(scale.singles))

    rows.append((f"submit them as one array of {scale.waiting:,}", seconds(submit_crowd) * 1000, "API"))
    rows.append(
        (f"submit one more (mean of {scale.singles})", seconds(submit_singles) / scale.singles * 1000, "API")
    )
    rows.append(("submit → running, of higher priority", urgent_ms(lab, scale), "API; beside the waiting"))
    rows += [list_row(lab, "list all", "--all"), list_row(lab, "list all as JSON", "--all", "-o", "json")]
    rows += decide_rows(lab)
    number = crowd_ids[0][0].partition("_")[0]
    rows.append(("cancel them all", seconds(lambda: lab.ogai("job", "cancel", number)) * 1000, "CLI"))
    return rows + (spooled_crowd(spooler, scale) if spooler.installed else [("tsp", None, NOT_HERE)])


def list_row(lab: Lab, name: str, *flags: str) -> Row:
    return name, median_ms(lambda: seconds(lambda: lab.ogai("job", "list", *flags)), 3), "CLI"


def urgent_ms(lab: Lab, scale: Scale) -> float:
    return median_ms(
        lambda: lab.until_up(lambda: lab.submit(*lab.say_up, priority=1000)), min(10, scale.rounds)
    )


def decide_rows(lab: Lab) -> list[Row]:
    """Measure what the agent does at each turn, and once at its start."""
    queue, book = JobQueue(lab.engine.layout), Book()
    load_ms = seconds(lambda: book.refresh(queue)) * 1000
    cluster, jobs = cluster_of(lab.engine.probe(), ()), book.relevant()
    decide_ms = median_ms(lambda: seconds(lambda: decide(cluster, Queues(), jobs, time.time())), 5)
    queue.close()
    return [
        ("agent: read the whole queue", load_ms, "once"),
        ("agent: one decide pass", decide_ms, "each turn"),
    ]


def spooled_crowd(spooler: Spooler, scale: Scale) -> list[Row]:
    """The same with task-spooler, with fewer: from 1,000 on its clients wait."""
    spooler.block()
    spool_ms = seconds(lambda: spooler.repeat(scale.spooled, "-n", "true")) / scale.spooled * 1000
    list_ms = median_ms(lambda: seconds(lambda: spooler.run("-l")), 3)
    return [
        (f"tsp: submit one more (mean of {scale.spooled:,})", spool_ms, "CLI"),
        (f"tsp: list {scale.spooled:,}", list_ms, "CLI"),
    ]


if __name__ == "__main__":
    main()
