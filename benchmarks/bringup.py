"""What bringing a cluster up costs beside Ansible, and what a plan costs for thousands of nodes.

    python benchmarks/bringup.py [--nodes 5000] [--cluster lab.yaml [--renew COMMAND]] [--rounds 3]

Part one needs a cluster of real hosts that was not brought up yet (`ogai lab up` makes one) and is left out without
`--cluster`. The hosts are brought up by us, then looked at again; the same roles with the same variables are applied
by plain `ansible-playbook` after that, when nothing is left to change. With `--renew`, a shell command that makes the
hosts bare again (`ogai lab down lab; ogai lab up`), plain Ansible brings them up as well: then both are measured on
bare hosts, ours before any package is cached. Part two asks nobody: scripted nodes answer with what a server said.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parent.parent / "cli"))
sys.path.insert(0, str(Path(__file__).parent.parent))

from l0_infra import Entry, Ledger, find_ansible, judge_left
from l0_infra.apply.keys import parts_of
from l0_infra.core.documents import read_document
from l0_infra.schemas import ApplyRole, Plan
from l1_podsys import MUNGE_KEY, PASSWORD, Trait, cluster_members
from l1_podsys.schemas import Cluster
from ogai.flows import cluster as flow
from ogai.flows.cluster.place import ClusterPlace, place_of
from ogai.flows.cluster.planned import plan_cluster
from ogai.flows.cluster.prepare import prepare, settle
from tests.support.scripted_clusters import ROLES, ScriptedNodes, a_cluster

Value = TypeVar("Value")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--cluster", type=Path, default=None)
    parser.add_argument("--renew", default="")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.cluster is not None:
        beside_ansible(options.cluster, options.renew, options.rounds)
    with tempfile.TemporaryDirectory(prefix="ogai-bringup-") as folder:
        scripted(options.nodes, Path(folder))


def beside_ansible(file: Path, renew: str, rounds: int) -> None:
    """Bring real hosts up, and apply the same roles by hand."""
    first_s, brought = timed(lambda: flow.up(file, check=None))
    flow.raise_for_failed(brought)
    again_s = median(timed(lambda: flow.up(file, check=None))[0] for _ in range(rounds))
    cluster = read_document(file, expect=Cluster)
    files = by_hand(cluster, place_of(cluster.name))
    bare_s = plain_first(files, renew) if renew else None
    plain_s = median(timed(lambda: play(files))[0] for _ in range(rounds))
    print(f"{len(brought.nodes)} hosts, {brought.changed} changes")
    print(f"  ours, first run          {first_s:7.1f} s")
    if bare_s is not None:
        print(f"  ansible-playbook, first  {bare_s:7.1f} s  ours takes {first_s / bare_s:.2f} of it")
    print(f"  ours, nothing to change  {again_s:7.1f} s  {again_s / first_s:.2f} of the first")
    print(f"  ansible-playbook, same   {plain_s:7.1f} s  ours takes {again_s / plain_s:.2f} of it")


def plain_first(files: Path, renew: str) -> float:
    """Make the hosts bare again, and return how long plain Ansible needs to bring them up."""
    subprocess.run(["sh", "-ec", renew], check=True, stdout=subprocess.DEVNULL)
    return timed(lambda: play(files))[0]


def by_hand(cluster: Cluster, place: ClusterPlace) -> Path:
    """Write what a person would: one inventory with all variables, one play for the head, one for the others."""
    folder = Path(tempfile.mkdtemp(prefix="ogai-by-hand-"))
    inventories = sorted(place.folder.glob("runs/*/*/inventory.json"))
    hosts: dict[str, dict[str, object]] = {}
    roles: dict[str, list[str]] = {}
    for path in inventories:
        inventory = json.loads(path.read_text())["all"]
        for host, own in inventory["hosts"].items():
            hosts.setdefault(host, {}).update({**inventory["vars"], **own})
            play = json.loads(path.with_name("playbook.json").read_text())[0]
            names = [
                task["ansible.builtin.import_role"]["name"]
                for task in play["tasks"]
                if "ansible.builtin.import_role" in task
            ]
            roles.setdefault(host, []).extend(name for name in names if name not in roles.get(host, []))
    lead = next(iter(cluster_members(cluster)))
    groups = [(lead,), tuple(host for host in hosts if host != lead)]
    plays = [
        {"hosts": ",".join(group), "gather_facts": False, "roles": roles[group[0]]}
        for group in groups
        if group
    ]
    (folder / "inventory.json").write_text(json.dumps({"all": {"hosts": hosts}}))
    (folder / "playbook.json").write_text(json.dumps(plays))
    settings = (
        inventories[-1].with_name("ansible.cfg").read_text().replace("stdout_callback = ogai_events\n", "")
    )
    (folder / "ansible.cfg").write_text(settings)
    return folder


def play(folder: Path) -> None:
    """Run plain ansible-playbook, pipelined, a fork for each host."""
    subprocess.run(
        [find_ansible(), "-i", "inventory.json", "playbook.json"],
        cwd=folder,
        env={**os.environ, "ANSIBLE_CONFIG": str(folder / "ansible.cfg"), "LC_ALL": "C.UTF-8"},
        check=True,
        stdout=subprocess.DEVNULL,
    )


def scripted(count: int, folder: Path) -> None:
    """Plan for many nodes, write the ledger, and judge that nothing is left."""
    cluster, place = a_cluster(count), ClusterPlace(home=folder, name="pod")
    place.prepare()
    for name in (MUNGE_KEY, PASSWORD):
        (place.secrets / name).write_bytes(os.urandom(64))
    names = list(cluster_members(cluster))
    traits = {name: Trait(address=str(one.node.address)) for name, one in cluster_members(cluster).items()}
    before = peak_mib()
    plan_s, plan = timed(lambda: plan_cluster(cluster, place, names, ROLES, {}, traits, identity="1"))
    print(f"{count:,} nodes, {len(plan.steps):,} steps of {len(ROLES.by_name)} roles")
    print(f"  plan       {plan_s:6.2f} s  {1e6 * plan_s / len(plan.steps):5.1f} µs a step")
    with Ledger.at(place.ledger) as ledger, ScriptedNodes(cluster) as nodes:
        looked = prepare(cluster, place, names, nodes, ledger, roles=ROLES, sudo=False)
        first = settle(looked, nodes, sudo=False)
        entries = entries_of(first.plan)
        write_s, _ = timed(lambda: [ledger.save(entry) for entry in entries])
        print(f"  ledger     {write_s:6.2f} s  {len(entries) / write_s:,.0f} steps a second, each by itself")
        ledger.note_found(
            {step: first.looks[step.partition(":")[0]].of(things) for step, things in first.things.items()}
        )
        whole_s, again = timed(lambda: prepare(cluster, place, names, nodes, ledger, roles=ROLES, sudo=False))
        judge_s, left = timed(
            lambda: judge_left(again.plan, ledger.entries(names), again.looks, ROLES.by_name, again.things)
        )
    print(f"  judge      {judge_s:6.2f} s  ledger read and compared, {len(left.reasons)} steps left")
    print(f"  all of it  {whole_s:6.2f} s  with both looks at {len(names):,} scripted nodes")
    print(f"  memory     {peak_mib() - before:6.0f} MiB more at the peak")


def entries_of(plan: Plan) -> list[Entry]:
    """Take every step for done."""
    sheets = ROLES.by_name
    return [
        Entry(
            id=step.id,
            node=step.node,
            name=step.id.partition(":")[2],
            key=step.key,
            parts=parts_of(
                step, sheets[step.action.role].sha256 if isinstance(step.action, ApplyRole) else ""
            ),
            state="done",
        )
        for step in plan.steps
    ]


def timed(work: Callable[[], Value]) -> tuple[float, Value]:
    """Return the seconds that work took, and what it returned."""
    begun = time.perf_counter()
    value = work()
    return time.perf_counter() - begun, value


def peak_mib() -> float:
    """Return the most memory this process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
