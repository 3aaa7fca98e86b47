# Prints the limit files of this process's control groups and of all their parents (cgroup v1 and v2), as path:line.
found=
walk() { # MOUNT PATH FILE...
    mount=$1 path=$2
    shift 2
    while :; do
        for file; do
            [ -e "$mount$path/$file" ] && found="$found$mount$path/$file$nl"
        done
        [ -n "$path" ] || return 0
        path=${path%/*}
    done
}

nl='
'
while IFS=: read -r _ names group; do
    case ",$names," in ,, | *,memory,* | *,cpu,*) ;; *) continue ;; esac
    [ "$group" = / ] && group=
    while read -r _ mountpoint type options _; do
        case "$type:,$names,$options," in
            cgroup2:,,*) walk "$mountpoint" "$group" cpu.max memory.max ;;
            cgroup:*,memory,*,memory,*) walk "$mountpoint" "$group" memory.limit_in_bytes ;;
            cgroup:*,cpu,*,cpu,*) walk "$mountpoint" "$group" cpu.cfs_quota_us cpu.cfs_period_us ;;
        esac
    done </proc/mounts
done </proc/self/cgroup
set -f
IFS=$nl
exec grep -H -e Cpus_allowed_list -e '^[0-9m-]' /proc/self/status $found
