"""What the fabric manager's log complains of, each complaint once, with the lines that belong to it."""

from pathlib import Path

from l0_infra.facts.nvidia import parse_fabric_manager
from l0_infra.schemas import FabricManagerEvent
from tests.support.nvidia_answers import answers

LOG = Path(__file__).parents[3] / "cases/nvidia/fabricmanager.log"


def test_complaints_of_the_fabric_manager_with_the_lines_that_belong_to_them() -> None:
    told = parse_fabric_manager(answers({"fabricmanager.log": LOG.read_text()}))
    assert told is not None and told.software_version is None
    assert told.events == (
        FabricManagerEvent(
            level="ERROR",
            text="Fabric Manager detected GPU NVL Fatal error on :"
            " moduleId 5 gpuGuid 0x7C0A8727AFC3C611 errorCode 0x06",
            last_at="Oct 13 2025 18:14:38",
        ),
        FabricManagerEvent(level="WARNING", text="retrying", count=2, last_at="Oct 13 2025 18:15:03"),
        FabricManagerEvent(
            level="ERROR",
            text="fabric manager NVIDIA GPU driver interface version 550.127.05"
            " don't match with driver version 550.120.",
            last_at="Oct 13 2025 18:16:00",
        ),
    )


def test_no_log_is_no_fabric_manager_and_an_empty_one_has_no_complaint() -> None:
    assert parse_fabric_manager(answers({})) is None
    told = parse_fabric_manager(answers({"fabricmanager.log": ""}))
    assert told is not None and told.events == ()


def test_of_many_complaints_the_latest_are_kept() -> None:
    lines = "".join(f"[Oct 13 2025 18:14:38] [ERROR] [tid 2] trouble {n}\n" for n in range(60))
    told = parse_fabric_manager(answers({"fabricmanager.log": lines}))
    assert told is not None and [event.text for event in told.events] == [
        f"trouble {n}" for n in range(10, 60)
    ]
