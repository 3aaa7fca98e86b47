"""The kernel's log: what it tells of accelerators, fabrics, memory and disks, and how often links were lost."""

from l0_infra.facts.kernel_log.clock import BOOT_TIME
from l0_infra.facts.kernel_log.events import find_events
from l0_infra.facts.kernel_log.flaps import Flaps, count_flaps
from l0_infra.facts.kernel_log.log import KernelLog, parse_log
from l0_infra.facts.kernel_log.source import LOG

__all__ = ["SOURCES", "Flaps", "KernelLog", "count_flaps", "find_events", "parse_log"]

SOURCES = (LOG, BOOT_TIME)
