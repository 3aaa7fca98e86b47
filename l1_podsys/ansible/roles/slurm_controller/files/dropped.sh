# dropped.sh NAME…: refuses when slurm.conf is about to lose nodes on which something runs, for slurmctld would end that.
set -eu
[ -e /etc/slurm/slurm.conf ] || exit 0
lost=
for name in $(sed -n 's/^NodeName=\([^ ]*\).*/\1/p' /etc/slurm/slurm.conf); do
    case " $* " in *" $name "*) ;; *) lost=$lost,$name ;; esac
done
[ -n "$lost" ] || exit 0
busy=$(timeout 30 squeue --noheader --format=%N --states=running,completing,suspended --nodelist="${lost#,}" 2>/dev/null | sort -u)
[ -z "$busy" ] || {
    echo "/etc/slurm/slurm.conf: found work on" $busy "while ${lost#,} are about to leave the list; expected idle nodes." \
        "Drain them first; or, where they should stay, look at all nodes: ogai cluster up without --limit" >&2
    exit 1
}
