# Has this node ask the head for names, whatever looks them up here, and name itself; prints what changed.
# resolver.sh NAME DOMAIN SERVER
set -eu
name=$1 domain=$2 server=$3

put() { # put FILE: writes stdin to it when that is something new
    fresh=$(mktemp)
    cat >"$fresh"
    if cmp -s "$fresh" "$1"; then
        rm -f "$fresh"
        return 1
    fi
    mkdir -p "${1%/*}"
    install -m 644 "$fresh" "$1.ogai-new"
    rm -f "$fresh"
    mv -fT "$1.ogai-new" "$1"
    echo "changed $1"
}

if [ "$(hostname)" != "$name" ]; then
    hostnamectl set-hostname "$name" 2>/dev/null || { hostname "$name" && echo "$name" >/etc/hostname; }
    echo "changed hostname"
fi

case $(readlink -f /etc/resolv.conf) in
/run/systemd/resolve/*)
    kind=systemd-resolved
    if printf '# Managed by ogai, role names.\n[Resolve]\nDNS=%s\nDomains=%s\n' "$server" "$domain" |
        put /etc/systemd/resolved.conf.d/60-ogai.conf; then
        systemctl restart systemd-resolved
    fi
    ;;
*)
    kind=file
    # Others that write the file are told to leave it alone.
    if [ -d /etc/NetworkManager ]; then
        ! printf '# Managed by ogai, role names.\n[main]\ndns=none\n' | put /etc/NetworkManager/conf.d/60-ogai.conf ||
            systemctl reload NetworkManager 2>/dev/null || true
    fi
    if [ -d /etc/dhcp/dhclient-enter-hooks.d ]; then
        printf '# Managed by ogai, role names.\nmake_resolv_conf() { :; }\n' | put /etc/dhcp/dhclient-enter-hooks.d/ogai || true
    fi
    {
        printf '# Managed by ogai, role names.\nsearch %s\nnameserver %s\n' "$domain" "$server"
        # Without the head other names are still found; two more are as many as are asked.
        [ ! -e /etc/ogai/resolv.before ] || grep '^nameserver' /etc/ogai/resolv.before | grep -vw "$server" | head -n 2 || true
        printf 'options timeout:1 attempts:2\n'
    } | put /etc/resolv.conf || true
    ;;
esac
printf '%s %s %s %s\n' "$kind" "$name" "$domain" "$server" | put /etc/ogai/resolver || true
