# Prints who holds a lock of the package manager: process number and command line.
for file in /var/lib/dpkg/lock-frontend /var/lib/dpkg/lock /var/lib/apt/lists/lock /var/cache/apt/archives/lock; do
    [ ! -e "$file" ] || awk -v inode=":$(stat -c %i "$file")\$" '$6 ~ inode { print $5 }' /proc/locks
done | sort -u | while read -r pid; do
    [ ! -r "/proc/$pid/cmdline" ] || echo "process $pid ($(tr '\0' ' ' <"/proc/$pid/cmdline" | sed 's/ $//'))"
done
