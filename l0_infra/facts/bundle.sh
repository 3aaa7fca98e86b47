# Runs the facts named below all at once and prints one bundle; see bundle.py for its form. Needs /proc, awk and mktemp.
# Nothing here waits for a fact: one whose program is stuck in the kernel is reported as hung and left behind.
# A fact costs no process but its own: thousands of nodes are asked, and each does its work beside a training.
export LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/opt/rocm/bin
umask 077
limit=$1
bytes=$2
facts=
watcher=
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
    trap 'rm -rf "$dir"; [ -z "$watcher" ] || kill "$watcher"' EXIT
    trap 'exit 74' HUP INT PIPE TERM
}

watch() { # says that time is over, again and again: what is said just before a wait goes unheard
    last=$!
    trap '[ "$!" = "$last" ] || kill $!; exit' TERM
    sleep "$limit" &
    wait $!
    while kill -USR1 $$; do
        sleep 1 &
        wait $!
    done
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
    over='' late='' ends=''
    trap 'over=1' USR1
    watch >/dev/null 2>&1 &
    watcher=$!
    for one in $facts; do
        pid=${one##*:} end=
        [ -n "$over" ] || { wait "$pid"; end=$?; }
        if [ -n "$over" ]; then
            [ -n "$late" ] || { late=" $(find_late | tr '\n' ' ') "; kill -STOP $late; kill -KILL $late; }
            case $late in *" $pid "*) end=hung ;; *) wait "$pid"; end=$? ;; esac
            [ "$end" != 127 ] || end=hung # it ended with its time, and how is lost
        fi
        ends="$ends $end"
    done 2>/dev/null
    kill "$watcher" 2>/dev/null
    watcher=
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
