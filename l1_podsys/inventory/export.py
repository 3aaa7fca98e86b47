"""A cluster as an Ansible inventory: its groups, how hosts are reached, and what roles are told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from shlex import quote
from typing import TYPE_CHECKING

import msgspec

from l0_infra.core.nodeset import natural_key
from l0_infra.schemas import Node
from l1_podsys.bringup import cluster_members, controller_name
from l1_podsys.inventory.words import class_group
from l1_podsys.schemas import Cluster, Ssh

if TYPE_CHECKING:
    from yaml import SafeDumper, ScalarNode

__all__ = ["render_inventory"]

GROUPS = ("head", "login", "compute", "storage")


class _Unsafe(str):
    """A text that Ansible must not take for a template."""

    __slots__ = ()


def render_inventory(cluster: Cluster, variables: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """Write an inventory in YAML. `variables`: what roles are told on each node, each as JSON text.

    What (nearly) all nodes are told alike stands with their group, what differs with the host.
    """
    members = cluster_members(cluster)
    told = {name: (variables or {}).get(name, {}) for name in members}
    compute = [name for name, member in members.items() if "compute" in member.places]
    for_all, left = _lift(told, list(members))
    for_compute, left = _lift(left, compute)
    children = _children(cluster)
    if for_compute:
        children["compute"]["vars"] = _decoded(for_compute)
    nodes = sorted(
        (node for group in cluster.nodes for node in group.listed()), key=lambda one: natural_key(one.name)
    )
    hosts = {node.name: {**_known(node), **_decoded(left[node.name])} for node in nodes}
    return _dump(
        {"all": {"vars": {**_reach(cluster.ssh), **_decoded(for_all)}, "hosts": hosts, "children": children}}
    )


def _children(cluster: Cluster) -> dict[str, dict[str, dict[str, object]]]:
    """Make the groups: the controller's, one for each role, one for each class."""
    found: dict[str, dict[str, dict[str, object]]] = {"controller": {"hosts": {controller_name(cluster): {}}}}
    for group in cluster.nodes:
        for place in (*(place for place in GROUPS if place in group.roles), class_group(group)):
            hosts = found.setdefault(place, {"hosts": {}})["hosts"]
            hosts.update({node.name: {} for node in group.listed()})
    return found


def _known(node: Node) -> dict[str, object]:
    known = {
        "ansible_host": node.address,
        "bmc_address": node.bmc_address,
        **{key: getattr(node, key) for key in ("serial", "mac", "uuid", "rack", "rack_unit")},
        "ogai_node_class": node.node_class if node.node_class != "default" else None,
    }
    return {key: _text(value) for key, value in known.items() if value}


def _reach(ssh: Ssh) -> dict[str, object]:
    options = {"ProxyJump": ssh.proxy_jump, "UserKnownHostsFile": ssh.known_hosts_file}
    args = " ".join(f"-o {quote(f'{name}={value}')}" for name, value in options.items() if value)
    known: dict[str, object] = {
        "ansible_user": ssh.user,
        "ansible_port": ssh.port,
        "ansible_ssh_private_key_file": ssh.identity_file,
        "ansible_ssh_common_args": args,
    }
    return {"ansible_become": ssh.sudo, **{name: _text(value) for name, value in known.items() if value}}


def _decoded(variables: Mapping[str, str]) -> dict[str, object]:
    return {name: _text(msgspec.json.decode(text)) for name, text in variables.items()}


def _text(value: object) -> object:
    """Mark texts that hold what Ansible would take for a template."""
    if isinstance(value, str):
        return _Unsafe(value) if "{{" in value or "{%" in value else value
    if isinstance(value, list):
        return [_text(one) for one in value]
    return {key: _text(one) for key, one in value.items()} if isinstance(value, dict) else value


def _lift(
    told: Mapping[str, Mapping[str, str]], names: Sequence[str]
) -> tuple[Mapping[str, str], dict[str, dict[str, str]]]:
    """Take out what every one of these is told and most are told alike; what differs stays with the host."""
    left = {name: dict(values) for name, values in told.items()}
    lifted: dict[str, str] = {}
    for variable in told[names[0]] if len(names) > 1 else ():
        texts = Counter(told[name].get(variable) for name in names)
        text, count = texts.most_common(1)[0]
        if None not in texts and text is not None and count * 2 > len(names):
            lifted[variable] = text
            for name in names:
                if left[name][variable] == text:
                    del left[name][variable]
    return lifted, left


def _dump(whole: object) -> str:
    import yaml

    class InventoryDumper(yaml.SafeDumper):
        def ignore_aliases(self, data: object) -> bool:
            return True

    def unsafe(dumper: SafeDumper, text: _Unsafe) -> ScalarNode:
        return dumper.represent_scalar("!unsafe", str(text), style='"')

    def plain(dumper: SafeDumper, text: str) -> ScalarNode:
        style = "|" if text.count("\n") > 1 and not text.startswith((" ", "\n")) else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    InventoryDumper.add_representer(_Unsafe, unsafe)
    InventoryDumper.add_representer(str, plain)
    text: str = yaml.dump(whole, Dumper=InventoryDumper, sort_keys=False, allow_unicode=True, width=2**20)
    return text
