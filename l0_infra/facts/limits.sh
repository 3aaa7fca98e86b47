# Prints the limit files of this process's control groups and of all their parents (cgroup v1 and v2), as path:line.
found=
walk() { # MOUNT PATH FILE...
    mount=$1 path=$2
    shift 2
    while :; do
        for file; do
            [ ! -e "$mount$path/$file" ] || found="$found$mount$path/$file$nl"
        done
        [ -n "$path" ] || return 0
        path=${path%/*}
    done
}

look() { # MOUNT CONTROLLERS PATH
    case ,$2, in
        ,,) walk "$1" "$3" cpu.max memory.max ;;
        *,memory,*) walk "$1" "$3" memory.limit_in_bytes ;;
        *,cpu,*) walk "$1" "$3" cpu.cfs_quota_us cpu.cfs_period_us ;;
    esac
}

mounted() { # CONTROLLERS: sets where they are mounted; /proc/mounts can be long, and is read where it is elsewhere
    for mount in "/sys/fs/cgroup/${1:-unified}" "/sys/fs/cgroup"; do
        [ ! -e "$mount/cgroup.procs" ] || return 0
    done
    while read -r _ mount type options _; do
        case $type:$1,$options, in cgroup2:,* | cgroup:"$1",*",$1,"*) return 0 ;; esac
    done </proc/mounts
    return 1
}

nl='
'
while IFS=: read -r _ names group; do
    case ,$names, in ,, | *,memory,* | *,cpu,*) mounted "$names" && look "$mount" "$names" "${group%/}" ;; esac
done </proc/self/cgroup
IFS=$nl
set -f
grep -H '' /proc/self/status $found
set +f
unset IFS
