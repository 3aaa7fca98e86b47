# register.sh CLUSTER: makes the cluster known to the database; prints `changed` when it was not.
set -u
for try in 1 2 3 4 5 6 7 8 9 10; do
    if told=$(sacctmgr -nP show cluster format=cluster 2>&1); then
        echo "$told" | grep -qx "$1" && exit 0
        # slurmctld makes itself known, too: who comes second is told that it is there already.
        told=$(sacctmgr -i add cluster "$1" 2>&1) && echo changed && exit
    fi
    sleep 1
done
echo "$told" >&2
exit 1
