"""Each version, in each file and form in which it is told."""

import pytest

from l0_infra.facts.nvidia import parse_software
from tests.support.nvidia_answers import LOG, TABLE, answers

MODULE = "proc-driver-nvidia-version.txt"
CUDA = "cuda-nccl-versions.txt"
# File, what it says, software, version.
VERSIONS = [
    (LOG, "<driver_version>595.58.03</driver_version>", "nvidia driver", "595.58.03"),
    (LOG, "<driver_version>1.2</driver_version><kmd_version>615.23</kmd_version>", "nvidia driver", "615.23"),
    (LOG, "<cuda_version>12.8</cuda_version>", "cuda driver", "12.8"),
    (LOG, "<cuda_umd_version>13.4</cuda_umd_version>", "cuda driver", "13.4"),
    (LOG, "<gsp_firmware_version>580.95</gsp_firmware_version>", "nvidia gsp firmware", "580.95"),
    (TABLE, "| NVIDIA-SMI 550.90.07   Driver Version: 550.90.07 |", "nvidia driver", "550.90.07"),
    (TABLE, "| NVIDIA-SMI 610.57.04   KMD Version: 610.57.04 |", "nvidia driver", "610.57.04"),
    (TABLE, "|   CUDA Version: 12.4     |", "cuda driver", "12.4"),
    (TABLE, "|   CUDA UMD Version: 13.3     |", "cuda driver", "13.3"),
    (TABLE, "NVML library version: 570.86", "nvidia library", "570.86"),
    (
        MODULE,
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  515.48.07  Fri",
        "nvidia kernel module",
        "515.48.07",
    ),
    (
        MODULE,
        "NVRM version: NVIDIA UNIX Open Kernel Module for aarch64  595.71.05",
        "nvidia open kernel module",
        "595.71.05",
    ),
    ("nv-fabricmanager-version.txt", "Fabric Manager version is : 610.57.04", "fabric manager", "610.57.04"),
    ("fabricmanager.log", "Fabric Manager version 570.86.15 is running", "fabric manager", "570.86.15"),
    (
        "nvidia-ctk-version.txt",
        "NVIDIA Container Toolkit CLI version 1.17.4",
        "nvidia container toolkit",
        "1.17.4",
    ),
    (CUDA, "/usr/local/cuda/version.txt:CUDA Version 10.2.89", "cuda toolkit", "10.2.89"),
    (
        CUDA,
        '/usr/local/cuda/version.json: "name" : "CUDA SDK",\n/usr/local/cuda/version.json: "version" : "13.0.1"',
        "cuda toolkit",
        "13.0.1",
    ),
    (CUDA, "/usr/lib64/libnccl.so.2.26.2\n/usr/lib64/libnccl.so.2", "nccl", "2.26.2"),
]


@pytest.mark.parametrize(("file", "text", "name", "version"), VERSIONS)
def test_version(file: str, text: str, name: str, version: str) -> None:
    told = parse_software(answers({file: text}))
    assert [(one.name, one.software_version) for one in told] == [(name, version)]


NONE = [
    (LOG, "<driver_version>N/A</driver_version>"),
    (LOG, "<cuda_version>Not Found</cuda_version>"),
    (MODULE, "cat: /proc/driver/nvidia/version: No such file or directory"),
    (
        CUDA,
        '/usr/local/cuda/version.json: "name" : "nvJPEG",\n/usr/local/cuda/version.json: "version" : "12.0.1"',
    ),
]


@pytest.mark.parametrize(("file", "text"), NONE)
def test_what_is_no_version_is_none(file: str, text: str) -> None:
    assert parse_software(answers({file: text})) == ()


def test_a_link_to_a_toolkit_is_not_another_one() -> None:
    line = '{0}/version.json: "name" : "CUDA SDK",\n{0}/version.json: "version" : "12.8.1"\n'
    told = parse_software(
        answers({CUDA: line.format("/usr/local/cuda") + line.format("/usr/local/cuda-12.8")})
    )
    assert [(one.software_version, one.source) for one in told] == [
        ("12.8.1", "/usr/local/cuda/version.json")
    ]
