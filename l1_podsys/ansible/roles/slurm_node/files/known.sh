# known.sh SERVER CONF: sees that the controller knows this node as CONF says; prints `changed` when it did not.
# Slurm (22.05 and 24.11) keeps the first description of a node that joined, whatever its slurmd says later, until
# the node is deleted; and it refuses to delete one on which something runs. A drain is taken over.
set -eu
export SLURM_CONF_SERVER=$1
wanted=$2
name=$(hostname -s)
record=

look() { # look HALF_SECONDS: reads what the controller knows, waiting for it to know something
    for try in $(seq "$1"); do
        record=$(scontrol --oneliner show node "$name" 2>/dev/null) && return 0
        sleep 0.5
    done
    return 1
}

field() {
    printf '%s\n' "$record" | tr ' ' '\n' | sed -n "s/^$1=//p" | head -n 1 | sed 's/([^)]*)//g'
}

differs() { # prints the first thing that is not as wanted
    case " $wanted" in *" Gres="*) ;; *) [ -z "$(field Gres)" ] || echo "Gres=$(field Gres)" ;; esac
    for pair in $wanted; do
        value=${pair#*=}
        case ${pair%%=*} in
        CPUs) found=$(field CPUTot) ;;
        SocketsPerBoard) found=$(field Sockets) ;;
        Feature) found=$(field AvailableFeatures | tr , '\n' | grep -Fx "$value" || field AvailableFeatures) ;;
        *) found=$(field "${pair%%=*}") ;;
        esac
        [ "$found" = "$value" ] || echo "${pair%%=*}=$found"
    done | head -n 1
}

join() {
    systemctl restart slurmd
    look 60 && return 0
    echo "node $name: found unknown to the controller at $SLURM_CONF_SERVER 30 s after slurmd's start; expected to" \
        "have joined. The end of /var/log/slurm/slurmd.log:" >&2
    tail -n 5 /var/log/slurm/slurmd.log >&2
    exit 1
}

if ! look 10; then
    join
    echo "changed: joined"
fi
[ -n "$wanted" ] || exit 0
difference=$(differs)
[ -n "$difference" ] || exit 0

state=$(field State)
reason=$(printf '%s\n' "$record" | sed -n 's/.* Reason=\(.*\) \[[^]]*\].*/\1/p')
forget() { # a node whose work has just ended is busy for some seconds more
    for try in 1 2 3 4 5; do
        answer=$(scontrol delete "nodename=$name" 2>&1) && return 0
        sleep 1
    done
    return 1
}

if ! forget; then
    echo "node $name: found $difference at the controller, which keeps that while work runs here ($answer); expected" \
        "$wanted. Drain it, wait until it is idle, and run this again" >&2
    exit 1
fi
join
case $state in
*DRAIN*) scontrol update "nodename=$name" state=drain "reason=${reason:-drained before it was described anew}" ;;
esac
difference=$(differs)
if [ -n "$difference" ]; then
    echo "node $name: found $difference at the controller; expected $wanted" >&2
    exit 1
fi
echo "changed: described anew"
