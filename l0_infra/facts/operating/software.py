"""Versions of what accelerators' drivers and work stand on: C library, compiler, RDMA, containers, scheduler."""

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files

from l0_infra.facts.bundle import Answers, Source
from l0_infra.schemas import Software, Unread

__all__ = ["DPKG", "LDCONFIG", "RPM", "VERSIONS", "parse_software", "software_unread"]

PACKAGES = (
    *("rdma-core", "ucx", "munge", "nvidia-container-toolkit", "dkms"),
    *("lustre-client", "beegfs-client", "gpfs.base"),
)
NAMES: Mapping[str, str] = {"ofed_info": "ofed", "getconf": "glibc", "python3": "python", "slurmd": "slurm"}
"""Names of what programs tell of, where they differ."""

VERSIONS = Source(
    name="versions.txt",
    program="sh",
    command=files(__package__).joinpath("versions.sh").read_text("utf-8"),
)
DPKG = Source(
    name="dpkg-query.txt",
    also=("dpkg*",),
    program="dpkg-query",
    quick=True,
    command=f"known=; for name in {' '.join(PACKAGES)}; do"
    " for file in $name $name:amd64 $name:arm64; do"
    ' [ ! -e "/var/lib/dpkg/info/$file.list" ] || known="$known $file"; done; done;'
    " [ -z \"$known\" ] || dpkg-query -W -f '${db:Status-Abbrev} ${Package} ${Version}\\n' $known; true",
)
RPM = Source(
    name="rpm-q.txt",
    also=("rpm-qa*", "rpm_qa*", "installed-rpms"),
    program="rpm",
    command=f"rpm -q --qf '%{{NAME}} %{{VERSION}}-%{{RELEASE}}\\n' {' '.join(PACKAGES)}; true",
)
LDCONFIG = Source(
    name="ldconfig-p.txt",
    program="ldconfig",
    quick=True,
    command="! grep -qE 'lib(nccl|rccl)\\.so' /etc/ld.so.cache || ldconfig -p | grep -E 'lib(nccl|rccl)\\.so' |"
    ' while read -r line; do file=${line##* => }; echo "$file => $(readlink -f "$file")"; done',
)

NUMBER = re.compile(r"(?<![\w.])v?([0-9]+(?:\.[0-9]+)+[\w.+~-]{0,40})")
"""A version: numbers joined by points, and what is hung on."""

NAMED = "|".join(map(re.escape, PACKAGES))
ARCHITECTURE = re.compile(r"\.(x86_64|aarch64|noarch)$")
"""What `rpm -qa` puts behind a version."""

LIBRARY = re.compile(r"(/\S{0,300}/lib(nccl|rccl)\.so\.([0-9]+(?:\.[0-9]+){1,5}))[ \t\r]*$", re.M)


def parse_software(answers: Answers) -> tuple[Software, ...]:
    """List what is installed of what was asked for."""
    return (
        *_programs(answers[VERSIONS.name].out),
        *_packages(answers[DPKG.name].out, rf"^ii +({NAMED})(?::\w+)? +(\S+)", "dpkg"),
        *_packages(answers[RPM.name].out, rf"^({NAMED})[ -]([0-9][\w.+~^-]{{0,80}})[ \t\r]*$", "rpm"),
        *_libraries(answers[LDCONFIG.name].out),
    )


def software_unread(answers: Answers) -> Iterator[Unread]:
    """Yield why programs could not be asked."""
    for source in (VERSIONS, DPKG, RPM):
        yield from answers[source.name].unread(source.name.removesuffix(".txt"))


def _programs(text: str) -> Iterator[Software]:
    for block in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, told = block.partition("\n")
        program = command.split(" ")[0].strip()
        version = _version(program, told.partition("\n")[0])
        if program and version:
            yield Software(name=NAMES.get(program, program), software_version=version, source=command.strip())


def _version(program: str, line: str) -> str | None:
    """Find the version in what a program says, `ofed_info` with its product; what is in brackets is the maker's."""
    if program == "ofed_info":
        whole = re.fullmatch(r"([\w.-]*[0-9][\w.-]*):?", line.strip())
        return whole[1] if whole else None
    match = NUMBER.search(re.sub(r"\([^)]*\)", " ", line))
    return match[1] if match else None


def _packages(text: str, row: str, manager: str) -> Iterator[Software]:
    for name, version in re.findall(row, text, re.M):
        yield Software(name=name, software_version=ARCHITECTURE.sub("", version), source=manager)


def _libraries(text: str) -> Iterator[Software]:
    """Read the version from the file that a library's name leads to: `libnccl.so.2.21.5`."""
    named = {(match[2], match[3]): match[1] for match in LIBRARY.finditer(text)}
    for (name, version), file in sorted(named.items()):
        yield Software(name=name, software_version=version, source=file)
