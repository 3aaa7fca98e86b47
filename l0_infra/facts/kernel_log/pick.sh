# Picks the lines that contain one of the pieces: of lines that differ in numbers alone the newest 200, of what is grave
# 1,500 at most and of what is not 800. So no flood crowds out what was told once, nor do containers that come and go.
unread='the log cannot be read'
export grave unread
{ log || echo "$unread"; } | grep -aF "$unread
$grave
$mild" | awk "/: ($virtual)[^ ]*: (link becomes ready|[Gg]ained carrier|[Ll]ost carrier)/ { next }"'
    $0 == ENVIRON["unread"] { unread = 1 }
    { lines[++count] = substr($0, 1, 400) }
    function is_grave(line,    i) {
        for (i = 1; i <= pieces; i++) if (index(line, piece[i])) return 1
        return 0
    }
    END {
        if (unread) exit 1
        pieces = split(ENVIRON["grave"], piece, "\n")
        most[0] = 800
        most[1] = 1500
        for (n = count; n > 0; n--) {
            kind = lines[n]
            gsub(/0x[0-9a-f]+|[0-9]+/, "", kind)
            if (seen[kind]++ < 200 && most[is_grave(lines[n])]-- > 0) picked[n]
        }
        for (n = 1; n <= count; n++) if (n in picked) print lines[n]
    }'
