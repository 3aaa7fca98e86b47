# Prints lock files of package managers (path:device inode), the kernel's locks, what pid files say, and programs by pid.
# A file that is merely there locks nothing: apt, dpkg and rpm hold a lock on it, dnf, yum and zypper write their pid.
for file in /var/lib/dpkg/lock /var/lib/dpkg/lock-frontend /var/lib/apt/lists/lock /var/cache/apt/archives/lock \
    /var/lib/rpm/.rpm.lock /usr/lib/sysimage/rpm/.rpm.lock /run/dnf/rpmtransaction.lock; do
    [ ! -e "$file" ] || echo "$file:$(stat -c '%d %i' "$file")"
done
pids=
for file in /var/run/yum.pid /var/cache/dnf/metadata_lock.pid /var/cache/dnf/download_lock.pid \
    /var/lib/dnf/rpmdb_lock.pid /run/zypp.pid; do
    pid=
    [ ! -r "$file" ] || read -r pid _ <"$file"
    [ -n "$pid" ] || continue
    echo "$file:pid $pid"
    pids="$pids $pid"
done
# pacman has its file open for as long as it holds the lock; this looks through all processes, so only where it is there.
file=/var/lib/pacman/db.lck
[ ! -e "$file" ] || for open in $(find /proc/[0-9]*/fd -lname "$file"); do
    pid=${open#/proc/}
    pid=${pid%%/*}
    echo "$file:pid $pid"
    pids="$pids $pid"
done
grep -H '' /proc/locks
holders=$(sed -n 's/^[0-9]*: [A-Z]* *[A-Z]* *WRITE *\([0-9][0-9]*\) .*/\1/p' /proc/locks)
for pid in $pids $holders; do
    case $pid in *[!0-9]*) ;; *) echo "/proc/$pid/comm" ;; esac
done | sort -u | xargs grep -H '' /dev/null
true
