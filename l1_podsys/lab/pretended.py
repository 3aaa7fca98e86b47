"""Accelerators a host pretends to have: a stand-in for the vendor's tool, and device files that lead nowhere. Pure.

The card is NVIDIA's L4; every value that a real one would measure is made up, and the same on every pretended host.
"""

import hashlib
from collections.abc import Iterator

__all__ = ["DEVICE", "device_files", "render_tool"]

DEVICE = "/dev/null"
"""What every pretended device file really is: what is written there is gone, and no real device is ever opened."""

DRIVER = "550.90.07"
MEMORY_MIB = 23034

TOOL = """\
#!/bin/sh
# A stand-in laid here by `ogai lab up --vary`: this host pretends to have accelerators and has none.
case "$*" in
"-q -x") cat <<'END'
{log}END
;;
-L | --list-gpus) cat <<'END'
{names}END
;;
--query-gpu=index,name,uuid,memory.total,memory.used,utilization.gpu,pci.bus_id,driver_version*) cat <<'END'
{rows}END
;;
--query-compute-apps=*) ;;
"") cat <<'END'
{table}END
;;
"topo -m") cat <<'END'
{matrix}END
;;
"nvlink --status" | "nvlink -e") cat <<'END'
{names}END
;;
*)
    echo "nvidia-smi of the lab: knows what ogai asks, not: $*" >&2
    exit 2
    ;;
esac
"""

GPU = """\
  <gpu id="{bus}">
    <product_name>NVIDIA L4</product_name>
    <product_brand>NVIDIA</product_brand>
    <persistence_mode>Enabled</persistence_mode>
    <uuid>{uuid}</uuid>
    <minor_number>{index}</minor_number>
    <vbios_version>95.04.29.00.06</vbios_version>
    <pci>
      <pci_bus_id>{bus}</pci_bus_id>
      <pci_gpu_link_info>
        <pcie_gen>
          <max_link_gen>4</max_link_gen>
          <current_link_gen>4</current_link_gen>
          <max_device_link_gen>4</max_device_link_gen>
        </pcie_gen>
        <link_widths>
          <max_link_width>16x</max_link_width>
          <current_link_width>16x</current_link_width>
        </link_widths>
      </pci_gpu_link_info>
      <replay_counter>0</replay_counter>
    </pci>
    <fb_memory_usage>
      <total>{memory} MiB</total>
      <used>0 MiB</used>
      <free>{memory} MiB</free>
    </fb_memory_usage>
    <compute_mode>Default</compute_mode>
    <utilization>
      <gpu_util>0 %</gpu_util>
      <memory_util>0 %</memory_util>
    </utilization>
    <ecc_mode>
      <current_ecc>Enabled</current_ecc>
      <pending_ecc>Enabled</pending_ecc>
    </ecc_mode>
    <temperature>
      <gpu_temp>{temperature} C</gpu_temp>
    </temperature>
    <gpu_power_readings>
      <power_draw>16.50 W</power_draw>
      <current_power_limit>72.00 W</current_power_limit>
      <default_power_limit>72.00 W</default_power_limit>
    </gpu_power_readings>
    <processes>
    </processes>
  </gpu>
"""


def device_files(count: int) -> tuple[str, ...]:
    """Name the device files of so many accelerators."""
    return tuple(f"/dev/nvidia{index}" for index in range(count))


def render_tool(host: str, count: int) -> str:
    """Write the `nvidia-smi` of a host with so many accelerators."""
    return TOOL.format(
        log=_log(host, count),
        names=_names(host, count),
        rows=_rows(host, count),
        table=_table(count),
        matrix=_matrix(count),
    )


def _log(host: str, count: int) -> str:
    gpus = "".join(
        GPU.format(
            bus=_bus(index), uuid=_uuid(host, index), index=index, memory=MEMORY_MIB, temperature=34 + index
        )
        for index in range(count)
    )
    head = f"<driver_version>{DRIVER}</driver_version>\n  <cuda_version>12.4</cuda_version>"
    attached = f"<attached_gpus>{count}</attached_gpus>"
    return f'<?xml version="1.0" ?>\n<nvidia_smi_log>\n  {head}\n  {attached}\n{gpus}</nvidia_smi_log>\n'


def _names(host: str, count: int) -> str:
    return "".join(f"GPU {index}: NVIDIA L4 (UUID: {_uuid(host, index)})\n" for index in range(count))


def _table(count: int) -> str:
    line = "+" + "-" * 91 + "+\n"
    head = f"| NVIDIA-SMI {DRIVER:<22} Driver Version: {DRIVER:<15} CUDA Version: 12.4".ljust(92) + "|\n"
    gpus = "".join(_table_rows(index) + line for index in range(count))
    return line + head + line + gpus


def _table_rows(index: int) -> str:
    first = (
        f" {index:>3}  NVIDIA L4                      On",
        f"   {_bus(index)} Off",
        "                    0",
    )
    second = (
        f" N/A   {34 + index}C    P8             16W /   72W",
        f"       0MiB / {MEMORY_MIB}MiB",
        "      0%      Default",
    )
    return "".join(f"|{row[0]:<41}|{row[1]:<24}|{row[2]:<24}|\n" for row in (first, second))


def _matrix(count: int) -> str:
    names = [f"GPU{index}" for index in range(count)]
    rows = [["", *names, "CPU Affinity", "NUMA Affinity"]]
    rows += [[name, *(" X " if name == other else "PHB" for other in names), "0", "0"] for name in names]
    return "".join("\t".join(row) + "\n" for row in rows)


def _rows(host: str, count: int) -> str:
    return "".join(_row(host, count))


def _row(host: str, count: int) -> Iterator[str]:
    for index in range(count):
        yield f"{index}, NVIDIA L4, {_uuid(host, index)}, {MEMORY_MIB}, 0, 0, {_bus(index)}, {DRIVER}\n"


def _bus(index: int) -> str:
    return f"00000000:{0x31 + 0x10 * index:02X}:00.0"


def _uuid(host: str, index: int) -> str:
    digits = hashlib.sha256(f"{host}/{index}".encode()).hexdigest()
    return f"GPU-{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:32]}"
