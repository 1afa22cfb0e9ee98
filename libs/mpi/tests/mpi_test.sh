#!/bin/bash
# Scenes over MPI on 1, 2, 3, 5 and 8 ranks, with and without balancing, give one hash, and are compared
# with one process and with brute force on the way; so do programs drawn at random, in which allocations
# fail; failures are those of all ranks.
#
#   mpi_test.sh LAUNCHER LIFE FAILURES RANDOM EDGES
#
# PLIANT_TEST_SCALE above 1 tries more seeds, steps and allocations (scripts/check-long).
set -euo pipefail
launcher=${1:?usage: mpi_test.sh LAUNCHER LIFE FAILURES RANDOM EDGES}
life=$2
failures=$3
random=$4
edges=$5
scale=${PLIANT_TEST_SCALE:-1}
times()
{
    awk -v n="$1" -v s="$scale" -v least="$2" 'BEGIN { x = int(n * s); print (x > least ? x : least) }'
}

# Ranks of one machine talk through its memory; there may be more ranks than cores.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl_vader_single_copy_mechanism=none
export UCX_TLS=self,sysv,posix UCX_WARN_UNUSED_ENV_VARS=n HYDRA_LAUNCHER=fork
# Leaks of an MPI and of its drivers are not ours; mpi_world.c counts our own.
export ASAN_OPTIONS=detect_leaks=0
start=(timeout 900 "$launcher")
version=$("$launcher" --version 2>&1 || true)
[[ $version != *open-mpi* ]] || start+=(--oversubscribe)
if ! "${start[@]}" -n 2 true >/dev/null 2>&1; then
    echo "mpi_test: $launcher starts no programs here"
    exit 77
fi

bodies=48
steps=$(times 9 5)
seeds=$(times 1 1)
program=$(times 12 8)
hash=
runs=0
# compare RANKS PROGRAM ARGUMENT...
compare()
{
    local output found ranks=$1
    shift
    output=$("${start[@]}" -n "$ranks" "$@") || {
        echo "mpi_test: $* on $ranks ranks failed" >&2
        exit 1
    }
    found=$(sed -n 's/^hash //p' <<<"$output")
    hash=${hash:-$found}
    if [ -z "$found" ] || [ "$found" != "$hash" ]; then
        echo "mpi_test: $* on $ranks ranks: $found, not $hash" >&2
        exit 1
    fi
    runs=$((runs + 1))
}

# try SEED RANKS BALANCE OWNER
try()
{
    compare "$2" "$life" "$1" $bodies "$steps" "$3" "$4"
}

for ((seed = 1; seed <= seeds; seed++)); do
    hash=
    try $seed 1 0 0
    try $seed 2 0 0
    try $seed 3 1 0
    try $seed 5 0 1
    try $seed 8 1 1
    if [ "$seeds" -gt 1 ]; then
        for ranks in 2 3 5 8; do
            for balance in 0 1; do
                for owner in 0 1; do
                    try $seed $ranks $balance $owner
                done
            done
        done
    fi
    echo "seed $seed: $hash"
    hash=
    compare 2 "$random" $seed "$program" 1 0
    compare 3 "$random" $seed "$program" 1 1
    if [ "$seeds" -gt 1 ]; then
        for ranks in 1 5 8; do
            compare $ranks "$random" $seed "$program" 1 $((seed % 2))
        done
    fi
    echo "at random: $hash"
done
"${start[@]}" -n 2 "$failures" "$(awk -v s="$scale" 'BEGIN { print (s > 1 ? 1 : 24) }')"
"${start[@]}" -n 2 "$edges"
if [ "$seeds" -gt 1 ]; then
    "${start[@]}" -n 3 "$failures" 1
fi
echo "mpi_test: $runs runs agree"
