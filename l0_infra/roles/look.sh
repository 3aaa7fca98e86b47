# Looks at what roles left on a node and prints one line a thing: "KIND<tab>NAME<tab>WHAT WAS FOUND", "end" at last.
# The script that follows calls: files PATH…, services UNIT…, packages NAME…, command_ TEXT.
og_tab=$(printf '\t')

files() {
    for og_name in "$@"; do
        if [ -f "$og_name" ]; then
            og_sum=$(sha256sum <"$og_name" 2>/dev/null) || og_sum='unreadable'
            printf 'file\t%s\t%s %s\n' "$og_name" "$(stat -L -c '%a %U %G' -- "$og_name")" "${og_sum%% *}"
        elif [ -e "$og_name" ]; then
            printf 'file\t%s\t%s\n' "$og_name" "$(stat -L -c '%a %U %G %F' -- "$og_name")"
        else
            printf 'file\t%s\tabsent\n' "$og_name"
        fi
    done
}

# A unit may be asked for by another name than its own (an alias): the answers come in the order of the questions.
services() {
    command -v systemctl >/dev/null || return 0
    systemctl show -p LoadState -p ActiveState -p UnitFileState -- "$@" 2>/dev/null | awk -F= -v names="$*" '
        BEGIN { count = split(names, name, " "); at = 1 }
        /^LoadState=/ { load = $2 } /^ActiveState=/ { active = $2 } /^UnitFileState=/ { file = $2 }
        function tell() { printf "service\t%s\t%s %s\n", name[at++], load == "not-found" ? "absent" : active, file
                          load = active = file = "" }
        /^$/ { tell() }
        END { if (at <= count) tell() }'
}

packages() {
    if command -v dpkg-query >/dev/null; then
        dpkg-query -W -f='package\t${Package}\t${db:Status-Status} ${Version}\n' -- "$@" 2>/dev/null
    else
        rpm -q --qf 'package\t%{NAME}\tinstalled %{VERSION}-%{RELEASE}\n' -- "$@" 2>/dev/null | grep '^package.'"$og_tab"
    fi
}

# One that ends with 75 (EX_TEMPFAIL of sysexits.h) cannot tell now, and nothing is compared.
command_() {
    og_out=$({
        timeout 20 sh -c "$1" 2>&1 </dev/null
        [ $? -ne 75 ] || printf '\005'
    } | head -c 4000 | tr '\n\t' '\036 ')
    case $og_out in *"$(printf '\005')") og_out=untold ;; esac
    printf 'command\t%s\t%s\n' "$(printf '%s' "$1" | tr '\n\t' '\036 ')" "${og_out%$(printf '\036')}"
}

