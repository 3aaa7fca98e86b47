# Asks disks for their health, each under its name; a disk that does not answer is the last one named.
ask() { # PATTERN PROGRAM ARGUMENT...
    pattern=$1
    shift
    for name in $(ls /sys/block); do
        case $name in nvme*c*n*) continue ;; $pattern) ;; *) continue ;; esac
        echo "$ $* /dev/$name"
        if [ -r "/dev/$name" ]; then
            "$@" "/dev/$name"
        else
            echo "$1: /dev/$name: Permission denied" >&2
        fi
    done
    true
}
