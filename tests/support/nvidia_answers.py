"""What `nvidia-smi` says, as a probe or a support bundle hands it out."""

from collections.abc import Mapping

from l0_infra.facts.bundle import NOT_ASKED, Answer, Answers
from l0_infra.facts.nvidia import SOURCES, parse_nvidia
from l0_infra.facts.vendor import Found
from l0_infra.schemas import Accelerator

LOG = "nvidia-smi-q-x.xml"
CSV = "nvidia-smi-query-gpu.csv"
APPS = "nvidia-smi-query-compute-apps.csv"
TABLE = "nvidia-smi.txt"
LINKS = "nvidia-smi-nvlink-status.txt"
LINK_ERRORS = "nvidia-smi-nvlink-errors.txt"


def answers(files: Mapping[str, str | Answer]) -> Answers:
    """Answer with these files as a support bundle that holds nothing else would."""
    told = {
        name: Answer(end="exit", code=0, out=said) if isinstance(said, str) else said
        for name, said in files.items()
    }
    return {source.name: NOT_ASKED for source in SOURCES} | told


def found(files: Mapping[str, str | Answer]) -> Found:
    """Read the GPUs from these files."""
    return parse_nvidia(answers(files))


def document(*gpus: str, attached: int | None = None, dtd: str = "v12") -> str:
    """Write a document of GPUs, each given as what is within its element."""
    parts = (
        f'\t<gpu id="00000000:{bus:02X}:00.0">\n{within}\n\t</gpu>\n'
        for bus, within in enumerate(gpus, start=1)
    )
    return (
        f'<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_{dtd}.dtd">\n<nvidia_smi_log>\n'
        f"\t<driver_version>565.57.01</driver_version>\n\t<cuda_version>12.7</cuda_version>\n"
        f"\t<attached_gpus>{len(gpus) if attached is None else attached}</attached_gpus>\n"
        f"{''.join(parts)}</nvidia_smi_log>\n"
    )


def gpu(within: str) -> Accelerator:
    """Read one GPU from what is within its element."""
    (only,) = found({LOG: document(within)}).accelerators
    return only
