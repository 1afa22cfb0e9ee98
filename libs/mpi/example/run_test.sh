#!/bin/bash
# Runs the example of scenes over MPI on one rank and on three: both print what is expected, but for lines
# that begin with "#".
#
#   mpi_test.sh LAUNCHER PROGRAM EXPECTED
set -euo pipefail
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl=self,vader OMPI_MCA_pml=ob1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_mpi_yield_when_idle=1
export UCX_TLS=self,sysv,posix UCX_WARN_UNUSED_ENV_VARS=n HYDRA_LAUNCHER=fork
export ASAN_OPTIONS=detect_leaks=0 # of an MPI
start=("$1")
version=$("$1" --version 2>&1 || true)
[[ $version != *open-mpi* ]] || start+=(--oversubscribe)
if ! "${start[@]}" -n 2 true >/dev/null 2>&1; then
    echo "mpi_test: $1 starts no programs here"
    exit 77
fi
for ranks in 1 3; do
    "${start[@]}" -n $ranks "$2" | grep -v '^#' | diff "$3" -
done
