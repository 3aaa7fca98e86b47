# Tries in namespaces of its own what a lab needs of this kernel; prints a line for each thing that cannot be had.
attempt() { # attempt WHAT COMMAND…
    what=$1
    shift
    said=$("$@" 2>&1) || echo "$what: $(printf '%s' "$said" | tail -n 1)"
}
overlay() {
    mount -t tmpfs tmpfs /mnt && mkdir /mnt/lower /mnt/upper /mnt/work /mnt/root &&
        mount -t overlay -o lowerdir=/mnt/lower,upperdir=/mnt/upper,workdir=/mnt/work overlay /mnt/root
}
attempt "overlay file systems" overlay
attempt "network bridges" ip link add ogl0 type bridge
attempt "pairs of network interfaces (veth)" ip link add ogl1 type veth peer name ogl2
attempt "address translation (nftables)" nft "add table ip lab; add chain ip lab out { type nat hook postrouting priority 100 ; }; add rule ip lab out masquerade"
exit 0
