"""Where the facts come from: the forms of `nvidia-smi`, the driver's own file, the fabric manager, installed files."""

from l0_infra.facts.bundle import Source

__all__ = [
    "APPS",
    "CONTAINERS",
    "FABRIC_FILE",
    "FABRIC_LOG",
    "FABRIC_VERSION",
    "FIELDS",
    "FORMS",
    "GPUS",
    "LIBRARIES",
    "LINKS",
    "LINK_ERRORS",
    "LIST",
    "LISTING",
    "LOG",
    "MODULE",
    "QUICK",
    "SOURCES",
    "TABLE",
    "TOOL",
]

TOOL = "nvidia-smi"
FIELDS = "index,name,uuid,memory.total,memory.used,utilization.gpu,pci.bus_id,driver_version"
CSV = "--format=csv,noheader,nounits"
FABRIC_FILE = "/var/log/fabricmanager.log"
CUDA = "/usr/local/cuda"

GPUS = Source(name="nvidia-smi-query-gpu.csv", program=TOOL, command=f"{TOOL} --query-gpu={FIELDS} {CSV}")
APPS = Source(
    name="nvidia-smi-query-compute-apps.csv",
    program=TOOL,
    command=f"{TOOL} --query-compute-apps=gpu_uuid,pid,used_memory {CSV}",
)
MODULE = Source(
    name="proc-driver-nvidia-version.txt",
    program=TOOL,
    command="cat /proc/driver/nvidia/version",
    marks=("NVRM version: ",),
)
QUICK = (GPUS, APPS, MODULE)
"""What a scheduler asks every few seconds: how many GPUs there are and who holds them."""

LOG = Source(
    name="nvidia-smi-q-x.xml",
    program=TOOL,
    # The list of possible clocks is most of it; the exit code is nvidia-smi's, not that of what filters.
    command=f'exec 4>&1; exit "$({{ {{ {TOOL} -q -x; echo $? >&3; }} | grep -v supported_graphics_clock >&4; }} 3>&1)"',
    also=("*nvidia*smi*.xml",),
    marks=("<nvidia_smi_log>",),
)
TABLE = Source(
    name="nvidia-smi.txt",
    program=TOOL,
    command=TOOL,
    also=("nvidia*smi.log", "nvidia*smi.out"),
    marks=("| NVIDIA-SMI ", "NVIDIA-SMI has failed", "Failed to initialize NVML", "No devices were found"),
)
LIST = Source(name="nvidia-smi-L.txt", program=TOOL, command=f"{TOOL} -L", also=("*nvidia*smi*list*",))
LINKS = Source(
    name="nvidia-smi-nvlink-status.txt",
    program=TOOL,
    command=f"{TOOL} nvlink --status",
    also=("*nvlink*status*", "*nvlink*-s.*"),
    marks=(
        *(f"Link 0: {rate} GB/s" for rate in ("20", "25", "25.781", "26.562", "50", "53.125")),
        *("Link 0: <inactive>", "all links are inactive", "all links are inActive"),
    ),
)
LINK_ERRORS = Source(
    name="nvidia-smi-nvlink-errors.txt",
    program=TOOL,
    command=f"{TOOL} nvlink -e",
    also=("*nvlink*err*", "*nvlink*-e.*"),
    marks=("Link 0: Replay Errors", "Link 0: Malformed packet Errors"),
)

FABRIC_LOG = Source(
    name="fabricmanager.log",
    program=TOOL,
    command=f"[ -r {FABRIC_FILE} ] || exec cat {FABRIC_FILE};"
    r" grep -a -A 12 -E '\] \[(WARNING|ERROR|CRITICAL|FATAL)\]|[Ff]abric [Mm]anager version'"
    f" {FABRIC_FILE} | tail -c 100000",
    whole=f"tail -c 1000000 {FABRIC_FILE}",
    also=("*fabric*manager*.log*",),
    marks=("] [INFO] [tid ", "] [ERROR] [tid "),
)
FABRIC_VERSION = Source(
    name="nv-fabricmanager-version.txt",
    program="nv-fabricmanager",
    command="nv-fabricmanager --version",
    marks=("Fabric Manager version is : ",),
)
CONTAINERS = Source(
    name="nvidia-ctk-version.txt",
    program="nvidia-ctk",
    command="nvidia-ctk --version",
    marks=("NVIDIA Container Toolkit CLI version ",),
)
LIBRARIES = Source(
    name="cuda-nccl-versions.txt",
    program=TOOL,
    command=f"grep -s -H -m 2 -E '\"(name|version)\"' {CUDA}/version.json {CUDA}-*/version.json;"
    f" grep -s -H 'CUDA Version' {CUDA}/version.txt {CUDA}-*/version.txt;"
    " ls -d /usr/lib/*/libnccl.so.*.* /usr/lib64/libnccl.so.*.* /usr/local/lib/libnccl.so.*.* 2>/dev/null; true",
)

FORMS = (GPUS, LOG, APPS, TABLE, LIST, LINKS, LINK_ERRORS)
"""What `nvidia-smi` itself says."""

LISTING = (GPUS, LOG, TABLE, LIST)
"""Each of them names every GPU."""

SOURCES = (
    *(*FORMS, MODULE),
    *(FABRIC_LOG, FABRIC_VERSION, CONTAINERS, LIBRARIES),
)
