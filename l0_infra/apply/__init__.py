"""Carry out plans: a ledger of what is done on each node, batches of nodes, ansible-playbook for their roles."""

from l0_infra.apply.ansible import find_ansible
from l0_infra.apply.carry_out import apply_plan
from l0_infra.apply.keys import role_key
from l0_infra.apply.ledger import Entry, Ledger, RunRecord
from l0_infra.apply.left import Left, judge_left, things_of
from l0_infra.apply.progress import Ended, OnProgress, Progress
from l0_infra.apply.site import Host, Site

__all__ = [
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
    "find_ansible",
    "judge_left",
    "role_key",
    "things_of",
]
