# Asks the sources named below and prints one bundle; see bundle.py for its form. Needs /proc, awk, grep and mktemp.
# Processes are what a look costs, and thousands of nodes are asked, each beside a training: what is quick is asked by one
# shell, the lane, and the files that are to be read are read by one `grep` at its end; what may be slow has a process of
# its own. Nothing waits without end: a lane that is held up is given up, and what it has not told is asked each by
# itself; a source whose program is stuck in the kernel is told as hung and left behind.
export LC_ALL=C
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/opt/rocm/bin
umask 077
limit=$1
bytes=$2
nl='
'
dir='' lane='' running='' seconds=0

quick() { # NAME PROGRAM WHEN
    is_there "$@" && lane="$lane $1"
}

alone() { # NAME PROGRAM WHEN
    is_there "$@" && start "$1"
}

is_there() {
    command -v "$2" >/dev/null && eval "${3:-:}" && return
    echo "@ $1 absent"
    return 1
}

begin() { # in memory, where there is room: a node's disk may be full, or hang
    dir=$(mktemp -d /dev/shm/ogai.XXXXXXXX 2>/dev/null) || dir=$(mktemp -d) || exit 73
    trap 'rm -rf "$dir"' EXIT
    trap 'exit 74' HUP INT PIPE TERM
    trap 'seconds=$((seconds + 1))' ALRM
}

start() { # NAME
    [ -n "$dir" ] || begin
    (run_source "$1") </dev/null >"$dir/$1.out" 2>"$dir/$1.err" &
    running="$running $1:$!"
}

run_lane() {
    put_off=''
    exec 3>"$dir/put-off" 4>"$dir/ended"
    for asked in $lane; do
        run_source "$asked" >"$dir/$asked.out" 2>"$dir/$asked.err"
        echo "$asked $?" >&4
    done
    IFS=$nl
    set -f
    exec grep -H '' $put_off >"$dir/read.out" 2>"$dir/read.err"
}

leave_files() { # MARK FILE...: to the lane's end; `:` keeps the names before the lines, `-START` does not, and only
    # takes lines that begin so
    mark=$1
    shift
    printf "$asked $mark %s\n" "$@" >&3
    IFS=$nl
    put_off="$put_off$nl$*"
    unset IFS
}

in_lane() { # what a source that is quick calls to read files
    grep() {
        case $1,$2 in
            -H, | -Hs,) shift 2 && leave_files : "$@" ;;
            -h,^[a-z]*) mark=${2#^} && shift 2 && leave_files "-${mark% }" "$@" ;;
            *) command grep "$@" ;;
        esac
    }
    cat() {
        leave_files - "$@"
    }
    run_lane
}

give_up_lane() { # what it ended counts, except where files were to be read
    end_all "$1"
    told=' ' put_off=' '
    while read -r name _; do told="$told$name "; done <"$dir/ended"
    while read -r name _; do put_off="$put_off$name "; done <"$dir/put-off"
    : >"$dir/put-off"
    for name in $lane; do
        case $told/$put_off in
            */*" $name "*) start "$name" ;;
            *" $name "*/*) ;;
            *) start "$name" ;;
        esac
    done
}

start_clock() { # a second is over whenever it sends SIGALRM
    (
        trap 'kill -KILL $!; exit' TERM
        while :; do
            sleep 1 &
            wait $!
            read -r _ _ _ parent _ </proc/self/stat
            [ "$parent" = $$ ] && kill -ALRM $$ || exit
        done
    ) </dev/null >/dev/null 2>&1 &
    clock=$!
}

await() { # PID SECOND: sets how it ended; one that is still at work in that second is `hung`
    while :; do
        second=$seconds
        [ "$second" -lt "$2" ] || ! at_work "$1" || { end=hung && return; }
        wait "$1"
        end=$?
        [ $end -gt 128 ] && [ "$second" != "$seconds" ] || return 0
    done 2>/dev/null
}

at_work() { # PID; /proc tells, which costs no process
    read -r line <"/proc/$1/stat" || return
    case ${line##*) } in [ZX]*) return 1 ;; esac
}

end_all() { # PID...: kills them and their descendants, and does not wait: they may be beyond killing
    # All are stopped before one is killed, lest a shell that lost a program starts its next.
    late=$(find_descendants "$*" | tr '\n' ' ')
    kill -STOP $late
    kill -KILL $late
} 2>/dev/null

find_descendants() { # PIDS: prints those of our children that are still at work, the last descendants included
    cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*) //' | awk -v pids="$1" -v top=$$ '
        { state[$1] = $2; parent[$1] = $3 }
        END {
            count = split(pids, list, " ")
            for (i = 1; i <= count; i++) if (parent[list[i]] == top) ours[list[i]]
            do {
                grown = 0
                for (pid in parent) if (!(pid in ours) && (parent[pid] in ours)) { ours[pid]; grown = 1 }
            } while (grown)
            for (pid in ours) if (state[pid] !~ /[ZX]/) print pid
        }'
}

wait_for_all() { # writes how each ended
    start_clock
    if [ -n "$lane" ]; then
        [ -n "$dir" ] || begin
        in_lane </dev/null >/dev/null 2>&1 &
        lane_pid=$!
        await $lane_pid $((limit / 5 + 1))
        case $end in [012]) ;; *) give_up_lane $lane_pid && limit=$((seconds + limit)) ;; esac
    fi
    late=''
    for one in $running; do
        await "${one#*:}" "$limit"
        [ "$end" != hung ] || late="$late ${one#*:}"
        echo "${one%:*} $end" >>"$dir/ended"
    done
    [ -z "$late" ] || end_all $late
    kill "$clock"
}

report() {
    if [ -n "$lane$running" ]; then
        wait_for_all
        tell
    fi
    echo "@ all told"
    [ -z "$dir" ] || { trap - EXIT && exec rm -rf "$dir"; }
}

tell() {
    awk -v dir="$dir" -v bytes="$bytes" '
        function print_file(mark, file, most,    line) {
            while ((getline line < file) > 0 && (most -= length(line) + 1) > -1) print mark line
            close(file)
            return most
        }
        function print_read(name, most,    i) {
            for (i = 1; i <= count[name] && (most -= length(said[name, i]) + 1) > -1; i++) print "|" said[name, i]
        }
        BEGIN {
            while ((getline line < (dir "/put-off")) > 0) {
                split(line, word, " ")
                owner[++files] = word[1]
                start[files] = word[2]
                path[files] = word[3]
            }
            first = 1
            while ((getline line < (dir "/read.out")) > 0) { # in the order of the files, as path:line
                for (i = first; i <= files && index(line, path[i] ":") != 1; i++);
                if (i > files) continue
                first = i
                text = substr(line, length(path[i]) + 2)
                if (start[i] == ":") text = line
                else if (index(text, substr(start[i], 2)) != 1 && start[i] != "-") continue
                said[owner[i], ++count[owner[i]]] = text
            }
            while ((getline line < (dir "/read.err")) > 0) {
                if (line !~ /: Permission denied$/) continue
                for (i = 1; i <= files; i++) if (index(line, ": " path[i] ": ")) denied[owner[i]] = denied[owner[i]] "!" line "\n"
            }
            while ((getline line < (dir "/ended")) > 0) {
                split(line, word, " ")
                if (!(word[1] in end)) names[++sources] = word[1]
                end[word[1]] = word[2]
            }
            for (n = 1; n <= sources; n++) {
                name = names[n]
                print "@ " name " " end[name]
                print_read(name, print_file("|", dir "/" name ".out", bytes))
                print_file("!", dir "/" name ".err", 4000)
                printf "%s", denied[name]
            }
        }'
}
