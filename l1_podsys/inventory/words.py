"""The words by which lists of hosts call what a cluster's document knows; a word of nobody's is no word."""

import re
from collections.abc import Mapping
from functools import cache

from l1_podsys.schemas import NodeGroup

__all__ = ["FIELDS", "class_group", "field_of", "role_of", "variable_of", "why_not"]

FIELDS: Mapping[str, tuple[str, ...]] = {
    "name": (
        "name",
        "hostname",
        "host",
        "node",
        "nodename",
        "server",
        "servername",
        "machine",
        "主机名",
        "节点",
    ),
    "address": (
        *("address", "ip", "ipaddress", "ipaddr", "ipv4", "ipv4address", "hostip", "nodeip"),
        *("mgmtip", "managementip", "managementaddress", "mgmtaddress", "sship", "ip地址", "管理ip"),
    ),
    "bmc_address": (
        *("bmc", "bmcaddress", "bmcip", "ipmi", "ipmiaddress", "ipmiip", "ilo", "iloip", "idrac", "idracip"),
        *("oob", "oobip", "redfish", "redfiship", "带外ip"),
    ),
    "mac": ("mac", "macaddress", "macaddr", "hwaddr", "pxemac", "bootmac", "mac地址"),
    "serial": ("serial", "serialnumber", "serialno", "sn", "servicetag", "序列号"),
    "uuid": ("uuid", "systemuuid"),
    "rack": ("rack", "rackname", "cabinet", "机柜"),
    "rack_unit": ("rackunit", "unit", "u", "ru", "position", "u位"),
    "node_class": ("nodeclass", "class", "nodetype", "type", "profile"),
    "roles": ("roles", "role", "function"),
    "user": ("user", "username", "sshuser", "login"),
    "port": ("port", "sshport"),
    "identity_file": ("identityfile", "keyfile", "sshkey", "privatekey"),
    "proxy_jump": ("proxyjump", "jumphost", "bastion"),
    "gateway": ("gateway", "gw", "网关"),
    "fabric_address": ("ipoib", "ipoibaddress", "ibip", "ibaddress"),
}
"""Fields and how their columns are called, without case, blanks and signs."""

VARIABLES: Mapping[str, str] = {
    "ansible_host": "address",
    "ansible_ssh_host": "address",
    "ansible_port": "port",
    "ansible_ssh_port": "port",
    "ansible_user": "user",
    "ansible_ssh_user": "user",
    "ansible_private_key_file": "identity_file",
    "ansible_ssh_private_key_file": "identity_file",
    "ansible_become": "sudo",
    "ansible_ssh_common_args": "ssh_args",
    "ansible_ssh_extra_args": "ssh_args",
    "ogai_node_class": "node_class",
    "ogai_roles": "roles",
}
"""Variables of Ansible, and two of our own exports."""

ROLES: Mapping[str, tuple[str, ...]] = {
    "head": (
        "head",
        "controller",
        "control",
        "master",
        "manager",
        "mgmt",
        "management",
        "slurmctld",
        "slurmserver",
    ),
    "login": ("login", "submit", "frontend", "access"),
    "compute": ("compute", "worker", "slurmd", "slurmexechost", "slurmnode", "gpu", "client"),
    "storage": ("storage", "nfs", "nfsserver", "fileserver", "slurmnfs"),
}

CLASS = "class_"
SECRET = ("pass", "secret", "token", "vault")
OURS = frozenset(
    ["base", "containers", "munge", "names", "prometheus", "runtime", "slurm", "storage", "time", "users"]
)
"""What variables of our own roles begin with."""

DECIDED = frozenset(
    ["ansible_python_interpreter", "ansible_become_method", "ansible_become_user", "ansible_connection"]
)
"""Variables that ogai decides about by itself."""


@cache
def field_of(word: str) -> str | None:
    """Name the field that a column's title means; None when it means none."""
    plain = re.sub(r"[^\w]|_", "", word.casefold())
    return next((field for field, words in FIELDS.items() if plain in words), None)


@cache
def variable_of(name: str) -> str | None:
    """Name the field that a variable means; None when it means none."""
    if name in VARIABLES:
        return VARIABLES[name]
    field = field_of(name)
    return None if name.startswith("ansible_") or field in ("name", "user", "port", "gateway") else field


@cache
def role_of(word: str) -> str | None:
    """Name the role that a word means (`masters`, `slurm-master`, `compute_nodes`); None when it means none."""
    plain = re.sub(r"(nodes?|hosts?)$", "", re.sub(r"[\W_]", "", word.casefold())) or word.casefold()
    tried = (
        plain,
        plain.removesuffix("s"),
        plain.removeprefix("slurm"),
        plain.removeprefix("slurm").removesuffix("s"),
    )
    return next((role for role, words in ROLES.items() if any(one in words for one in tried)), None)


def why_not(name: str) -> str:
    """Say why a word that means no field does not come into the document."""
    if name in DECIDED or (name.isidentifier() and name.partition("_")[0] in OURS):
        return "ogai sees to this by itself"
    if any(word in name.casefold() for word in SECRET):
        return "secrets are not kept in documents; sudo's password is asked for, or taken from OGAI_SUDO_PASSWORD"
    return "no field of a cluster's document means this"


def class_group(group: NodeGroup) -> str:
    """Name the group of a class in an Ansible inventory."""
    return CLASS + re.sub(r"\W", "_", group.node_class)
