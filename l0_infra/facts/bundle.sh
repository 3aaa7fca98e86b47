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
        echo $? >"$dir/$1.code"
        mv "$dir/$1.code" "$dir/$1.end"
    } </dev/null >/dev/null 2>&1 &
}

make_dir() {
    dir=$(mktemp -d 2>/dev/null) || dir=$(mktemp -d /dev/shm/ogai.XXXXXXXX) || exit 73
    trap 'rm -rf "$dir"' EXIT
    trap 'exit 74' HUP INT PIPE TERM
}

finished() {
    for name in $names; do
        [ -e "$dir/$name.end" ] || return 1
    done
}

report() {
    rounds=$((limit * 20 + 20))
    until finished || [ $rounds -le 0 ]; do
        rounds=$((rounds - 1))
        sleep 0.05
    done
    for name in $names; do
        how=hung
        [ ! -e "$dir/$name.end" ] || read -r how <"$dir/$name.end"
        echo "@ $name $how"
        { head -c "$bytes" "$dir/$name.out"; echo; } | sed 's/^/|/'
        [ ! -s "$dir/$name.err" ] || { head -c 4000 "$dir/$name.err"; echo; } | sed 's/^/!/'
    done
    echo "@ all told"
}
