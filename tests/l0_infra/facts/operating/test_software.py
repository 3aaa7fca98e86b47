"""Versions, as programs, package managers and file names tell them."""

import pytest

from l0_infra.schemas import Software
from tests.support.facts import facts_of


def versions(text: str) -> list[tuple[str, str]]:
    return [(one.name, one.software_version) for one in facts_of({"versions.txt": text}).software]


@pytest.mark.parametrize(
    ("command", "line", "name", "version"),
    [
        ("ofed_info -s", "MLNX_OFED_LINUX-23.10-1.1.9.0:", "ofed", "MLNX_OFED_LINUX-23.10-1.1.9.0"),
        ("ofed_info -s", "OFED-internal-24.04-0.6.6:", "ofed", "OFED-internal-24.04-0.6.6"),
        ("getconf GNU_LIBC_VERSION", "glibc 2.35", "glibc", "2.35"),
        ("python3 --version", "Python 3.12.3", "python", "3.12.3"),
        ("gcc --version", "gcc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0", "gcc", "11.4.0"),
        ("gcc --version", "gcc (GCC) 8.5.0 20210514 (Red Hat 8.5.0-20)", "gcc", "8.5.0"),
        ("docker --version", "Docker version 26.1.3, build b72abbb", "docker", "26.1.3"),
        ("containerd --version", "containerd containerd.io 1.7.19 2bf793e", "containerd", "1.7.19"),
        (
            "containerd --version",
            "containerd github.com/containerd/containerd/v2 v2.0.2 c507",
            "containerd",
            "2.0.2",
        ),
        ("slurmd -V", "slurm 23.11.10", "slurm", "23.11.10"),
        ("slurmd -V", "slurm-wlm 21.08.5", "slurm", "21.08.5"),
        ("apptainer --version", "apptainer version 1.3.2-1.el9", "apptainer", "1.3.2-1.el9"),
        ("singularity --version", "singularity-ce version 4.1.1-jammy", "singularity", "4.1.1-jammy"),
        ("enroot version", "3.5.0", "enroot", "3.5.0"),
    ],
)
def test_a_program_s_version(command: str, line: str, name: str, version: str) -> None:
    assert versions(f"$ {command}\n{line}\nsecond line 9.9.9\n") == [(name, version)]


def test_what_tells_no_version_is_left_out() -> None:
    text = "$ docker --version\nsh: docker: not found\n$ ofed_info -s\n\n$ enroot version\n[ERROR] no\n"
    assert versions(text) == []


def test_a_version_that_no_program_told_is_left_out() -> None:
    assert versions("$ \nglibc 2.35\n") == []


def test_packages_installed() -> None:
    dpkg = "ii  rdma-core 39.0-1\nrc  munge 0.5.14-6\nun  ucx \nii  bash 5.1-6\n"
    listed = "Desired=Unknown\n||/ Name  Version\nii  munge:arm64   0.5.14-6   arm64   authentication\n"
    rpm = "rdma-core 48.0-1.el9\npackage ucx is not installed\n"
    assert facts_of({"dpkg-query.txt": dpkg}).software == (
        Software(name="rdma-core", software_version="39.0-1", source="dpkg"),
    )
    assert facts_of({"dpkg-query.txt": listed}).software == (
        Software(name="munge", software_version="0.5.14-6", source="dpkg"),
    )
    assert facts_of({"rpm-q.txt": rpm}).software == (
        Software(name="rdma-core", software_version="48.0-1.el9", source="rpm"),
    )


def test_a_library_s_version_is_in_the_name_of_its_file() -> None:
    text = (
        "/usr/lib/x86_64-linux-gnu/libnccl.so => /usr/lib/x86_64-linux-gnu/libnccl.so.2.21.5\n"
        "/usr/lib/x86_64-linux-gnu/libnccl.so.2 => /usr/lib/x86_64-linux-gnu/libnccl.so.2.21.5\n"
        "/opt/nccl/libnccl.so.2 => /opt/nccl/libnccl.so.2.18.3\n"
        "/opt/rocm/lib/librccl.so.1 => /opt/rocm/lib/librccl.so.1\n"
    )
    found = facts_of({"ldconfig-p.txt": text}).software
    assert [(one.name, one.software_version, one.source) for one in found] == [
        ("nccl", "2.18.3", "/opt/nccl/libnccl.so.2.18.3"),
        ("nccl", "2.21.5", "/usr/lib/x86_64-linux-gnu/libnccl.so.2.21.5"),
    ]
