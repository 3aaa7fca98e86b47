# Runs the facts named below all at once and prints one bundle; see bundle.py for its form.
# Nothing here waits for a fact: one whose program is stuck in the kernel is reported as hung and left behind.
export LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/opt/rocm/bin
umask 077
limit=$1
bytes=$2
names=
dir=
bounded=
command -v timeout >/dev/null && bounded="timeout -s KILL $limit"

fact() { # NAME PROGRAM COMMAND
    if ! command -v "$2" >/dev/null; then
        echo "@ $1 absent"
        return
    fi
    [ -n "$dir" ] || make_dir
    names="$names $1"
    {
        $bounded sh -c "$3" >"$dir/$1.out" 2>"$dir/$1.err"
        echo $? >"$dir/$1.end"
    } </dev/null >/dev/null 2>&1 &
}

make_dir() {
    dir=$(mktemp -d 2>/dev/null) || dir=$(mktemp -d /dev/shm/ogai.XXXXXXXX) || exit 73
    trap 'rm -rf "$dir"' EXIT
    trap 'exit 74' HUP INT PIPE TERM
}

finished() {
    for name in $names; do
        [ -s "$dir/$name.end" ] || return 1
    done
}

cut() { # BYTES FILES…: what is longer loses its end
    most=$1
    shift
    for long in $(find "$@" -size "+${most}c" 2>/dev/null); do
        head -c "$most" "$long" >"$dir/cut" && mv "$dir/cut" "$long"
    done
}

marked() { # MARK FILE: each line behind a mark; a last line without an end gets one
    [ ! -s "$2" ] || { sed "s/^/$1/" "$2" && echo; }
}

report() {
    rounds=$((limit * 50 + 50))
    until finished || [ $rounds -le 0 ]; do
        rounds=$((rounds - 1))
        sleep 0.02
    done
    cut "$bytes" "$dir"/*.out
    cut 4000 "$dir"/*.err
    for name in $names; do
        how=hung
        [ ! -s "$dir/$name.end" ] || read -r how <"$dir/$name.end"
        echo "@ $name $how"
        marked '|' "$dir/$name.out"
        marked '!' "$dir/$name.err"
    done
    echo "@ all told"
}
