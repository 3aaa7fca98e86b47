# look.sh TOKEN LEAD MOUNTPOINT…: the leading node marks each file system, the others must find the mark there.
set -u
token=$1 lead=$2
shift 2
bad=0
for point; do
    mark=${point%/}/.ogai-cluster
    found=$(cat "$mark" 2>/dev/null)
    if [ ! -d "$point" ]; then
        echo "$point: found no such folder; expected a file system that all nodes see" >&2
        bad=1
    elif [ "$found" = "$token" ]; then
        continue
    elif [ "$lead" = True ]; then
        printf '%s\n' "$token" >"$mark" && echo "changed $mark" || bad=1
    else
        echo "$point: found ${found:-no mark of a cluster}; expected that of $token, which the head wrote there." \
            "Is it mounted here?" >&2
        bad=1
    fi
done
exit $bad
