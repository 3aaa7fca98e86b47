# environment.sh PATH WHEEL WHEELHOUSE INDEX: makes the Python environment at PATH; prints `changed` when it did.
# An environment is made beside PATH under a name of its own and then linked there, so that a half-made one is never
# seen, and what runs keeps the one it started with. The last two are kept.
set -eu
path=$1 wheel=$2 wheelhouse=$3 index=$4
store=$path.d
umask 022
mkdir -p "$store"
exec 9>"$store/lock"
flock 9

if [ -e "$path" ] && [ ! -L "$path" ]; then
    echo "$path: found a folder that ogai did not make; expected a free path. Set runtime.path or move it away" >&2
    exit 1
fi
hash=$({
    cat "$store/requirements.txt"
    [ -z "$wheel" ] || sha256sum <"$store/$wheel"
    python3 --version
    echo "$wheelhouse $index"
} | sha256sum | cut -c 1-16)
fresh=$store/$hash
if [ "$(readlink "$path" || true)" = "$fresh" ] && [ -e "$fresh/whole" ]; then
    exit 0
fi

if [ ! -e "$fresh/whole" ]; then
    rm -rf "$fresh"
    python3 -m venv "$fresh"
    # pip has authorities of its own; those that this machine trusts are the site's.
    authorities=/etc/ssl/certs/ca-certificates.crt
    [ ! -e "$authorities" ] || export PIP_CERT="${PIP_CERT:-$authorities}"
    set -- --disable-pip-version-check --no-cache-dir --quiet --requirement "$store/requirements.txt"
    [ -z "$wheelhouse" ] || set -- "$@" --no-index --find-links "$wheelhouse"
    [ -z "$index" ] || set -- "$@" --index-url "$index"
    [ -z "$wheel" ] || set -- "$@" "$store/$wheel"
    # What is unpacked is as large as what is installed, and /tmp is often held in memory.
    mkdir "$fresh/unpacked"
    TMPDIR=$fresh/unpacked "$fresh/bin/python" -m pip install "$@" >&2
    rm -rf "$fresh/unpacked"
    : >"$fresh/whole"
fi
before=$(readlink "$path" || true)
ln -sfn "$fresh" "$path.new"
mv -fT "$path.new" "$path"
for old in "$store"/*/; do
    old=${old%/}
    [ "$old" = "$fresh" ] || [ "$old" = "$before" ] || rm -rf "$old"
done
echo changed
