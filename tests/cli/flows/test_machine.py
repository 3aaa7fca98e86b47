"""This machine in the engine's words: sizes are kept for one boot, and unknown users of a device make it busy."""

from pathlib import Path

import msgspec
import pytest

from l0_infra.schemas import Accelerator, AcceleratorProcess
from ogai.flows.machine import MachineProbe, Size, boot_id, describe


@pytest.mark.parametrize(
    ("processes", "busy"),
    [
        (None, "processes that the vendor's tool does not tell"),
        ((), None),
        ((AcceleratorProcess(pid=7), AcceleratorProcess(pid=9)), "pid 7, 9"),
    ],
)
def test_a_device_is_free_only_if_nobody_is_known_to_use_it(
    processes: tuple[AcceleratorProcess, ...] | None, busy: str | None
) -> None:
    found = describe(Accelerator(id="amd:0", vendor="amd", index=0, model="X1", processes=processes))
    assert (found.id, found.model, found.busy) == ("amd:0", "X1", busy)


def test_a_size_counts_for_the_boot_it_was_measured_in(tmp_path: Path) -> None:
    size = Size(boot_id=boot_id(), name="n1", cpus=4, memory_bytes=2**34)
    probe = MachineProbe(tmp_path)
    assert probe.load() is None
    probe.file.write_bytes(msgspec.json.encode(size))
    assert probe.load() == size
    probe.file.write_bytes(msgspec.json.encode(msgspec.structs.replace(size, boot_id="an earlier boot")))
    assert probe.load() is None
