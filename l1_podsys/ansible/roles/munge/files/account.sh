# account.sh UID: gives munge its number, also if it had another.
set -eu
uid=$1
owner=$(getent passwd "$uid" | cut -d: -f1)
group=$(getent group "$uid" | cut -d: -f1)
for holder in "$owner" "$group"; do
    if [ -n "$holder" ] && [ "$holder" != munge ]; then
        echo "number $uid of munge: found in use by $holder; expected to be free. Set scheduler.munge_uid to another" >&2
        exit 1
    fi
done
[ "$(id -u munge 2>/dev/null || echo "$uid")" = "$uid" ] || systemctl stop munge 2>/dev/null || true
if ! getent group munge >/dev/null; then
    groupadd --system --gid "$uid" munge && echo "changed group"
elif [ "$(getent group munge | cut -d: -f3)" != "$uid" ]; then
    groupmod --gid "$uid" munge && echo "changed group"
fi
if ! getent passwd munge >/dev/null; then
    useradd --system --uid "$uid" --gid munge --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin munge
    echo "changed account"
elif [ "$(id -u munge)" != "$uid" ]; then
    usermod --uid "$uid" --gid "$uid" munge && echo "changed account"
fi
for folder in /etc/munge /var/lib/munge /var/log/munge; do
    [ -d "$folder" ] || continue
    [ "$(stat -c %u:%g "$folder")" = "$uid:$uid" ] || { chown -R munge:munge "$folder" && echo "changed $folder"; }
done
if [ ! -d /etc/munge ]; then
    install -d -m 700 -o munge -g munge /etc/munge && echo "changed /etc/munge"
fi
