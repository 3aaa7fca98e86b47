# Prints what the kernel and the firmware say of security, as path:line.
boot=/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
[ ! -d /sys/module/kernel ] || [ -d /sys/module/apparmor ] || echo /sys/module/apparmor:absent
[ ! -d /sys/firmware ] || {
    firmware=
    for entry in /sys/firmware/*; do
        [ ! -e "$entry" ] || firmware="$firmware${entry##*/} "
    done
    echo "/sys/firmware:$firmware"
}
[ ! -e "$boot" ] || echo "$boot:$(od -An -tu1 "$boot")"
grep -H '' /sys/kernel/security/lockdown /sys/kernel/security/lsm /sys/fs/selinux/enforce \
    /sys/module/apparmor/parameters/enabled /proc/filesystems /etc/ufw/ufw.conf
