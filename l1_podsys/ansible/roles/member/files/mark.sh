# Writes whose node this is, unless it is another cluster's by now: FILE CLUSTER ID. Prints `changed` when it wrote.
set -eu
umask 022
file=$1
folder=${file%/*}
mkdir -p "$folder"
new=$(mktemp "$folder/.cluster.XXXXXX")
trap 'rm -f "$new"' EXIT
chmod 644 "$new"
printf '# Written by ogai: the cluster that this node belongs to; `ogai cluster remove` and `down` take it away.\n' >"$new"
printf 'cluster=%s\nid=%s\n' "$2" "$3" >>"$new"
if ! ln "$new" "$file" 2>/dev/null; then
    cmp -s "$new" "$file" && exit
    owner=$(sed -n 's/^cluster=//p' "$file")
    if [ -n "$owner" ] && ! grep -qx "id=$3" "$file"; then
        echo "this node belongs to cluster $owner by now: $file" >&2
        exit 1
    fi
    mv -f "$new" "$file"
fi
echo changed
