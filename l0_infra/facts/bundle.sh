# Runs the facts named below all at once and prints one bundle; see bundle.py for its form. Needs /proc, awk and mktemp.
# Nothing here waits for a fact: one whose program is stuck in the kernel is reported as hung and left behind.
# A fact costs no process but its own: thousands of nodes are asked, and each does its work beside a training.
export LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/opt/rocm/bin
umask 077
limit=$1
bytes=$2
names=
tops=
dir=

fact() { # NAME PROGRAM COMMAND
    if ! command -v "$2" >/dev/null; then
        echo "@ $1 absent"
        return
    fi
    [ -n "$dir" ] || make_dir
    names="$names $1"
    {
        (eval "$3") >"$dir/$1.out" 2>"$dir/$1.err"
        echo $? >"$dir/$1.end"
    } </dev/null >/dev/null 2>&1 &
    tops="$tops $!"
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

wait_for_all() {
    pauses='0.02 0.02 0.03 0.05'
    rounds=$((limit * 10))
    until finished || [ $rounds -le 0 ]; do
        pause=${pauses%% *}
        [ "$pauses" = 0.1 ] || pauses="${pauses#"$pause"} 0.1"
        pauses=${pauses# }
        sleep "$pause" 2>/dev/null || sleep 1
        rounds=$((rounds - 1))
    done
}

end_late() { # kills what is still at work, the last descendants included
    finished && return
    late=$(cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*) //' | awk -v tops="$tops" '
        { parent[$1] = $3 }
        END {
            count = split(tops, list, " ")
            for (i = 1; i <= count; i++) ours[list[i]]
            do {
                grown = 0
                for (pid in parent) if (!(pid in ours) && (parent[pid] in ours)) { ours[pid]; grown = 1 }
            } while (grown)
            for (pid in ours) if (pid in parent) print pid
        }')
    kill -KILL $late 2>/dev/null
}

report() {
    wait_for_all
    end_late
    awk -v dir="$dir" -v names="$names" -v bytes="$bytes" '
        function tell(mark, file, most,    line) {
            while ((getline line < file) > 0 && (most -= length(line) + 1) > -1) print mark line
            close(file)
        }
        BEGIN {
            count = split(names, list, " ")
            for (i = 1; i <= count; i++) {
                path = dir "/" list[i]
                how = "hung"
                getline how < (path ".end")
                print "@ " list[i] " " how
                tell("|", path ".out", bytes)
                tell("!", path ".err", 4000)
            }
        }'
    echo "@ all told"
}
