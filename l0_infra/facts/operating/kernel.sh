# Prints how the kernel is set, as path:line; of a folder its first entry, what is many times alike once.
sys=/sys/kernel
grep -H '' /sys/module/*/version $sys/mm/transparent_hugepage/enabled /proc/sys/kernel/numa_balancing \
    /proc/sys/kernel/pid_max /proc/sys/kernel/tainted /proc/sys/vm/swappiness
for folder in /sys/class/iommu $sys/iommu_groups; do
    [ -d "$folder" ] || continue
    for entry in "$folder"/*; do
        [ -e "$entry" ] || entry=
        echo "$folder:${entry##*/}"
        break
    done
done
# What the IOMMU does for network controllers, displays and accelerators: classes 02, 03 and 12 of PCI.
types=$(grep -l -E '^0x(02|03|12)' /sys/bus/pci/devices/*/class | sed 's|class$|iommu_group/type|')
[ -z "$types" ] || grep -H '' $types
sort -u /sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor | sed 's|^|/sys/devices/system/cpu/scaling_governor:|'
modules=/lib/modules/$(uname -r)
if [ -d "$modules" ]; then
    headers=absent
    [ ! -e "$modules/build/Makefile" ] || headers=present
    echo "$modules/build:$headers"
fi
true
