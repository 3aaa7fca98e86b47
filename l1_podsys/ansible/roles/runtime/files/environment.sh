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

not_installed() { # what pip said comes after what to do about it
    source=${index:+packages.python_index}
    [ -z "$wheelhouse" ] || source="the folder $wheelhouse"
    echo "$path: found that not all of it can be had from ${source:-the index that pip knows here}; expected" \
        "runtime.requirements${wheel:+ and what ogai needs}. Set packages.python_index to one that this node reaches," \
        "or packages.wheelhouse to a folder that is filled where there is a network:" \
        "pip download -d FOLDER ${wheel:+$store/$wheel }-r $store/requirements.txt" >&2
    grep -v '^WARNING: Retrying' "$store/pip.log" | tail -n 20 >&2
    exit 1
}

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
    TMPDIR=$fresh/unpacked "$fresh/bin/python" -m pip install "$@" >"$store/pip.log" 2>&1 || not_installed
    [ -z "$wheel" ] || "$fresh/bin/ogai" --version >"$store/pip.log" 2>&1 || not_installed
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
for old in "$store"/ogai-*.whl; do
    [ "$old" = "$store/$wheel" ] || rm -f "$old"
done
echo changed
