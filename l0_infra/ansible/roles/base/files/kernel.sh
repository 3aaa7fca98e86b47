# Makes the kernel's settings those that are written; prints what it changed. A container's kernel is its host's: what is
# refused there is told and passed over.
bad=0

refused() {
    if systemd-detect-virt --container --quiet; then
        echo "passed over in this container: $1"
    else
        echo "$1" >&2
        bad=1
    fi
}

plain() { # without the tabs that the kernel puts between numbers
    tr -s '[:space:]' ' ' | sed 's/^ //; s/ $//'
}

setting() { # setting NAME VALUE
    found=$(sysctl -n "$1" 2>&1 | plain)
    [ "$found" != "$(echo "$2" | plain)" ] || return 0
    if told=$(sysctl -q -w "$1=$2" 2>&1); then echo "changed $1: $found to $2"; else refused "$1: found $found; expected $2: $told"; fi
}

value() { # value FILE VALUE
    found=$(cat "$1" 2>&1)
    [ "$found" != "$2" ] || return 0
    { echo "$2" >"$1"; } 2>/dev/null
    now=$(cat "$1" 2>&1)
    case $1:$now in
    *:"$2") echo "changed $1: $found to $2" ;;
    */nr_hugepages:*) refused "$1: found $now; expected $2. Memory in use can be too scattered for huge pages: reboot the node" ;;
    *) refused "$1: found $now; expected $2" ;;
    esac
}

while read -r name _ wanted; do
    case $name in \#*) ;; *) setting "$name" "$wanted" ;; esac
done </etc/sysctl.d/60-ogai.conf
while read -r kind files _ _ _ _ wanted; do
    [ "$kind" = w ] || continue
    for file in $files; do # a pattern that nothing matches stays one: there is no such thing to set
        case $file in *\**) ;; *) value "$file" "$wanted" ;; esac
    done
done </etc/tmpfiles.d/60-ogai.conf
exit $bad
