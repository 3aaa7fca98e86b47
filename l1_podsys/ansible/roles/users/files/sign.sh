# Prints a certificate for a node's public host key, made on the machine that runs Ansible. sign.sh AUTHORITY KEY NAMES
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '%s\n' "$2" >"$folder/key.pub"
ssh-keygen -q -s "$1" -h -I "${3%%,*}" -n "$3" "$folder/key.pub" </dev/null >&2
cat "$folder/key-cert.pub"
