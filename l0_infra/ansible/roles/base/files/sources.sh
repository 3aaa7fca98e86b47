# Has packages come from MIRROR, and security updates from SECURITY, in place of the distribution's own where these are not
# empty; prints what it changed. sources.sh ETC MIRROR SECURITY
# Of the distribution's files only the entries that are replaced go out of use, by a mark before each of their lines, which
# is taken off when it is no longer so.
set -eu
etc=$1 mirror=$2 security=$3
ours=$etc/apt/sources.list.d/ogai.sources
[ -n "$mirror$security" ] || [ -e "$ours" ] || exit 0
. "$etc/os-release"

case $ID in
debian) components='main contrib non-free non-free-firmware' ;;
ubuntu) components='main restricted universe' ;;
*)
    echo "found $ID; expected debian or ubuntu" >&2
    exit 2
    ;;
esac
release="$VERSION_CODENAME $VERSION_CODENAME-updates"
replaced="${mirror:+$release}${security:+ $VERSION_CODENAME-security}"

stanza() { # stanza URI SUITES
    printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: %s\n' "$1" "$2" "$components"
    printf 'Signed-By: /usr/share/keyrings/%s-archive-keyring.gpg\n' "$ID"
}

put() { # put FILE: writes what comes in, unless it stands there already
    cat >"$1.ogai-new"
    if cmp -s "$1.ogai-new" "$1"; then
        rm -f "$1.ogai-new"
    else
        chmod 644 "$1.ogai-new"
        mv -fT "$1.ogai-new" "$1"
        echo "changed $1"
    fi
}

lines() { # as sources.list(5) calls the one-line style
    awk -v replaced=" $replaced " '
        { sub(/^#ogai# /, ""); entry = $0; sub(/\[[^]]*\]/, "", entry); count = split(entry, word, /[ \t]+/); main = 0
          for (at = 4; at <= count; at++) if (word[at] == "main") main = 1
          print (word[1] ~ /^deb(-src)?$/ && main && index(replaced, " " word[3] " ") ? "#ogai# " : "") $0 }'
}

stanzas() { # and the deb822 style: of an entry with other suites, too, only the suites are others
    awk '/^#ogai-was# / { sub(/^#ogai-was# /, ""); print; getline; next } { sub(/^#ogai# /, ""); print }' |
        awk -v replaced=" $replaced " '
        function value(line) { sub(/^[^:]*:[ \t]*/, "", line); return line }
        function tell(  at, name, place, left, count, word, gone, main) {
            for (at = 1; at <= size; at++) {
                name = tolower(line[at]); sub(/:.*/, "", name)
                if (name == "suites") { place = at; count = split(value(line[at]), word, /[ \t]+/) }
                if (name == "components") main = index(" " value(line[at]) " ", " main ")
            }
            for (at = 1; at <= count; at++)
                if (index(replaced, " " word[at] " ")) gone++; else left = left (left == "" ? "" : " ") word[at]
            for (at = 1; at <= size; at++) {
                if (main && gone && left == "" && line[at] !~ /^#/) print "#ogai# " line[at]
                else if (main && gone && left != "" && at == place) print "#ogai-was# " line[at] "\nSuites: " left
                else print line[at]
            }
            size = 0
        }
        /^[ \t]*$/ { tell(); print; next } { line[++size] = $0 } END { tell() }'
}

for file in apt/sources.list:lines apt/sources.list.d/debian.sources:stanzas apt/sources.list.d/ubuntu.sources:stanzas; do
    style=${file##*:} file=$etc/${file%:*}
    # What was put aside whole comes back, and what was there before is kept.
    [ -e "$file" ] || [ ! -e "$file.before-ogai" ] || cp -p "$file.before-ogai" "$file"
    [ -s "$file" ] || continue
    [ -e "$file.before-ogai" ] || cp -p "$file" "$file.before-ogai"
    "$style" <"$file" | put "$file"
done
if [ -z "$mirror$security" ]; then
    rm -f "$ours"
    echo "changed $ours"
else
    {
        echo '# Managed by ogai, role base.'
        [ -z "$mirror" ] || stanza "$mirror" "$release"
        [ -z "$mirror" ] || [ -z "$security" ] || echo
        [ -z "$security" ] || stanza "$security" "$VERSION_CODENAME-security"
    } | put "$ours"
fi
