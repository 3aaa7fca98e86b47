# Makes the distribution's package sources point at another mirror; prints `changed` when they did not.
set -eu
mirror=$1
. /etc/os-release
fresh=$(mktemp)
case $ID in
debian)
    printf 'Types: deb\nURIs: %s\nSuites: %s %s-updates\nComponents: main contrib non-free non-free-firmware\n' \
        "$mirror" "$VERSION_CODENAME" "$VERSION_CODENAME" >"$fresh"
    printf 'Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' >>"$fresh"
    ;;
ubuntu)
    printf 'Types: deb\nURIs: %s\nSuites: %s %s-updates %s-security\nComponents: main restricted universe\n' \
        "$mirror" "$VERSION_CODENAME" "$VERSION_CODENAME" "$VERSION_CODENAME" >"$fresh"
    printf 'Signed-By: /usr/share/keyrings/ubuntu-archive-keyring.gpg\n' >>"$fresh"
    ;;
*)
    echo "found $ID; expected debian or ubuntu" >&2
    exit 2
    ;;
esac
for old in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list.d/ubuntu.sources; do
    [ ! -s "$old" ] || { mv "$old" "$old.before-ogai" && echo changed; }
done
target=/etc/apt/sources.list.d/ogai.sources
if cmp -s "$fresh" "$target"; then rm -f "$fresh"; else install -m 644 "$fresh" "$target" && rm -f "$fresh" && echo changed; fi
