# Takes away what roles left: stop UNIT…, undo FILE, restore FILE, unblock FILE, purge FOLDER. Goes on after a failure and
# tells it at the end.
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

restore() { # a file of others that was changed comes back; one that was not stays
    [ ! -e "$1.before-ogai" ] || mv -f -- "$1.before-ogai" "$1" || og_failed=1
}

# Our lines go from a file of others. If nothing else was added to it since, it is as it was before; else what others added
# stays, and what was taken out of it comes back at its end. Written in place, for containers have such files mounted.
unblock() {
    [ -e "$1" ] || return 0
    og_rest=$(mktemp) || { og_failed=1; return 0; }
    sed '/^# BEGIN ogai/,/^# END ogai/d' "$1" >"$og_rest"
    if [ -e "$1.before-ogai" ]; then
        if ! grep -qvxF -f "$1.before-ogai" "$og_rest"; then
            cat "$1.before-ogai" >"$og_rest"
        else
            grep -vxF -f "$og_rest" "$1.before-ogai" >>"$og_rest.more"
            cat "$og_rest.more" >>"$og_rest"
        fi
    fi
    if cat "$og_rest" >"$1"; then rm -f -- "$1.before-ogai"; else og_failed=1; fi
    rm -f "$og_rest" "$og_rest.more"
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
