#!/usr/bin/env bash
# Checks which of several GPUs processes take, and that each kind of kernel runs on one.
# Usage: tests/emulated_gpu/devices.sh FOLDER CORNU
#   FOLDER  emulated_gpu in the build folder
#   CORNU   the program cornu
set -uo pipefail
run=$(dirname "${BASH_SOURCE[0]}")/run.sh
folder=$1 cornu=$2 failures=0

# default WANTED VARIABLE=VALUE...: the device of new tensors in such an environment.
default() {
  local wanted=$1 found
  shift
  found=$(bash "$run" "$folder" env -u CORNU_DEVICE CORNU_EMULATED_DEVICES=3 "$@" "$cornu" devices 2>&1)
  local status=$?
  if ((status == 77)); then exit 77; fi
  if ! grep -q "$wanted" <<<"$found"; then
    printf 'expected %s with %s, found:\n%s\n' "$wanted" "$*" "$found"
    failures=$((failures + 1))
  fi
}
default '^cuda:0.*(default)'
default '^cuda:1.*(default)' LOCAL_RANK=1
default '^cuda:2.*(default)' OMPI_COMM_WORLD_LOCAL_RANK=2
# More processes than GPUs take turns, and hear it.
default '^cuda:1.*(default)' SLURM_LOCALID=4
default 'process 4 of this machine shares cuda:1' SLURM_LOCALID=4
# A launcher that shows each process one GPU.
default '^cuda:0.*(default)' LOCAL_RANK=2 CORNU_EMULATED_DEVICES=1
default '^cuda:2.*(default)' CORNU_DEVICE=gpu:rank LOCAL_RANK=2
default '^cuda:2.*(default)' CORNU_DEVICE=cuda:2 LOCAL_RANK=1
default "There is no device 'gpu:rank'" CORNU_DEVICE=gpu:rank LOCAL_RANK=3
default 'LOCAL_RANK: expected the number' LOCAL_RANK=first

if ! bash "$run" "$folder" "$cornu" devices --check; then failures=$((failures + 1)); fi
((failures == 0))
