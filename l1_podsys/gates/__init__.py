"""Whether a cluster's nodes are fit for work: what is asked of them, how it is judged, who is taken out of work."""

from l1_podsys.gates.breaker import GATE, DrainDecision, decide_drains
from l1_podsys.gates.burnin import judge_meanwhile, worst_of
from l1_podsys.gates.catalogue import CHECKS, Check, verdict
from l1_podsys.gates.clock import Offset, probe_offset
from l1_podsys.gates.conduct import MeasuredCluster, measure_cluster
from l1_podsys.gates.events import forget_events
from l1_podsys.gates.medium import describe_rate
from l1_podsys.gates.observe import observe_cluster
from l1_podsys.gates.probe import probe_scene
from l1_podsys.gates.quick import Scene, in_order, judge_quick
from l1_podsys.gates.reach import Reach, needs_sudo
from l1_podsys.gates.record import GateRecord, load_record, save_record
from l1_podsys.gates.view import Member, NodeView, controller_of, members_of
from l1_podsys.gates.watch import Round, watch_health

__all__ = [
    "CHECKS",
    "GATE",
    "Check",
    "DrainDecision",
    "GateRecord",
    "MeasuredCluster",
    "Member",
    "NodeView",
    "Offset",
    "Reach",
    "Round",
    "Scene",
    "controller_of",
    "decide_drains",
    "describe_rate",
    "forget_events",
    "in_order",
    "judge_meanwhile",
    "judge_quick",
    "load_record",
    "measure_cluster",
    "members_of",
    "needs_sudo",
    "observe_cluster",
    "probe_offset",
    "probe_scene",
    "save_record",
    "verdict",
    "watch_health",
    "worst_of",
]
