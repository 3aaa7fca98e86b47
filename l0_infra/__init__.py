"""One node: its facts, its base system, its drivers, what is wrong with it."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from l0_infra.apply import (
        Ended,
        Entry,
        Host,
        Ledger,
        Left,
        OnProgress,
        Progress,
        RunRecord,
        Site,
        apply_plan,
        find_ansible,
        judge_left,
        role_key,
        things_of,
    )
    from l0_infra.devices import load_devices, match_device
    from l0_infra.evidence import NodeEvidence, facts_of, probe_evidence, read_bundle, save_bundle
    from l0_infra.facts.accelerators import probe_accelerators
    from l0_infra.facts.fabric_map import probe_fabric_map
    from l0_infra.facts.probe import probe_node, probe_size
    from l0_infra.inspection import Difference, diff_facts, judge_class, judge_node, load_rules
    from l0_infra.provision import Provisioned, plan_provision
    from l0_infra.roles import (
        UNTOLD,
        Item,
        Look,
        RoleSheet,
        load_roles,
        look_command,
        parse_look,
        role_folder,
        undo_command,
    )

__all__ = [
    "UNTOLD",
    "Difference",
    "Ended",
    "Entry",
    "Host",
    "Item",
    "Ledger",
    "Left",
    "Look",
    "NodeEvidence",
    "OnProgress",
    "Progress",
    "Provisioned",
    "RoleSheet",
    "RunRecord",
    "Site",
    "apply_plan",
    "diff_facts",
    "facts_of",
    "find_ansible",
    "judge_class",
    "judge_left",
    "judge_node",
    "load_devices",
    "load_roles",
    "load_rules",
    "look_command",
    "match_device",
    "parse_look",
    "plan_provision",
    "probe_accelerators",
    "probe_evidence",
    "probe_fabric_map",
    "probe_node",
    "probe_size",
    "read_bundle",
    "role_folder",
    "role_key",
    "save_bundle",
    "things_of",
    "undo_command",
]

_HOME = {
    "load_devices": "l0_infra.devices",
    "match_device": "l0_infra.devices",
    "probe_accelerators": "l0_infra.facts.accelerators",
    "probe_fabric_map": "l0_infra.facts.fabric_map",
    "probe_node": "l0_infra.facts.probe",
    "probe_size": "l0_infra.facts.probe",
    **dict.fromkeys(
        ("Difference", "diff_facts", "judge_class", "judge_node", "load_rules"), "l0_infra.inspection"
    ),
    **dict.fromkeys(
        (
            *(
                "Ended",
                "Entry",
                "Host",
                "Ledger",
                "Left",
                "OnProgress",
                "Progress",
                "RunRecord",
                "Site",
                "apply_plan",
            ),
            *("find_ansible", "judge_left", "role_key", "things_of"),
        ),
        "l0_infra.apply",
    ),
    **dict.fromkeys(("Provisioned", "plan_provision"), "l0_infra.provision"),
    **dict.fromkeys(
        (
            "UNTOLD",
            "Item",
            "Look",
            "RoleSheet",
            "load_roles",
            "look_command",
            "parse_look",
            "role_folder",
            "undo_command",
        ),
        "l0_infra.roles",
    ),
    **dict.fromkeys(
        ("NodeEvidence", "facts_of", "probe_evidence", "read_bundle", "save_bundle"), "l0_infra.evidence"
    ),
}


def __getattr__(name: str) -> object:
    """Import a name of the face when it is first used, so that importing the package costs nothing."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
