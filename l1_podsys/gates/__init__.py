"""Whether a cluster's nodes are fit for work: what is asked of them, how it is judged, who is taken out of work."""

from l1_podsys.gates.catalogue import CHECKS, Check, verdict
from l1_podsys.gates.clock import Offset, probe_offset
from l1_podsys.gates.probe import probe_scene
from l1_podsys.gates.quick import Scene, judge_quick
from l1_podsys.gates.reach import Reach, needs_sudo
from l1_podsys.gates.view import Member, NodeView, controller_of, members_of

__all__ = [
    "CHECKS",
    "Check",
    "Member",
    "NodeView",
    "Offset",
    "Reach",
    "Scene",
    "controller_of",
    "judge_quick",
    "members_of",
    "needs_sudo",
    "probe_offset",
    "probe_scene",
    "verdict",
]
