# Prints lock files of package managers and their folders (path:device inode), what pid files say, the kernel's locks,
# the programs behind them, when those were started, and how long the machine has been up.
# A file that is merely there locks nothing: apt, dpkg and rpm hold a lock on it, dnf, yum and zypper write their pid.
programs=
tell() { # FILE PID
    echo "$1:pid $2"
    programs="$programs /proc/$2/comm /proc/$2/stat"
}
for file in /var/run/yum.pid /var/cache/dnf/metadata_lock.pid /var/cache/dnf/download_lock.pid \
    /var/lib/dnf/rpmdb_lock.pid /run/zypp.pid; do
    pid=
    [ ! -r "$file" ] || read -r pid _ <"$file"
    case $pid in '' | *[!0-9]*) ;; *) tell "$file" "$pid" ;; esac
done
# pacman has its file open for as long as it holds the lock; this looks through all processes, so only where it is there.
file=/var/lib/pacman/db.lck
[ ! -e "$file" ] || for open in $(find /proc/[0-9]*/fd -lname "$file"); do
    pid=${open#/proc/}
    tell "$file" "${pid%%/*}"
done
written=
while read -r _ kind _ mode pid _; do
    case $kind:$mode:$pid in *:*:*[!0-9]*) ;; *:WRITE:*) programs="$programs /proc/$pid/comm /proc/$pid/stat" ;; esac
    case $kind:$mode in POSIX:WRITE | OFDLCK:WRITE) written=1 ;; esac
done </proc/locks
[ -z "$written" ] || stat -c '%n:%d %i' /var/lib/dpkg/lock /var/lib/dpkg/lock-frontend /var/lib/apt/lists/lock \
    /var/cache/apt/archives/lock /var/lib/rpm/.rpm.lock /usr/lib/sysimage/rpm/.rpm.lock /run/dnf/rpmtransaction.lock \
    /var/lib/dpkg /var/lib/apt/lists /var/cache/apt/archives /var/lib/rpm /usr/lib/sysimage/rpm /run/dnf
grep -H '' /proc/locks /proc/uptime $programs
true
