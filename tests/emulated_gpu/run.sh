#!/usr/bin/env bash
# Runs a program of the build folder, beside which the CUDA plugin is, on an emulated GPU: the
# plugin finds an NVRTC that compiles for the host, and a driver that runs kernels there.
# Usage: tests/emulated_gpu/run.sh FOLDER PROGRAM [ARGUMENTS]
#   FOLDER   emulated_gpu in the build folder: it holds these libraries, and keeps compiled kernels
# Exit status 77 where there is no C++ compiler (c++, or what CXX names); else the program's.
set -euo pipefail
folder=$(cd "$1" && pwd)
shift
if ! command -v "${CXX:-c++}" >/dev/null; then
  printf 'emulated_gpu: there is no compiler %s for its kernels\n' "${CXX:-c++}"
  exit 77
fi
# None of NVIDIA's own libraries, which would want a device.
export CORNU_CUDA_LIBRARIES=$folder CORNU_CUDA_SEARCH=0
export CORNU_KERNEL_CACHE=$folder/kernels
# A library of the host has one kernel.
export CORNU_CUDA_BATCH=1
export CORNU_DEVICE=cuda:0 CORNU_TEST_DEVICE=cuda:0
exec "$@"
