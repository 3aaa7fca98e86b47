"""What is asked of an AMD node: every part of `amd-smi`, `rocm-smi` where that is all there is, and versions."""

from l0_infra.facts.bundle import Source

__all__ = ["ANY", "EXTRA", "MAIN", "QUICK", "ROCM", "SOURCES", "VERSIONS"]

TOOL = "amd-smi"


def _asked(part: str, mark: str) -> Source:
    return Source(
        name=f"amd-smi-{part}.json",
        program=TOOL,
        command=f"amd-smi {part} --json",
        also=(f"amd*smi*{part.replace('-', '?')}*",),
        marks=(mark,),
    )


MAIN = (
    _asked("static", '"market_name"'),
    _asked("list", '"kfd_id"'),
    _asked("metric", '"gfx_activity"'),
    _asked("process", '"process_list"'),
)
ANY = Source(
    name="amd-smi.json",
    program=TOOL,
    command="amd-smi version --json",
    also=("amd*smi.*", "amd*smi*all*", "amd*smi*version*"),
)
"""Asked for versions; gathered by hand, it may hold any output of the tool."""

EXTRA = (_asked("bad-pages", '"un_res"'), _asked("xgmi", '"xgmi_metric"'), ANY)
"""What some versions and products lack."""

ROCM = Source(
    name="rocm-smi.json",
    program="rocm-smi",
    command="command -v amd-smi >/dev/null || rocm-smi --showproductname --showuniqueid --showserial --showbus"
    " --showmeminfo vram --showuse --showtemp --showpower --showmaxpower --showvbios --showdriverversion"
    " --showpids --json",
    also=("rocm*smi*",),
    marks=('"card0": {',),
)
VERSIONS = Source(
    name="amd-versions.txt",
    program="grep",
    quick=True,
    when="[ -e /opt/rocm/.info/version ] || [ -e /sys/module/amdgpu/version ]",
    command="grep -Hs '' /opt/rocm/.info/version /sys/module/amdgpu/version; true",
)

QUICK = (*MAIN, ROCM)
"""What tells which GPUs there are and who holds them."""

SOURCES = (*MAIN, *EXTRA, ROCM, VERSIONS)
