# Makes accounts that are missing, and takes keys and sudo from those that are no longer listed; prints what changed.
# accounts.sh HOME MAKE KEY [NAME:UID…]: home folders are made if MAKE, with a key of the cluster in them if KEY.
set -u
home=$1 make=$2 key=$3
shift 3
bad=0

wrong() {
    echo "$1" >&2
    bad=1
}

check() { # check NAME NUMBER: the number must be that of this name alone, as an account and as a group
    found=$(getent passwd "$1" | cut -d: -f3)
    owner=$(getent passwd "$2" | cut -d: -f1)
    group=$(getent group "$1" | cut -d: -f3)
    holder=$(getent group "$2" | cut -d: -f1)
    if [ "${found:-$2}" != "$2" ]; then
        wrong "account $1: found number $found; expected $2. While nobody works as $1: usermod -u $2 $1, and chown what was theirs"
    elif [ "${owner:-$1}" != "$1" ]; then
        wrong "number $2 of account $1: found in use by $owner; expected it to be free. Choose another in the cluster's document"
    elif [ -z "$found" ] && [ "${group:-$2}" != "$2" ]; then
        wrong "group $1: found number $group; expected $2. Give it that, or remove it: groupmod -g $2 $1"
    elif [ -z "$found" ] && [ "${holder:-$1}" != "$1" ]; then
        wrong "number $2 of group $1: found in use by $holder; expected it to be free. Choose another in the cluster's document"
    fi
}

account() { # account NAME NUMBER
    if ! getent passwd "$1" >/dev/null; then
        getent group "$1" >/dev/null || groupadd --gid "$2" "$1" || return
        useradd --uid "$2" --gid "$2" --home-dir "$home/$1" --no-create-home --shell /bin/bash "$1" || return
        echo "changed account $1"
    fi
    [ "$make" != True ] || folder "$1"
}

folder() { # folder NAME: what the person is found with at the first login
    place=$(getent passwd "$1" | cut -d: -f6)
    if [ ! -d "$place" ]; then
        mkdir -p "${place%/*}" && mkdir "$place" && cp -a /etc/skel/. "$place/" && chmod 700 "$place" && chown -R "$1:" "$place" || return
        echo "changed $place"
    fi
    # Written as the person, for storage may let root do nothing there.
    [ "$key" != True ] || setpriv --reuid "$1" --regid "$(id -g "$1")" --init-groups sh -c '
        umask 077
        file=$1/.ssh/ogai_cluster
        [ ! -e "$file.pub" ] || exit 0
        mkdir -p "$1/.ssh" && rm -f "$file" && ssh-keygen -q -t ed25519 -N "" -C "$2 within the cluster" -f "$file" &&
            echo "changed $file"' sh "$place" "$1"
}

for wish; do check "${wish%:*}" "${wish##*:}"; done
[ $bad = 0 ] || exit $bad
for wish; do account "${wish%:*}" "${wish##*:}" || wrong "account ${wish%:*} could not be made"; done
for file in /etc/ssh/ogai_keys/* /etc/sudoers.d/60-ogai-*; do
    [ -e "$file" ] || continue
    name=${file##*/}
    case " $* " in
    *" ${name#60-ogai-}:"*) ;;
    *) rm -f "$file" && echo "changed $file" ;;
    esac
done
exit $bad
