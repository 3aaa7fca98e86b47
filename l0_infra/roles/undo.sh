# Takes away what roles left: stop UNIT…, undo FILE, purge FOLDER. Goes on after a failure and tells it at the end.
og_failed=0

stop() {
    for og_unit in "$@"; do
        systemctl cat -- "$og_unit" >/dev/null 2>&1 || continue
        systemctl disable --now -- "$og_unit" >/dev/null 2>&1 || { echo "$og_unit does not stop" >&2; og_failed=1; }
        systemctl reset-failed -- "$og_unit" 2>/dev/null
    done
}

undo() {
    if [ -e "$1.before-ogai" ]; then
        mv -f -- "$1.before-ogai" "$1" || og_failed=1
    elif [ -f "$1" ] && ! packaged "$1"; then
        rm -f -- "$1" || og_failed=1
    fi
}

packaged() {
    if command -v dpkg-query >/dev/null; then dpkg-query -S -- "$1"; else rpm -qf -- "$1"; fi >/dev/null 2>&1
}

purge() {
    case $1 in
        /*/*/*) rm -rf --one-file-system -- "$1" || og_failed=1 ;;
        *) echo "$1 is too near the root to be removed" >&2; og_failed=1 ;;
    esac
}
