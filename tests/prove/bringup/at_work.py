"""Nodes join, leave, are upgraded and replaced while work runs: every piece of it runs once, and to its end."""

import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import yaml

from bringup.stage import Stage, hold_all, until

__all__ = ["prove_changes_at_work"]

FOLDER = "/shared/proof"
SLEEPER = f"""#!/bin/sh
echo "$SLURM_JOB_ID begin $SLURM_RESTART_COUNT" >>{FOLDER}/log
sleep "$1"
echo "$SLURM_JOB_ID end" >>{FOLDER}/log
"""
FEED = f"""#!/bin/sh
number=0
while [ -e {FOLDER}/go ]; do
    number=$((number + 1))
    if [ $((number % 4)) = 0 ]; then
        srun --quiet --ntasks=1 {FOLDER}/sleeper $((number % 13 + 3)) || echo "srun $number: $?" >>{FOLDER}/refused &
    else
        sbatch --parsable --ntasks=1 --output=/dev/null {FOLDER}/sleeper $((number % 13 + 3)) \\
            >>{FOLDER}/submitted || echo "sbatch $number: $?" >>{FOLDER}/refused
    fi
    sleep 2
done
wait
"""
OPEN_FILES = 524288
REST_S = 600.0


def prove_changes_at_work(stage: Stage) -> None:
    """Widen a cluster by a host, upgrade it by shares, take the host out again, and put it in another's place."""
    with _work(stage):
        _add(stage)
        _upgrade(stage)
        _remove(stage)
        _replace(stage)
    _judge(stage)
    hold_all(stage)


@contextmanager
def _work(stage: Stage) -> Iterator[None]:
    """Have work come all the time, some by sbatch and some by srun."""
    head = stage.cluster.hosts[0]
    for name, text in (("sleeper", SLEEPER), ("feed", FEED)):
        write = f'mkdir -p {FOLDER}; printf %s "$0" >{FOLDER}/{name}; chmod 755 {FOLDER}/{name}; touch {FOLDER}/go'
        stage.cluster.said(head, "sh", "-c", write, text)
    feed: subprocess.Popen[str] = stage.cluster.start("lab", "exec", head, "--", f"{FOLDER}/feed")
    try:
        yield
    finally:
        stage.cluster.said(head, "rm", "-f", f"{FOLDER}/go")
        feed.communicate()


def _add(stage: Stage) -> None:
    stage.expect(
        "a lab gets one more host", stage.cluster.lab_up(len(stage.cluster.hosts) + 1, edit=False), 0
    )
    node, address = list(stage.cluster.addresses().items())[-1]
    added = stage.cluster.cluster("add", node, "--addresses", address, "--yes")
    stage.ledger.done["added at work"] += 1
    stage.expect("a node is added at work", added, 0)
    if added.out:
        touched = {one["name"] for one in added.json["nodes"]} - {stage.cluster.hosts[0], node}
        stage.check("only the new node and the controller are touched", *sorted(touched))


def _upgrade(stage: Stage) -> None:
    """Change what every node has."""
    wish = yaml.safe_load(stage.cluster.kept.read_text())
    wish["tuning"] = {**(wish.get("tuning") or {}), "open_files": OPEN_FILES}
    stage.cluster.document.write_text(yaml.safe_dump(wish, sort_keys=False))
    answer = stage.cluster.cluster("upgrade", str(stage.cluster.document), "--yes", "--share", "0.5")
    stage.ledger.done["upgraded at work"] += 1
    stage.expect("a cluster is upgraded at work", answer, 0)
    for node in stage.cluster.nodes:
        grep = f"grep -rlw {OPEN_FILES} /etc/security /etc/systemd || true"
        changed = stage.cluster.said(node, "sh", "-c", grep)
        stage.check("an upgrade changes every node", *([] if changed else [f"{node}: no file has the limit"]))


def _remove(stage: Stage) -> None:
    node = stage.cluster.nodes[-1]
    answer = stage.cluster.cluster("remove", node, "--wait", "600", "--yes")
    stage.ledger.done["removed at work"] += 1
    stage.expect("a node is removed at work", answer, 0)
    known = stage.cluster.slurm_states()
    stage.check("a removed node is forgotten", *([node] if node in known else []))


def _replace(stage: Stage) -> None:
    """Let the host that was taken out take the place of another, whose work ends first."""
    old, address = stage.cluster.nodes[-1], list(stage.cluster.addresses().values())[-1]
    stage.expect("a node is drained", stage.cluster.cluster("drain", old, "--reason", "it is swapped"), 0)
    idle = until(lambda: stage.cluster.slurm_states().get(old) == "drained", limit_s=REST_S)
    stage.check("a drained node runs empty", *([] if idle else [str(stage.cluster.slurm_states())]))
    stage.expect("a host is broken", stage.cluster.ogai("lab", "break", "power-off", old), 0)
    words = ("replace", old, "--address", address, "--yes", "--no-check")
    answer = stage.cluster.cluster(*words)
    stage.ledger.done["replaced at work"] += 1
    stage.expect("a node is replaced at work", answer, 0)
    alone = stage.cluster.said(
        stage.cluster.hosts[0], "srun", f"--nodelist={old}", "--immediate=120", "hostname"
    )
    stage.check("a replaced node takes work", *([] if alone == old else [alone]))


def _judge(stage: Stage) -> None:
    head = stage.cluster.hosts[0]
    rest = until(lambda: not stage.cluster.said(head, "squeue", "--noheader"), limit_s=REST_S)
    stage.check("the queue runs empty", *([] if rest else [stage.cluster.said(head, "squeue")]))
    log = [line.split() for line in stage.cluster.said(head, "cat", f"{FOLDER}/log").splitlines()]
    submitted = stage.cluster.said(head, "cat", f"{FOLDER}/submitted").split()
    refused = stage.cluster.said(head, "sh", "-c", f"cat {FOLDER}/refused 2>/dev/null || true")
    begun, ended = (Counter(words[0] for words in log if words[1] == word) for word in ("begin", "end"))
    ids = {*submitted, *begun}
    stage.ledger.done["pieces of work"] += len(ids)
    stage.ledger.check("no submission is refused", refused.splitlines(), times=len(ids))
    wrong = [
        f"{one}: begun {begun[one]}, ended {ended[one]} times"
        for one in ids
        if begun[one] != 1 or ended[one] != 1
    ]
    stage.ledger.check("work runs once and to its end", sorted(wrong), times=len(ids))
    states = Counter(
        stage.cluster.said(
            head, "sacct", "--allocations", "--noheader", "--parsable2", "--format=State"
        ).split()
    )
    stage.check(
        "accounting says that all work is completed",
        *(f"{n} {s}" for s, n in states.items() if s != "COMPLETED"),
    )
