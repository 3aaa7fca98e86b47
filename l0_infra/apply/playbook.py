"""What ansible-playbook is given for one batch: inventory, playbook and settings; pure.

They are JSON, which Ansible reads as it reads YAML, and lie side by side, so that a person can start the same by hand.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from l0_infra.apply.board import Batch
from l0_infra.apply.site import Host
from l0_infra.roles import RoleSheet
from l0_infra.schemas import ApplyRole, Step

__all__ = ["END", "UNFINISHED", "render_inventory", "render_playbook", "render_settings"]

END = "ogai: all roles are done"
"""Name of the task after the last role, by whose beginning the last role is known to be over."""

UNFINISHED = "ogai_unfinished"
"""Variable of a node: roles that were ended midway before, whose handlers run whatever changes now."""

MARKS = ("{{", "{%", "{#")


def render_inventory(
    batch: Batch, hosts: Mapping[str, Host], unfinished: Mapping[str, Sequence[str]]
) -> bytes:
    """Write the nodes and their variables; what all nodes share is written once."""
    own = {node: _variables(steps) for node, steps in batch.steps.items()}
    shared = _shared(list(own.values()))
    nodes = {
        node: {
            **hosts[node].variables,
            **({UNFINISHED: list(unfinished[node])} if unfinished.get(node) else {}),
            **{name: _raw(text) for name, text in own[node].items() if name not in shared},
        }
        for node in batch.steps
    }
    common = {UNFINISHED: msgspec.Raw(b"[]"), **{name: _raw(text) for name, text in shared.items()}}
    return msgspec.json.encode({"all": {"vars": common, "hosts": nodes}})


def render_playbook(
    batch: Batch, roles: Mapping[str, RoleSheet], unfinished: Mapping[str, Sequence[str]]
) -> bytes:
    """Write one play: the roles in their order, each with its handlers run before the next begins."""
    stopped = {role for names in unfinished.values() for role in names}
    tasks = [task for role in batch.names for task in _tasks(role, roles[role], role in stopped)]
    play = {
        "name": f"ogai: {', '.join(batch.names)}",
        "hosts": "all",
        "gather_facts": False,
        "strategy": "ansible.builtin.free",
        "tasks": [*tasks, {"name": END, "ansible.builtin.debug": {"msg": ""}}],
    }
    return msgspec.json.format(msgspec.json.encode([play]), indent=1)


def render_settings(roles: Sequence[Path], plugins: Path, forks: int) -> str:
    """Write ansible.cfg, so that nobody's own settings change what happens."""
    return "\n".join(
        (
            "[defaults]",
            f"roles_path = {':'.join(map(str, roles))}",
            f"callback_plugins = {plugins / 'callback'}",
            f"library = {plugins / 'modules'}",
            "stdout_callback = ogai_events",
            f"forks = {forks}",
            "host_key_checking = True",
            "retry_files_enabled = False",
            "interpreter_python = auto_silent",
            "localhost_warning = False",
            "timeout = 60",
            "[inventory]",
            "inventory_unparsed_warning = False",
            "[ssh_connection]",
            "pipelining = True",
            "retries = 2",
            "ssh_args = -C -o ControlMaster=auto -o ControlPersist=60s -o ServerAliveInterval=15"
            " -o ServerAliveCountMax=4 -o BatchMode=yes",
            "",
        )
    )


def _tasks(role: str, sheet: RoleSheet, stopped: bool) -> Iterator[dict[str, object]]:
    yield {"name": f"ogai: {role}", "ansible.builtin.import_role": {"name": role}}
    if stopped and sheet.handlers:
        yield {
            "name": f"ogai: what is left of {role}",
            "ansible.builtin.debug": {"msg": ""},
            "changed_when": True,
            "when": f"'{role}' in {UNFINISHED}",
            "notify": list(sheet.handlers),
        }
    yield {"name": f"ogai: handlers of {role}", "ansible.builtin.meta": "flush_handlers"}


def _variables(steps: Sequence[Step]) -> dict[str, str]:
    return {
        name: text
        for step in steps
        if isinstance(step.action, ApplyRole)
        for name, text in step.action.variables.items()
    }


def _shared(nodes: Sequence[Mapping[str, str]]) -> dict[str, str]:
    first, *others = nodes
    if not others:
        return {}
    return {name: text for name, text in first.items() if all(one.get(name) == text for one in others)}


def _raw(text: str) -> object:
    """Take a variable's JSON as it is; texts that Ansible would take for a template are marked not to be one."""
    if any(mark in text for mark in MARKS):
        return _unsafe(msgspec.json.decode(text))
    return msgspec.Raw(text.encode())


def _unsafe(value: object) -> object:
    if isinstance(value, str):
        return {"__ansible_unsafe": value}
    if isinstance(value, list):
        return [_unsafe(one) for one in value]
    if isinstance(value, dict):
        return {name: _unsafe(one) for name, one in value.items()}
    return value
