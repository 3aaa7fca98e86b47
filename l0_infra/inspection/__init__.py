"""What is wrong with nodes: rules as data, judged by pure functions."""

from l0_infra.inspection.diff import Difference, diff_facts
from l0_infra.inspection.judge import judge_node
from l0_infra.inspection.load import load_rules
from l0_infra.inspection.odd import judge_class

__all__ = ["Difference", "diff_facts", "judge_class", "judge_node", "load_rules"]
