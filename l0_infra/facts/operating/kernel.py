"""How the kernel was started and is set, and which of its modules matter here."""

import re
from collections.abc import Iterator
from importlib.resources import files

from l0_infra.facts.bundle import Answers, Source
from l0_infra.facts.tree import Tree, integer, parse_tree, text_at
from l0_infra.schemas import KernelModule, KernelSettings

__all__ = ["CMDLINE", "KERNEL", "MODULES", "parse_kernel"]

CMDLINE = Source(
    name="proc-cmdline.txt",
    also=("cmdline", "cmdline.txt", "proc_cmdline*"),
    program="cat",
    command="cat /proc/cmdline",
    quick=True,
)
MODULES = Source(
    name="proc-modules.txt",
    also=("lsmod*", "modules.txt", "proc_modules*"),
    program="cat",
    command="[ ! -e /proc/modules ] || cat /proc/modules",
    quick=True,
)
KERNEL = Source(
    name="kernel.txt",
    program="grep",
    quick=True,
    command=files(__package__).joinpath("kernel.sh").read_text("utf-8"),
)

MATTERS = re.compile(
    r"nvidia\w*|nv_peer_mem|gdrdrv|nouveau|amdgpu|amdkfd|drv_\w+|ascend\w*|davinci\w*"
    r"|mlx[45]_\w+|mlx_compat|ib_\w+|rdma_\w+|irdma|bnxt_re|efa|hns_roce\w*|knem|xpmem"
    r"|lustre|lnet|ko2iblnd|ksocklnd|beegfs|mmfs\w*|wekafs\w*|ceph|nfs\w*|rpcrdma|overlay|ipmi_\w+"
)
"""Modules of accelerators, fabrics, shared file systems, containers and the management controller."""


def parse_kernel(answers: Answers, mounts: str) -> KernelSettings:
    """Put the settings together; `mounts` is /proc/mounts."""
    tree = parse_tree(answers[KERNEL.name].out)
    line = _line(answers[CMDLINE.name].out)
    return KernelSettings(
        command_line=line,
        modules=_modules(answers[MODULES.name].out, tree),
        headers=_headers(tree),
        cgroup_version=_cgroup_version(mounts),
        iommu=_iommu(tree, line or ""),
        transparent_hugepages=_chosen(text_at(tree, "/sys/kernel/mm/transparent_hugepage/enabled")),
        numa_balancing=_flag(integer(text_at(tree, "/proc/sys/kernel/numa_balancing"))),
        governor=_governor(tree),
        swappiness=integer(text_at(tree, "/proc/sys/vm/swappiness")),
        pid_max=integer(text_at(tree, "/proc/sys/kernel/pid_max")),
        tainted=integer(text_at(tree, "/proc/sys/kernel/tainted")),
    )


def _line(text: str) -> str | None:
    return text.strip().partition("\n")[0].strip() or None


def _flag(number: int | None) -> bool | None:
    return None if number is None else number > 0


def _modules(text: str, tree: Tree) -> tuple[KernelModule, ...] | None:
    """List modules by name; None when /proc/modules says nothing: then nothing is known of them."""
    names = {match[1] for line in text.split("\n") if (match := re.match(r"(\w+) +[0-9]+ +[0-9]+\b", line))}
    if not names:
        return None
    return tuple(
        KernelModule(name=name, module_version=text_at(tree, f"/sys/module/{name}/version"))
        for name in sorted(names)
        if MATTERS.fullmatch(name)
    )


def _headers(tree: Tree) -> bool | None:
    told = {lines[0] for path, lines in tree.items() if re.fullmatch("/lib/modules/[^/]+/build", path)}
    return {"present": True, "absent": False}.get(told.pop()) if len(told) == 1 else None


def _cgroup_version(mounts: str) -> int | None:
    """Tell the version that has the controllers: a hybrid layout has them in 1 and uses 2 for names only."""
    rows = [line.split(" ") for line in mounts.split("\n")]
    whole = [row for row in rows if len(row) >= 4]
    if any(row[2] == "cgroup" and "name=" not in row[3] for row in whole):
        return 1
    return 2 if any(row[2] == "cgroup2" for row in whole) else None


def _iommu(tree: Tree, command_line: str) -> str | None:
    """Tell what the devices' groups say; kernels before 4.19 do not tell, their command line does."""
    places = ("/sys/class/iommu", "/sys/kernel/iommu_groups")
    if all(place in tree for place in places) and not any(text_at(tree, place) for place in places):
        return "off"
    types = {lines[0] for path, lines in tree.items() if path.endswith("/iommu_group/type")}
    if types:
        return _iommu_of(types)
    if not text_at(tree, places[1]):
        return None
    words = set(command_line.split())
    if words & {"iommu=pt", "iommu.passthrough=1"}:
        return "passthrough"
    return "translated" if words & {"intel_iommu=on", "amd_iommu=on", "iommu.passthrough=0"} else None


def _iommu_of(types: set[str]) -> str | None:
    if any(one.startswith("DMA") for one in types):
        return "translated"
    return "passthrough" if types == {"identity"} else None


def _governor(tree: Tree) -> str | None:
    names = {one for path, lines in tree.items() if path.endswith("/scaling_governor") for one in lines}
    return ",".join(sorted(_words(names))) or None


def _words(names: set[str]) -> Iterator[str]:
    return (name for name in names if re.fullmatch("[a-z]{1,20}", name))


def _chosen(text: str | None) -> str | None:
    """Read `always [madvise] never`."""
    match = re.search(r"\[(\w+)\]", text or "")
    return match[1] if match else None
