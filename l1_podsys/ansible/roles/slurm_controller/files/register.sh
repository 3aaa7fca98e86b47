# register.sh CLUSTER: makes the cluster known to the database; prints `changed` when it was not.
set -u
for try in 1 2 3 4 5 6 7 8 9 10; do
    if known=$(sacctmgr -nP show cluster format=cluster 2>&1); then
        echo "$known" | grep -qx "$1" && exit 0
        sacctmgr -i add cluster "$1" && echo changed
        exit
    fi
    sleep 1
done
echo "$known" >&2
exit 1
