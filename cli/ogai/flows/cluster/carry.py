"""Carry out what was prepared: the ledger, ansible-playbook, then one more look that says what to find next time."""

import os
import time
from collections.abc import Mapping, Sequence

import msgspec

from l0_infra import Ended, Host, Ledger, OnProgress, RunRecord, Site, apply_plan, find_ansible
from l0_infra.core.exec import LocalRunner, Secret
from l0_infra.schemas import ApplyRole
from l1_podsys.schemas import Ssh
from ogai.flows.cluster.brought import Brought, NodeBrought, Trouble
from ogai.flows.cluster.nodes import Nodes
from ogai.flows.cluster.prepare import Prepared
from ogai.flows.cluster.survey import look_at_things
from ogai.flows.node.targets import Target

__all__ = ["SILENCE_S", "brought_of", "carry_out", "need_ansible", "not_done"]

SILENCE_S = 900.0
PYTHON = "/usr/bin/python3"
REACH = "ssh"
"""Stands for the step that failed on a node that could not be looked at."""


def carry_out(
    prepared: Prepared,
    nodes: Nodes,
    ledger: Ledger,
    what: str,
    *,
    sudo: bool,
    password: Secret | None = None,
    silence_s: float = SILENCE_S,
    on_progress: OnProgress = lambda progress: None,
) -> Brought:
    """Do what is left of a plan; where nothing is left, nothing is started.

    Raises UsageError when there is no ansible-playbook.
    """
    began = time.monotonic()
    ledger.note_found(prepared.left.adopted)
    if not prepared.left.reasons:
        return brought_of(prepared, "", (), (), 0.0)
    run = _run_id()
    site = _site(prepared, nodes, run, sudo=sudo, password=password, silence_s=silence_s)
    ledger.begin_run(RunRecord(id=run, what=what, began_at=time.time()))
    outcome = "interrupted"
    try:
        done = {step.id for step in prepared.plan.steps if step.id not in prepared.left.reasons}
        ended = apply_plan(
            prepared.plan,
            ledger,
            site,
            run,
            done=done,
            unfinished=_unfinished(prepared),
            lost=prepared.lost,
            on_progress=on_progress,
        )
        unsound = _look_again(prepared, nodes, ledger, ended, sudo=sudo)
        outcome = "failed" if unsound or any(one.state != "done" for one in ended) else "done"
    finally:
        ledger.end_run(run, time.time(), outcome)
    return brought_of(prepared, run, ended, unsound, time.monotonic() - began)


def need_ansible(prepared: Prepared) -> str:
    """Find what applies roles, where any is left to be applied. Raises UsageError when there is none."""
    needed = any(isinstance(step.action, ApplyRole) for step in prepared.steps_left)
    return find_ansible() if needed else ""


def not_done(prepared: Prepared) -> Brought:
    """Sum up a plan that is not carried out: what is left of it is held."""
    ended = [Ended(step=step, state="held", message="not carried out") for step in prepared.steps_left]
    return msgspec.structs.replace(brought_of(prepared, "", ended, (), 0.0), troubles=())


def brought_of(
    prepared: Prepared, run: str, ended: Sequence[Ended], unsound: Sequence[Trouble], seconds: float
) -> Brought:
    """Sum up, by node, how steps ended."""
    by_node: dict[str, list[Ended]] = {name: [] for name in prepared.names}
    for one in ended:
        by_node[one.step.node].append(one)
    total = dict.fromkeys(prepared.names, 0)
    for step in prepared.plan.steps:
        total[step.node] += 1
    troubles = [
        Trouble(
            node=one.step.node,
            name=REACH if one.step.node in prepared.lost and one.state == "failed" else _name(one),
            state=one.state,
            message=one.message,
            task=one.task.partition(" : ")[2] or one.task,
            log=one.log,
        )
        for one in ended
        if one.state != "done"
    ]
    return Brought(
        cluster=prepared.cluster.name,
        run=run,
        seconds=round(seconds, 1),
        nodes=tuple(
            _node(name, ends, total[name], name in prepared.lost, any(one.node == name for one in unsound))
            for name, ends in by_node.items()
        ),
        troubles=(*troubles, *unsound),
        folder=str(prepared.place.run(run)) if run else "",
    )


def _node(name: str, ends: Sequence[Ended], total: int, lost: bool, unsound: bool) -> NodeBrought:
    done, failed, held = ([one for one in ends if one.state == state] for state in ("done", "failed", "held"))
    state = "unreachable" if lost else "failed" if failed or unsound else "held" if held else "ready"
    return NodeBrought(
        name=name,
        state=state,  # type: ignore[arg-type]  # one of its words
        held_already=total - len(ends),
        done=len(done),
        failed=0 if lost else len(failed),
        held=len(held),
        changed=sum(one.changed for one in done),
        seconds=round(sum(one.seconds for one in done), 1),
    )


def _name(one: Ended) -> str:
    return one.step.action.role if isinstance(one.step.action, ApplyRole) else one.step.id.partition(":")[2]


def _unfinished(prepared: Prepared) -> Mapping[str, Sequence[str]]:
    """Name the roles that were begun or failed before: their handlers are owed."""
    owed: dict[str, list[str]] = {}
    for entry in prepared.entries.values():
        if entry.state != "done":
            owed.setdefault(entry.node, []).append(entry.name)
    return owed


def _look_again(
    prepared: Prepared, nodes: Nodes, ledger: Ledger, ended: Sequence[Ended], *, sudo: bool
) -> tuple[Trouble, ...]:
    """Note what was found of the roles that are done now, and tell what of it does not hold."""
    done = [one.step for one in ended if one.state == "done" and one.step.id in prepared.things]
    names = list(dict.fromkeys(step.node for step in done))
    looks = look_at_things(prepared.plan, prepared.things, names, nodes, sudo=sudo)
    seen = [step for step in done if step.node in looks]
    ledger.note_found({step.id: looks[step.node].of(prepared.things[step.id]) for step in seen})
    return tuple(
        Trouble(
            node=step.node,
            name=step.id.partition(":")[2],
            state="unsound",
            message=f"it is done, and yet {fault}",
        )
        for step in seen
        for fault in looks[step.node].faults(prepared.things[step.id])
    )


def _site(
    prepared: Prepared, nodes: Nodes, run: str, *, sudo: bool, password: Secret | None, silence_s: float
) -> Site:
    return Site(
        hosts={name: _host(nodes.targets[name], prepared.cluster.ssh, sudo=sudo) for name in prepared.names},
        runner=nodes.runner,
        control=LocalRunner(),
        roles=prepared.roles.by_name,
        folder=prepared.place.run(run),
        program=need_ansible(prepared),
        password=password,
        guard=prepared.place.guard,
        silence_s=silence_s,
    )


def _host(target: Target, ssh: Ssh, *, sudo: bool) -> Host:
    options = {
        "ansible_host": target.address,
        "ansible_user": ssh.user,
        "ansible_port": ssh.port,
        "ansible_ssh_private_key_file": ssh.identity_file,
        "ansible_ssh_common_args": _ssh_arguments(ssh),
        "ansible_python_interpreter": PYTHON,
        "ansible_become": sudo,
    }
    variables = {name: value for name, value in options.items() if value not in (None, "")}
    return Host(name=str(target.name), variables=variables, sudo=sudo)


def _ssh_arguments(ssh: Ssh) -> str:
    words = []
    if ssh.known_hosts_file is not None:
        words.append(f'-o UserKnownHostsFile="{ssh.known_hosts_file}"')
    if ssh.proxy_jump is not None:
        words.append(f"-o ProxyJump={ssh.proxy_jump}")
    return " ".join(words)


def _run_id() -> str:
    return f"{time.strftime('%Y%m%d-%H%M%S')}-{os.urandom(2).hex()}"
