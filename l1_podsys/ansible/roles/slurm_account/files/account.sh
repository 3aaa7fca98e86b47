# account.sh UID: gives slurm its number, here too if it had another, and its folders.
set -eu
uid=$1
for holder in "$(getent passwd "$uid" | cut -d: -f1)" "$(getent group "$uid" | cut -d: -f1)"; do
    if [ -n "$holder" ] && [ "$holder" != slurm ]; then
        echo "number $uid of slurm: found in use by $holder; expected to be free. Set scheduler.slurm_uid to another" >&2
        exit 1
    fi
done
if ! getent group slurm >/dev/null; then
    groupadd --system --gid "$uid" slurm && echo "changed group"
elif [ "$(getent group slurm | cut -d: -f3)" != "$uid" ]; then
    groupmod --gid "$uid" slurm && echo "changed group"
fi
if ! getent passwd slurm >/dev/null; then
    useradd --system --uid "$uid" --gid slurm --home-dir /var/lib/slurm --no-create-home --shell /usr/sbin/nologin slurm
    echo "changed account"
elif [ "$(id -u slurm)" != "$uid" ]; then
    systemctl stop slurmctld slurmdbd 2>/dev/null || true
    usermod --uid "$uid" --gid "$uid" slurm && echo "changed account"
    # It obeys the number that slurm had when it started. What it runs goes on.
    systemctl try-restart slurmd 2>/dev/null || true
fi
for folder in /var/log/slurm /var/lib/slurm /var/lib/slurm/slurmctld; do
    [ -d "$folder" ] || { install -d -m 755 -o slurm -g slurm "$folder" && echo "changed $folder"; }
    [ "$(stat -c %u:%g "$folder")" = "$uid:$uid" ] || { chown -R slurm:slurm "$folder" && echo "changed $folder"; }
done
