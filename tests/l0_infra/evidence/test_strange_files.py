"""Bundles from strangers: what is no text, no file or no time neither stops the look nor passes for an answer."""

import gzip
import io
import os
import tarfile
import tracemalloc
from pathlib import Path

import pytest

from l0_infra.core.errors import UsageError
from l0_infra.evidence import facts_of, read_bundle
from l0_infra.evidence.files import MOST_FILE_BYTES
from l0_infra.inspection import judge_node, load_rules

XID = "[   12.500000] NVRM: Xid (PCI:0000:3b:00): 48, pid=77, name=python3, DBE\n"
BUS = "3b:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)\n"
GPU = "<gpu id='00000000:3B:00.0'><product_name>NVIDIA H100 80GB HBM3</product_name><uuid>GPU-7</uuid></gpu>"
DOCUMENT = f"<nvidia_smi_log><attached_gpus>1</attached_gpus>{GPU}</nvidia_smi_log>\n"


def archive(path: Path, files: dict[str, bytes], **headers: str) -> Path:
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT, compresslevel=1) as target:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size, member.pax_headers = len(content), headers
            target.addfile(member, io.BytesIO(content))
    return path


def found(folder: Path, **files: str) -> set[str]:
    for name, text in files.items():
        (folder / name).write_text(text)
    (node,) = read_bundle(folder)
    return {one.rule for one in judge_node(facts_of(node), load_rules()).findings}


@pytest.mark.parametrize("time", ["nan", "1e300", "-5"])
def test_an_impossible_time_is_none(tmp_path: Path, time: str) -> None:
    (node,) = read_bundle(archive(tmp_path / "a.tar.gz", {"kernel.log": XID.encode()}, mtime=time))
    assert node.probed_at == 0.0
    assert [event.code for event in facts_of(node).kernel_events or ()] == [48]


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "kernel.log")
    with pytest.raises(UsageError, match="no regular file"):
        read_bundle(tmp_path / "kernel.log")


def test_a_compressed_file_is_no_answer(tmp_path: Path) -> None:
    (tmp_path / "kernel.log.gz").write_bytes(gzip.compress(XID.encode()))
    with pytest.raises(UsageError, match="compressed"):
        read_bundle(tmp_path)


@pytest.mark.parametrize("content", [b"", b" \n", b"\0" * 5000])
def test_an_empty_file_is_no_answer(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "nvidia-smi-q-x.xml").write_bytes(content)
    (tmp_path / "kernel.log").write_text(XID)
    (node,) = read_bundle(tmp_path)
    assert node.answers["nvidia-smi-q-x.xml"].end == "not asked"
    assert [(file.path, file.why) for file in node.unused] == [("nvidia-smi-q-x.xml", "it is empty")]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_texts_of_other_editors(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "kernel.log").write_text(XID, encoding=encoding)
    (node,) = read_bundle(tmp_path)
    assert node.answers["kernel.log"].out == XID


def test_unknown_files_are_not_kept_in_memory(tmp_path: Path) -> None:
    junk = {f"core.{at}": b"\0" * 2**22 for at in range(16)}
    path = archive(tmp_path / "a.tar.gz", junk | {"kernel.log": XID.encode()})
    tracemalloc.start()
    read_bundle(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MOST_FILE_BYTES + 8 * 2**22


def test_what_no_driver_was_asked_is_not_missing(tmp_path: Path) -> None:
    assert found(tmp_path, **{"lspci-nn.txt": BUS}) == set()


def test_what_another_vendor_lists_says_nothing_of_it(tmp_path: Path) -> None:
    npus = "| npu-smi 24.1.0 Version: 24.1.0 |\n| 0 910B3 | OK | 90.0 41 0 / 0 |\n"
    npus += "| 0 | 0000:C1:00.0 | 0 0 / 0 3000 / 65536 |\n"
    assert found(tmp_path, **{"lspci-nn.txt": BUS, "npu-smi-info.txt": npus}) == set()


def test_what_a_whole_list_lacks_is_missing(tmp_path: Path) -> None:
    two = BUS + BUS.replace("3b:", "5d:")
    assert found(tmp_path, **{"lspci-nn.txt": two, "nvidia-smi-q-x.xml": DOCUMENT}) == {
        "accelerators-missing"
    }


def test_what_a_cut_list_lacks_may_be_there(tmp_path: Path) -> None:
    cut = DOCUMENT.replace("attached_gpus>1", "attached_gpus>2")
    two = BUS + BUS.replace("3b:", "5d:")
    assert found(tmp_path, **{"lspci-nn.txt": two, "nvidia-smi-q-x.xml": cut}) == set()


def test_a_document_appended_again_adds_no_gpu(tmp_path: Path) -> None:
    (tmp_path / "nvidia-smi-q-x.xml").write_text(DOCUMENT * 3)
    (node,) = read_bundle(tmp_path)
    assert [gpu.uuid for gpu in facts_of(node).accelerators] == ["GPU-7"]


def test_links_alone_name_their_gpu(tmp_path: Path) -> None:
    (tmp_path / "nvlink.txt").write_text(
        "GPU 3: NVIDIA A100-SXM4-80GB (UUID: GPU-3)\nNVML: Unable to retrieve NVLink information"
        " as all links are inactive\n"
    )
    (node,) = read_bundle(tmp_path)
    (gpu,) = facts_of(node).accelerators
    assert (gpu.index, gpu.uuid, gpu.links_up) == (3, "GPU-3", 0)


def test_lists_are_known_by_what_they_say(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text(BUS)
    (tmp_path / "two.txt").write_text('{"blockdevices": [{"name": "/dev/sdq", "type": "disk"}]}')
    (node,) = read_bundle(tmp_path)
    assert [disk.name for disk in facts_of(node).disks] == ["sdq"] and len(facts_of(node).pci or ()) == 1


def test_a_table_of_the_topology_may_tell_of_a_mismatch(tmp_path: Path) -> None:
    said = "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 550.54\n"
    assert "driver-mismatch" in found(tmp_path, **{"topo-m.txt": said})
