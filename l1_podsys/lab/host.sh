# The keeper of one host: gives it a disk, a cable and a name, boots it, and boots it again when it asks for that.
#
#   host.sh outside|inside PROGRAM… (systemd-nspawn and its arguments), the rest in the environment: LAB_FOLDER, LAB_IMAGE,
#   LAB_GROUPS (folders of control groups), LAB_BRIDGE, LAB_CABLE, LAB_ADDRESS, LAB_GATEWAY, LAB_MAC
#
# It holds a lock on the host's folder as long as it lives. Its mounts and its network are in namespaces of its own, so that
# the kernel takes them away with the last process, whatever ends it.

outside() {
    exec 9<"$LAB_FOLDER" || exit 0
    flock --timeout 10 9 || exit 0 # who only looks whether a keeper lives holds it for a moment
    [ "$LAB_FOLDER" -ef /proc/self/fd/9 ] || exit 0 # the lab was taken down before this began
    for group in $LAB_GROUPS; do
        mkdir -p "$group/keeper" "$group/machine" && echo $$ >"$group/keeper/cgroup.procs" || exit
    done
    exec 8</proc/self/ns/net
    exec unshare --mount --net --propagation slave sh "$0" inside "$@"
}

inside() {
    mount_root && connect || exit
    while :; do
        boot "$@"
        [ $? -eq 133 ] || break # 133: the host asked for a reboot (systemd-nspawn(1), --keep-unit)
    done
}

mount_root() {
    if [ -e disk.img ]; then
        disk_is_free && mount -o loop,noatime disk.img disk || return
    fi
    mkdir -p disk/upper disk/work root &&
        mount -t overlay -o "lowerdir=$LAB_IMAGE,upperdir=disk/upper,workdir=disk/work" overlay root || return
    [ -e disk/given ] && return
    # Files only: the folders on their way keep what the image gives them.
    (cd files && find . ! -type d -print0 | tar --create --null --files-from=-) | tar --extract --directory=root &&
        : >disk/given
}

disk_is_free() { # once nothing of the host as it was before holds the disk any more
    tries=200
    while grep -qsxF "$(pwd -P)/disk.img" /sys/block/loop*/loop/backing_file; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || { echo "disk.img: found in use by another loop device; expected free" >&2 && return 1; }
        sleep 0.05
    done
}

connect() {
    lab() { nsenter --net=/proc/self/fd/8 "$@"; }
    lab ip link delete "$LAB_CABLE" 2>/dev/null
    lab ip link add "$LAB_CABLE" type veth peer name eth0 address "$LAB_MAC" netns $$ &&
        lab ip link set "$LAB_CABLE" master "$LAB_BRIDGE" up &&
        ip link set lo up && ip address add "$LAB_ADDRESS" dev eth0 && ip link set eth0 up &&
        ip route add default via "$LAB_GATEWAY"
}

boot() (
    for group in $LAB_GROUPS; do
        sh -c 'echo $PPID >"$1/machine/cgroup.procs"' sh "$group"
    done
    exec setpriv --pdeathsig KILL "$@" 8<&- 9<&- </dev/null >>console.log 2>&1
)

cd "$LAB_FOLDER" || exit 0
"$@"
exit
