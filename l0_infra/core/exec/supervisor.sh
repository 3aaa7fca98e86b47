# Runs one command for a client that may die at any moment, and ends the command with all its descendants when the
# client's input ends or the time is over. Needs /proc, awk, sed, grep, head, sort; uses setsid and timeout where
# present. It starts few processes, and forks for no word that the shell knows itself: every command pays for it.
#
# Read by a bootstrap and given to eval, with $1 = the run's id and og_nl = a newline. On stdin follow: one line
# "SIZE LIMIT" (bytes of the command's input; seconds, or "none"), shell code that sets cwd, environment and "$@", the
# id alone on a line, SIZE bytes of input, and then nothing until the client wants the end: EOF.
#
# A process is ours when it descends from the runner, or carries OGAI_EXEC=<id> in its environment, or is in a session
# of one of ours. Only a daemon that did all of it, a cleared environment, a session of its own and a parent that left,
# goes unseen. Every round of signals looks anew, and parents are told before their children.
#
# As any background command of sh, the command starts with SIGINT and SIGQUIT ignored.

og_id=$1 og_top=$$ og_ending='' og_sessions='' og_request='' og_setsid='' og_timeout=''
command -v timeout >/dev/null && og_timeout='timeout 5'
IFS=' ' read -r og_size og_limit || exit
while IFS= read -r og_line && [ "$og_line" != "$og_id" ]; do og_request=$og_request$og_line$og_nl; done
[ "$og_line" = "$og_id" ] || exit
for og_word in /usr/bin/setsid /bin/setsid; do [ ! -x $og_word ] || og_setsid=$og_word; done

og_ours() {
    {
        $og_timeout grep -lszFx "OGAI_EXEC=$og_id" /proc/[0-9]*/environ | sed 's/[^0-9]//g'
        cat /proc/[0-9]*/stat | sed 's/(.*) //'
    } 2>/dev/null | awk -v top="$og_top" -v runner="$og_runner" -v known="$og_sessions" '
        NF == 1 { ours[$1] }
        NF > 5 { state[$1] = $2; parent[$1] = $3; session[$1] = $5 }
        END {
            ours[runner]
            count = split(known, list, " ")
            for (i = 1; i <= count; i++) sessions[list[i]]
            do {
                grown = 0
                for (pid in parent) {
                    if (!(pid in ours) && ((parent[pid] in ours) || (session[pid] in sessions))) { ours[pid]; grown = 1 }
                    if ((pid in ours) && session[pid] != session[top] && !(session[pid] in sessions)) {
                        sessions[session[pid]]; grown = 1
                        print "s" session[pid]
                    }
                }
            } while (grown)
            for (pid in ours) if ((pid in state) && state[pid] !~ /[ZX]/) print pid
        }' | sort -n
}

og_look() {
    og_living=''
    for og_word in $(og_ours); do
        case $og_word in
            s*) og_sessions="$og_sessions ${og_word#s}" ;;
            *) og_living="$og_living $og_word" ;;
        esac
    done
    [ -n "$og_living" ]
}

og_end_all() { # SIGTERM, two seconds of grace, then SIGKILL until nothing is left; what the kernel holds is given up
    og_round=0
    while og_look && [ $og_round -lt 70 ]; do
        [ $og_round -eq 0 ] && { kill -TERM $og_living; kill -CONT $og_living; }
        [ $og_round -ge 20 ] && kill -KILL $og_living
        sleep 0.1 || sleep 1
        og_round=$((og_round + 1))
    done 2>/dev/null
}

trap 'og_ending=1' TERM HUP INT
exec 3<&0

# The feeder passes the input on, then waits for EOF or the time limit. Its first line tells the runner whom to stop.
# What fits into a pipe is passed on at once, and needs no clock.
# Only a command that leaves more than a pipe's worth of its input unread hides an EOF, until the time limit.
{
    read -r og_feeder og_line </proc/self/stat && echo "$og_feeder"
    og_clock=''
    [ "$og_limit" = none ] || [ -z "$og_timeout" ] || og_clock="timeout $og_limit"
    if [ "$og_size" -gt 65536 ]; then
        $og_clock head -c "$og_size"
    elif [ "$og_size" -gt 0 ]; then
        head -c "$og_size"
    fi
    if [ $? -ne 124 ]; then
        exec >/dev/null
        $og_clock cat
    fi
    kill -TERM $og_top
} <&3 2>/dev/null | {
    IFS= read -r og_feeder
    (
        exec 2>&4 4>&-
        export OGAI_EXEC="$og_id"
        eval "$og_request"
        exec $og_setsid "$@"
    )
    og_status=$?
    kill -KILL "$og_feeder"
    exit $og_status
} 3<&- 4>&2 2>/dev/null &
og_runner=$!
exec 3<&-

wait $og_runner 2>/dev/null
og_status=$?
[ -z "$og_ending" ] || og_end_all
printf '%s}%s\n' "$og_id" "$og_status"
printf '%s}%s\n' "$og_id" "$og_status" >&2
exit 0
