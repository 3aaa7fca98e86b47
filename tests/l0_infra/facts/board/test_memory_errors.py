"""Memory errors by the kernel's controllers."""

from l0_infra.schemas import MemoryErrors
from tests.support.facts import facts_of

MC = "/sys/devices/system/edac/mc"
COUNTS = f"{MC}/mc0/ce_count:12\n{MC}/mc1/ce_count:0\n{MC}/mc0/ue_count:0\n{MC}/mc1/ue_count:1\n"
DIMMS = f"""\
{MC}/mc0/dimm3/dimm_ce_count:12
{MC}/mc0/dimm3/dimm_label:CPU_SrcID#0_MC#0_Chan#1_DIMM#0
{MC}/mc1/dimm0/dimm_ue_count:1
{MC}/mc1/dimm0/dimm_label:
"""


def errors(text: str) -> MemoryErrors:
    return facts_of({"edac.txt": text}).memory_errors


def test_controllers_are_added_up_and_modules_named() -> None:
    assert errors(COUNTS + DIMMS) == MemoryErrors(
        corrected=12, uncorrected=1, modules=("CPU_SrcID#0_MC#0_Chan#1_DIMM#0", "mc1/dimm0")
    )


def test_no_driver_is_not_no_error() -> None:
    assert errors("") == MemoryErrors()


def test_a_controller_that_does_not_tell_makes_the_sum_unknown() -> None:
    assert errors(COUNTS.replace("mc1/ce_count:0", "mc1/ce_count:x")) == MemoryErrors(uncorrected=1)
