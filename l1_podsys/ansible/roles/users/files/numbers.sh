# numbers.sh NAME:UID…: says which account has another number than wished, and which number is another's.
bad=0
for wish; do
    name=${wish%:*} uid=${wish##*:}
    found=$(getent passwd "$name" | cut -d: -f3)
    owner=$(getent passwd "$uid" | cut -d: -f1)
    if [ -n "$found" ] && [ "$found" != "$uid" ]; then
        echo "account $name: found number $found; expected $uid. Change it while the person is away: usermod -u $uid $name" >&2
        bad=1
    elif [ -n "$owner" ] && [ "$owner" != "$name" ]; then
        echo "number $uid of account $name: found in use by $owner; expected to be free. Choose another in the cluster's document" >&2
        bad=1
    fi
done
exit $bad
