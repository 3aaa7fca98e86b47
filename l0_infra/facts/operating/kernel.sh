# Prints how the kernel is set, as path:line; of a folder its first entry, what is many times alike once.
sys=/sys/kernel
for folder in /sys/class/iommu $sys/iommu_groups; do
    [ -d "$folder" ] || continue
    for entry in "$folder"/*; do
        [ -e "$entry" ] || entry=
        echo "$folder:${entry##*/}"
        break
    done
done
# What the IOMMU does for network controllers, displays and accelerators: classes 02, 03 and 12 of PCI.
types=
for device in /sys/bus/pci/devices/*; do
    [ -e "$device/iommu_group/type" ] && read -r class <"$device/class" || continue
    case $class in 0x02* | 0x03* | 0x12*) types="$types $device/iommu_group/type" ;; esac
done
seen=' '
for file in /sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor; do
    [ -r "$file" ] && read -r governor <"$file" || continue
    case $seen in *" $governor "*) continue ;; esac
    seen="$seen$governor "
    echo "/sys/devices/system/cpu/scaling_governor:$governor"
done
read -r release </proc/sys/kernel/osrelease
modules=/lib/modules/$release
if [ -n "$release" ] && [ -d "$modules" ]; then
    headers=absent
    [ ! -e "$modules/build/Makefile" ] || headers=present
    echo "$modules/build:$headers"
fi
grep -H '' /sys/module/*/version $sys/mm/transparent_hugepage/enabled /proc/sys/kernel/numa_balancing \
    /proc/sys/kernel/pid_max /proc/sys/kernel/tainted /proc/sys/vm/swappiness $types
