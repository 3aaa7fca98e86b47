# Runs the facts named below all at once and prints one bundle; see bundle.py for its form. Needs /proc, awk and mktemp.
# Nothing here waits for a fact: one whose program is stuck in the kernel is reported as hung and left behind.
# A fact costs no process but its own: thousands of nodes are asked, and each does its work beside a training.
export LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/opt/rocm/bin
umask 077
limit=$1
bytes=$2
facts=
dir=

fact() { # NAME PROGRAM COMMAND
    if ! command -v "$2" >/dev/null; then
        echo "@ $1 absent"
        return
    fi
    [ -n "$dir" ] || make_dir
    run=
    case $3 in *[!-a-zA-Z0-9_\ /.,:=]*) ;; "$2" | "$2 "*) run=exec ;; esac # it takes the shell's place
    (eval "$run $3") </dev/null >"$dir/$1.out" 2>"$dir/$1.err" &
    facts="$facts $1:$!"
}

make_dir() {
    dir=$(mktemp -d 2>/dev/null) || dir=$(mktemp -d /dev/shm/ogai.XXXXXXXX) || exit 73
    trap 'rm -rf "$dir"' EXIT
    trap 'exit 74' HUP INT PIPE TERM
}

at_work() { # whether a fact is; looked for in /proc, which costs no process
    for one in $facts; do
        line=
        read -r line <"/proc/${one##*:}/stat" || continue
        case ${line##*) } in [ZX]*) ;; *) return 0 ;; esac
    done 2>/dev/null
    return 1
}

find_late() { # prints the facts' processes that are still at work, the last descendants included
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*) //' | awk -v facts="$facts" -v top=$$ '
        { state[$1] = $2; parent[$1] = $3 }
        END {
            count = split(facts, list, " ")
            for (i = 1; i <= count; i++) {
                sub(/.*:/, "", list[i])
                if (parent[list[i]] == top) ours[list[i]]
            }
            do {
                grown = 0
                for (pid in parent) if (!(pid in ours) && (parent[pid] in ours)) { ours[pid]; grown = 1 }
            } while (grown)
            for (pid in ours) if (state[pid] !~ /[ZX]/) print pid
        }'
}

wait_for_all() { # sets how each fact ended; what is late is killed, and not waited for: it may be beyond killing
    # All are stopped before one is killed, lest a shell that lost a program starts its next.
    ends='' late='' pause=0.03 rounds=$((limit * 10))
    while [ $rounds -gt 0 ] && at_work; do
        sleep $pause 2>/dev/null || sleep 1
        rounds=$((rounds - 1))
        [ $pause != 0.05 ] || pause=0.1
        [ $pause != 0.03 ] || pause=0.05
    done
    if at_work; then
        late=" $(find_late | tr '\n' ' ') "
        kill -STOP $late
        kill -KILL $late
    fi 2>/dev/null
    for one in $facts; do
        pid=${one##*:}
        case $late in *" $pid "*) end=hung ;; *) wait "$pid"; end=$? ;; esac
        ends="$ends $end"
    done 2>/dev/null
}

report() {
    wait_for_all
    awk -v dir="$dir" -v facts="$facts" -v ends="$ends" -v bytes="$bytes" '
        function tell(mark, file, most,    line) {
            while ((getline line < file) > 0 && (most -= length(line) + 1) > -1) print mark line
            close(file)
        }
        BEGIN {
            count = split(facts, list, " ")
            split(ends, end, " ")
            for (i = 1; i <= count; i++) {
                sub(/:.*/, "", list[i])
                print "@ " list[i] " " end[i]
                tell("|", dir "/" list[i] ".out", bytes)
                tell("!", dir "/" list[i] ".err", 4000)
            }
        }'
    echo "@ all told"
}
