"""Which switches the nodes hang on, from what is at the ends of their cables; compared with what was written."""

from l1_podsys.switches.askers import fabric_ports
from l1_podsys.switches.compare import Misplaced, compare_switches
from l1_podsys.switches.find import find_switches, with_switches
from l1_podsys.switches.found import Conflict, FoundSwitches
from l1_podsys.switches.rails import Heard, Rail, rails_of, remember

__all__ = [
    "Conflict",
    "FoundSwitches",
    "Heard",
    "Misplaced",
    "Rail",
    "compare_switches",
    "fabric_ports",
    "find_switches",
    "rails_of",
    "remember",
    "with_switches",
]
