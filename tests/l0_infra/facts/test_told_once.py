"""What a broken driver does to every command of a tool is told once, and nothing else is lost."""

import pytest

from l0_infra.facts.bundle import HUNG, Answer
from l0_infra.facts.probe import SOURCES
from tests.support.facts import facts_of, said

NO_DRIVER = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"
MISMATCH = "Failed to initialize NVML: Driver/library version mismatch\n"
ASKED = [
    source.name for source in SOURCES if source.program == "nvidia-smi" and "nvidia-smi" in source.command
]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(said(NO_DRIVER, code=9), "failed"), (said(MISMATCH, code=18), "driver mismatch"), (HUNG, "hung")],
)
def test_a_broken_driver_is_told_once(answer: Answer, reason: str) -> None:
    facts = facts_of(dict.fromkeys(ASKED, answer))
    assert [(one.what, one.reason) for one in facts.unread] == [("nvidia-smi", reason)]


def test_a_command_that_fails_by_itself_is_told_too() -> None:
    facts = facts_of(
        dict.fromkeys(ASKED, said(NO_DRIVER, code=9)) | {"topo-m.txt": said("no memory\n", code=1)}
    )
    assert [one.what for one in facts.unread] == ["nvidia-smi", "nvidia-smi topo -m"]
