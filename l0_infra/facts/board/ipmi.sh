# Asks the management controller through the kernel; the community string is a secret and stays on the node.
device=
for name in /dev/ipmi0 /dev/ipmi/0 /dev/ipmidev/0; do
    [ ! -e "$name" ] || device=$name
done
[ -n "$device" ] || exit 0
echo "Device : $device"
[ -r "$device" ] || {
    echo "ipmitool: $device: Permission denied" >&2
    exit 1
}
command -v ipmitool >/dev/null || exit 0
ipmitool mc info
ipmitool lan print | grep -v 'SNMP Community'
