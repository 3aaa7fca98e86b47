# Picks the lines that contain one of the pieces: of lines that differ in numbers alone the newest 200, of what is grave
# 1,500 at most and of what is not 800. So no flood crowds out what was told once, nor do containers that come and go.
few() {
    awk '{ kind = $0; gsub(/0x[0-9a-f]+|[0-9]+/, "", kind); if (seen[kind]++ < 200) print }'
}
command -v awk >/dev/null || few() { cat; }
found=$(log | grep -aF "$grave
$mild" | grep -avE ": ($virtual)[^ ]*: (link becomes ready|[Gg]ained carrier|[Ll]ost carrier)" |
    cut -c1-400 | grep -n '' | sort -rn | few)
[ -n "$found" ] || exit 0
{
    printf '%s\n' "$found" | grep -aF "$grave" | head -n 1500
    printf '%s\n' "$found" | grep -avF "$grave" | head -n 800
} | sort -n | cut -d: -f2-
