# Has this node ask the head for names, whatever looks them up here, and know itself and the head without asking.
# resolver.sh NAME ADDRESS DOMAIN HEAD HEAD_ADDRESS [UPSTREAM…]; prints what it changed.
set -eu
name=$1 address=$2 domain=$3 head=$4 server=$5
shift 5

put() { # put FILE: writes what comes in, unless it stands there already
    fresh=$(mktemp)
    cat >"$fresh"
    if [ -L "$1" ] || ! cmp -s "$fresh" "$1"; then
        install -D -m 644 "$fresh" "$1.ogai-new"
        # A file that is mounted, as containers have it, can be written but not replaced.
        mv -fT "$1.ogai-new" "$1" 2>/dev/null || { cat "$fresh" >"$1" && rm -f "$1.ogai-new"; }
        echo "changed $1"
    fi
    rm -f "$fresh"
}

sheet() { # sheet FILE LINE…: a file that is all ours
    file=$1
    shift
    printf '%s\n' '# Managed by ogai, role names.' "$@" | put "$file"
}

keep() { # keep FILE: once, as it was before us
    [ -e "$1.before-ogai" ] || [ -L "$1.before-ogai" ] || [ ! -e "$1" ] || cp -a "$1" "$1.before-ogai"
}

upstream() { # who was asked before; of a stub nobody but the node itself may ask, and the head must not ask itself
    file=/run/systemd/resolve/resolv.conf
    [ -e "$file" ] || file=/etc/resolv.conf.before-ogai
    [ ! -e "$file" ] || awk -v own="$server" '$1 == "nameserver" && $2 != own && $2 !~ /^(127\.|::1$)/' "$file"
}

searched() { # the domains that names were looked up in before
    [ ! -e /etc/resolv.conf.before-ogai ] || awk -v own="$domain" '
        $1 == "search" || $1 == "domain" { line = ""; for (at = 2; at <= NF; at++) if ($at != own) line = line " " $at }
        END { printf "%s", line }' /etc/resolv.conf.before-ogai
}

reverse() { # the domain in which the names of addresses like this one are asked for
    case $1 in
    *:*) ;;
    10.*) echo '~10.in-addr.arpa' ;;
    *) echo "$1" | awk -F. '{ print "~" $2 "." $1 ".in-addr.arpa" }' ;;
    esac
}

if [ "$(hostname)" != "$name" ]; then
    hostnamectl set-hostname "$name" 2>/dev/null || { hostname "$name" && echo "$name" >/etc/hostname; }
    echo "changed hostname"
fi
[ ! -d /etc/cloud/cloud.cfg.d ] ||
    sheet /etc/cloud/cloud.cfg.d/60-ogai.cfg 'preserve_hostname: true' 'manage_etc_hosts: false'

[ -e /etc/hosts.before-ogai ] || [ ! -e /etc/hosts ] ||
    sed '/^# BEGIN ogai/,/^# END ogai/d' /etc/hosts | put /etc/hosts.before-ogai
# Our names are taken out of lines of others: Debian's own `127.0.1.1 NAME` would have a node reached by none.
{
    grep -q '^127\.0\.0\.1[[:space:]].*localhost' /etc/hosts 2>/dev/null || echo '127.0.0.1 localhost'
    awk -v ours=" $name $name.$domain $head $head.$domain " '
        /^# BEGIN ogai/ { inside = 1 }
        inside { if (/^# END ogai/) inside = 0; next }
        /^[[:space:]]*#/ { print; next }
        { line = $1; left = 0; taken = 0
          for (at = 2; at <= NF; at++)
              if (index(ours, " " $at " ")) taken = 1; else { line = line " " $at; left = 1 }
          if (!taken) print; else if (left) print line }' /etc/hosts 2>/dev/null || true
    echo '# BEGIN ogai'
    [ -z "$address" ] || echo "$address $name.$domain $name"
    [ "$head" = "$name" ] || echo "$server $head.$domain $head"
    echo '# END ogai'
} | put /etc/hosts

# Each of these is read by one program that looks names up or writes resolv.conf; where there is none of it, by nobody.
sheet /etc/systemd/resolved.conf.d/60-ogai.conf '[Resolve]' 'DNS=' "DNS=$server" "Domains=$domain $(reverse "$server")"
sheet /etc/NetworkManager/conf.d/60-ogai.conf '[main]' 'rc-manager=unmanaged'
sheet /etc/dhcp/dhclient-enter-hooks.d/ogai 'make_resolv_conf() { :; }'
sheet /etc/dhcpcd.enter-hook 'skip_hooks="$skip_hooks resolv.conf"'

keep /etc/resolv.conf
if [ $# -gt 0 ]; then
    printf 'nameserver %s\n' "$@" | put /etc/ogai/resolv.conf
else
    found=$(upstream)
    # systemd-resolved may know nobody but the head by now: what was known before stays.
    [ -z "$found" ] && [ -e /etc/ogai/resolv.conf ] || printf '%s\n' "$found" | put /etc/ogai/resolv.conf
fi
case $(readlink -f /etc/resolv.conf) in
/run/systemd/resolve/*) ;;
*)
    {
        echo '# Managed by ogai, role names.'
        echo "search $domain$(searched)"
        echo "nameserver $server"
        # Without the head names of others are still found; glibc asks three servers at most.
        grep '^nameserver' /etc/ogai/resolv.conf | head -n 2
        echo 'options timeout:1 attempts:2'
    } | put /etc/resolv.conf
    ;;
esac
