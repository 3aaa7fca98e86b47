# What L1 asks of a node: printed in sections, `== NAME` and its lines. Sent on stdin, after a line `name=value` for
# each field of the question; nothing is changed on the node but files that are removed again.
export LC_ALL=C PATH="$PATH:/usr/sbin:/sbin:/usr/local/sbin"
limit() {
  if command -v timeout >/dev/null 2>&1; then timeout -k 1 "$@"; else shift; "$@"; fi
}
section() { printf '\n== %s\n' "$*"; }
probe_write() {
  f="$1/.ogai-check.$$"
  if err=$( { printf '%s' "$token" >"$f" && sync "$f" && [ "$(cat "$f")" = "$token" ]; } 2>&1); then
    echo "ok $1"
  else
    err=${err##*: }
    echo "bad $1 ${err:-what was read is not what was written}"
  fi
  rm -f "$f"
}

section mounts
cat /proc/mounts
section blocks
limit 10 df -P -k -l
section inodes
limit 10 df -P -i -l
section write
for d in / /tmp /var/tmp /dev/shm; do [ -d "$d" ] && { [ -w "$d" ] || [ "$(id -u)" = 0 ]; } && probe_write "$d"; done
for a in $routes; do
  section "route $a"
  ip -o route get "$a" 2>&1
done
for n in $names; do
  section "name $n"
  limit 5 getent ahosts "$n" | awk '{print $1}' | sort -u
done
if [ -n "$peers" ]; then
  section mesh
  limit 12 ssh-keyscan -T 4 -p "$port" -t ed25519,ecdsa,rsa $peers 2>/dev/null | awk '{print $1}' | sort -u
  command -v ssh-keyscan >/dev/null 2>&1 || echo "!missing"
fi
for s in $storages; do
  section "storage $s"
  if out=$(limit 8 cat "$s/$file" 2>&1); then echo "token $out"; else echo "failed $? $out"; fi
done
if command -v systemctl >/dev/null 2>&1; then
  for s in $services; do
    section "service $s"
    limit 5 systemctl is-active "$s" 2>&1
  done
  section failed
  limit 5 systemctl list-units --state=failed --plain --no-legend --full 2>&1 | awk '{print $1}'
fi
if [ -n "$credential" ]; then
  section munge
  if command -v unmunge >/dev/null 2>&1; then
    printf '%s' "$credential" | limit 5 unmunge 2>&1 | head -n 3
  else
    echo "!missing"
  fi
fi
section end
