"""What is asked of an Ascend node: the tables of `npu-smi`, its queries, the NPUs' own ports, and versions.

A query is asked of each NPU, or each chip, in turn, and its answer is headed by the command: `# npu-smi info …`.
Each kind is a source of its own, so that one that hangs holds no other back.
"""

from l0_infra.facts.bundle import Source

__all__ = ["INFO", "LISTED", "MAPPING", "PORTS", "QUERIES", "QUICK", "SOURCES", "VERSIONS"]

TOOL = "npu-smi"
INFO = Source(
    name="npu-smi-info.txt",
    program=TOOL,
    command="npu-smi info",
    also=("npu*smi.*", "npu*smi*info.*"),
    marks=("| npu-smi ",),
)
LISTED = Source(
    name="npu-smi-info-l.txt",
    program=TOOL,
    command="npu-smi info -l",
    also=("npu*smi*-l.*",),
    marks=("\tTotal Count ",),
)
MAPPING = Source(
    name="npu-smi-info-m.txt",
    program=TOOL,
    command="npu-smi info -m",
    also=("npu*smi*-m.*",),
    marks=("Chip Logic ID",),
)


def _each_npu(kind: str) -> str:
    """Write a loop over the NPUs that `-l` lists."""
    return (
        r"for npu in $(npu-smi info -l | sed -n 's/.*NPU ID *: *\([0-9][0-9]*\).*/\1/p'); do"
        f' echo; echo "# npu-smi info -t {kind} -i $npu"; npu-smi info -t {kind} -i $npu; done'
    )


def _each_chip(kind: str) -> str:
    """Write a loop over the rows of `-m` that have a logic id; a card's controller has none."""
    return (
        "npu-smi info -m | while read -r npu chip logic rest; do"
        ' case "$npu,$chip,$logic" in *[!0-9,]* | ,* | *,,* | *,) continue ;; esac;'
        f' echo; echo "# npu-smi info -t {kind} -i $npu -c $chip";'
        f" npu-smi info -t {kind} -i $npu -c $chip </dev/null; done"
    )


def _query(kind: str, *loops: str) -> Source:
    """Make a source of loops; a query that a product does not support is no failure of the node."""
    return Source(
        name=f"npu-smi-info-t-{kind}.txt",
        program=TOOL,
        command="; ".join((*loops, "true")),
        also=(f"npu*smi*-t?{kind}.*", f"npu*smi*-t?{kind}[_-]i*", f"npu*smi*-t?{kind}[_-]-i*"),
    )


QUERIES = (
    Source(
        name="npu-smi-info-t.txt",
        program=TOOL,
        command=f"{_each_npu('usages')}; true",
        also=("npu*smi*-t.*", "npu*smi*-t-all*", "npu*smi*-t?usages*"),
        marks=("npu-smi info -t ",),
    ),
    _query("board", _each_npu("board"), _each_chip("board")),
    _query("common", _each_npu("common")),
    _query("ecc", _each_npu("ecc")),
    _query("ecc-enable", _each_npu("ecc-enable")),
    _query("hccs", _each_chip("hccs")),
    _query("health", _each_chip("health")),
    _query("memory", _each_npu("memory")),
)
"""The first may hold any other query that was gathered by hand."""


def _each_port(option: str) -> str:
    """Write a loop over the NPUs' device files, which carry the physical ids that `hccn_tool` takes."""
    return (
        "PATH=$PATH:/usr/local/Ascend/driver/tools; command -v hccn_tool >/dev/null || exit 0;"
        ' for file in /dev/davinci[0-9]*; do [ -e "$file" ] || continue; npu=${file#/dev/davinci};'
        f' echo; echo "# hccn_tool -i $npu -{option} -g"; hccn_tool -i $npu -{option} -g; done; true'
    )


PORTS = tuple(
    Source(
        name=f"hccn-tool-{option.replace('_', '-')}.txt",
        program=TOOL,
        command=_each_port(option),
        also=(f"hccn*tool*[_-]{option}.*",),
        marks=marks,
    )
    for option, marks in (
        ("link", ("link status: ",)),
        ("link_stat", ("link change records ",)),
        ("speed", ("Mb/s",)),
        ("stat", ("packet statistics:",)),
    )
)

INSTALLED = (
    "$base/driver/version.info $base/firmware/version.info"
    " $base/ascend-toolkit/latest/version.cfg $base/ascend-toolkit/latest/*/ascend_toolkit_install.info"
    " $base/cann/version.cfg $base/cann/*/ascend_toolkit_install.info"
    " $base/nnae/latest/ascend_nnae_install.info"
)
VERSIONS = Source(
    name="ascend-versions.txt",
    program="grep",
    quick=True,
    when="[ -e /etc/ascend_install.info ] || [ -d /usr/local/Ascend ]",
    command=r"base=$(sed -n 's/^Driver_Install_Path_Param=//p' /etc/ascend_install.info 2>/dev/null);"
    f" base=${{base:-/usr/local/Ascend}}; grep -iH version {INSTALLED} 2>/dev/null; true",
)

QUICK = (INFO, MAPPING)
"""What tells which chips there are and who holds them."""

SOURCES = (INFO, LISTED, MAPPING, *QUERIES, *PORTS, VERSIONS)
