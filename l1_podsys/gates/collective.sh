# collective.sh VENDOR COUNT PLACE: finds the vendor's test of collectives on this node, says what can start it across
# nodes, and runs it among the node's own COUNT accelerators. PLACE is the program or its folder; empty: the usual places.
# collective.sh - PROGRAM ARGS…: runs what is given, with the same environment. Ends with `== exit CODE`.
export LC_ALL=C NCCL_DEBUG="${NCCL_DEBUG:-WARN}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
vendor=$1
cann=${ASCEND_HOME_PATH:-/usr/local/Ascend/ascend-toolkit/latest}
for f in "$cann/set_env.sh" "$cann/../set_env.sh"; do
  [ "$vendor" != nvidia ] && [ "$vendor" != amd ] && [ -r "$f" ] && . "$f" >/dev/null 2>&1 && break
done
run() {
  echo "== output"
  "$@" </dev/null 2>&1
  printf '\n== exit %s\n' $?
  exit 0
}
if [ "$vendor" = - ]; then
  shift
  run "$@"
fi
count=$2 place=$3
case $vendor in
  ascend) alone=all_reduce_test across=all_reduce_test ;;
  *) alone=all_reduce_perf across=all_reduce_perf_mpi ;;
esac
find_program() {
  case $place in */"$1") [ -x "$place" ] && echo "$place" && return ;; esac
  [ -n "$place" ] && [ -x "$place/$1" ] && echo "$place/$1" && return
  command -v "$1" && return
  for d in /usr/local/bin /opt/nccl-tests/build /opt/rccl-tests/build "$cann/tools/hccl_test/bin"; do
    [ -x "$d/$1" ] && echo "$d/$1" && return
  done
}
with_mpi() { ldd "$1" 2>/dev/null | grep -q 'libmpi'; }
program=$(find_program "$alone")
mpi=$(find_program "$across")
[ -n "$mpi" ] || { [ -n "$program" ] && with_mpi "$program" && mpi=$program; }
[ -n "$program" ] || program=$mpi
if [ -z "$program" ]; then
  echo "== none"
  exit 0
fi
echo "== program $program"
[ -z "$mpi" ] || echo "== mpi $mpi"
if command -v mpirun >/dev/null 2>&1; then
  case $(mpirun --version 2>&1 </dev/null) in
    *"Open MPI"*) mpirun=openmpi ;;
    *HYDRA* | *MPICH* | *Intel*) mpirun=hydra ;;
  esac
fi
if srun --mpi=list </dev/null 2>&1 | grep -q 'pmix'; then echo "== launcher srun"; fi
[ -z "$mpirun" ] || echo "== launcher $mpirun"
if [ "$vendor" != ascend ]; then run "$program" -b 8 -e 1G -f 2 -g "$count"; fi
if [ -n "$mpirun" ]; then run mpirun -n "$count" "$program" -b 8K -e 1G -f 2 -d fp32 -o sum -p "$count"; fi
echo "== unstarted mpirun, which hccl_test needs, is not installed"
