# Takes the written settings up at once. A container's kernel is its host's: what is refused there is told and passed over.
bad=0

refused() {
    if systemd-detect-virt --container --quiet; then
        echo "passed over in this container: $1"
    else
        echo "$1" >&2
        bad=1
    fi
}

systemctl daemon-reexec || bad=1
systemctl restart systemd-journald || bad=1
told=$(sysctl -q -e -p /etc/sysctl.d/60-ogai.conf 2>&1) || refused "$told"
told=$(systemd-tmpfiles --create /etc/tmpfiles.d/60-ogai.conf 2>&1) || refused "$told"
while read -r kind file _ _ _ _ wanted; do
    case $kind:$file in
    w:*/nr_hugepages)
        found=$(cat "$file" 2>/dev/null || echo "none of this size")
        [ "$found" = "$wanted" ] ||
            refused "$file: found $found; expected $wanted. Memory in use can be too scattered for huge pages: reboot this node"
        ;;
    esac
done </etc/tmpfiles.d/60-ogai.conf
exit $bad
