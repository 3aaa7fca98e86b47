"""What is asked of an AMD node: every part of `amd-smi`, `rocm-smi` where that is all there is, and versions."""

from l0_infra.facts.bundle import Source

__all__ = ["ANY", "EXTRA", "MAIN", "ROCM", "SOURCES", "VERSIONS"]

TOOL = "amd-smi"


def _asked(part: str) -> Source:
    return Source(name=f"amd-smi-{part}.json", program=TOOL, command=f"amd-smi {part} --json")


MAIN = tuple(map(_asked, ("static", "list", "metric", "process")))
ANY = Source(name="amd-smi.json", program=TOOL, command="amd-smi version --json")
"""Asked for versions; gathered by hand, it may hold any output of the tool."""

EXTRA = (*map(_asked, ("bad-pages", "xgmi")), ANY)
"""What some versions and products lack."""

ROCM = Source(
    name="rocm-smi.json",
    program="rocm-smi",
    command="command -v amd-smi >/dev/null || rocm-smi --showproductname --showuniqueid --showserial --showbus"
    " --showmeminfo vram --showuse --showtemp --showpower --showmaxpower --showvbios --showdriverversion"
    " --showpids --json",
)
VERSIONS = Source(
    name="amd-versions.txt",
    program="grep",
    command="grep -H '' /opt/rocm/.info/version /sys/module/amdgpu/version 2>/dev/null; true",
)

SOURCES = (*MAIN, *EXTRA, ROCM, VERSIONS)
