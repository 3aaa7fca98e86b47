# Makes the root file system of a lab's hosts beside its place, then puts it there:
#   image.sh IMAGE CODENAME ARCHIVE SECURITY PACKAGES SETTINGS [CERTIFICATE…]
set -eu
image=$1 codename=$2 archive=$3 security=$4 packages=$5 settings=$6
shift 6
[ ! -d "$image" ] || exit 0 # somebody else made it while this waited for the lock

cache=${image%/*}
root=$cache/.${image##*/}.half
rm -rf "$root"
mkdir -p "$root" "$cache/archives"

proxy=$(apt-config shell proxy Acquire::http::Proxy 2>/dev/null || true)
eval "$proxy"
[ -z "${proxy:-}" ] || export http_proxy="$proxy"

debootstrap --variant=minbase --cache-dir="$cache/archives" --include="$packages" "$codename" "$root" "$archive"

rm -f "$root"/etc/ssh/ssh_host_* "$root/etc/apt/sources.list" "$root/etc/hostname" "$root/etc/resolv.conf"
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/* "$root"/var/log/*.log
: >"$root/etc/machine-id"

cat >"$root/etc/apt/sources.list.d/debian.sources" <<SOURCES
Types: deb
URIs: $archive
Suites: $codename $codename-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: $security
Suites: $codename-security
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
printf 'Acquire::Languages "none";\n%s\n' "$settings" >"$root/etc/apt/apt.conf.d/90lab"
echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/lab"

chroot "$root" useradd --system --create-home --home-dir /home/ogai --shell /bin/bash ogai
echo 'ogai ALL=(ALL:ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/ogai"
chmod 0440 "$root/etc/sudoers.d/ogai"
install -d -m 0700 "$root/home/ogai/.ssh" "$root/root/.ssh"
chroot "$root" chown ogai:ogai /home/ogai/.ssh

mkdir -p "$root/usr/local/share/ca-certificates"
for certificate; do cp "$certificate" "$root/usr/local/share/ca-certificates/"; done
chroot "$root" update-ca-certificates >/dev/null 2>&1
chroot "$root" systemctl mask --quiet apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer console-getty.service
mkdir -p "$root/shared"

sync -f "$root"
mv "$root" "$image"
