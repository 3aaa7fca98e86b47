# Prints what programs say of their versions, each under the command that asked.
say() {
    command -v "$1" >/dev/null || return 0
    echo "$ $*"
    "$@" 2>&1
}
say ofed_info -s
say getconf GNU_LIBC_VERSION
say python3 --version
say gcc --version
# Their programs are slow to start, and without a server at work they run nothing.
[ ! -S /run/docker.sock ] || say docker --version
[ ! -S /run/containerd/containerd.sock ] || say containerd --version
say slurmd -V
say apptainer --version
say singularity --version
say enroot version
true
