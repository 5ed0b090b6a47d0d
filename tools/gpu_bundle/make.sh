#!/usr/bin/env bash
# Makes the bundle that runs Cornu's tests and benchmarks on a machine with a GPU, which needs neither
# a compiler nor Cornu's dependencies: programs, all shared libraries that they use but the C library's,
# and the tests' data. Usage: tools/gpu_bundle/make.sh BUILD_FOLDER BUNDLE_FOLDER [CASES]
#   CASES  a folder of conformance cases to take besides those of tests/conformance
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
build=$(realpath "$1")
mkdir -p "$2"
bundle=$(realpath "$2")
cases=${3:-}
work=$bundle/payload

say() { printf 'gpu-bundle: %s\n' "$*"; }
die() {
  printf 'gpu-bundle: %s\n' "$*" >&2
  exit 1
}
[[ -f $build/build.ninja ]] || die "expected a configured build folder, found none in $build. Run ./dev build first."
rm -rf "$work" "$bundle/payload.tar.gz"
mkdir -p "$work/bin" "$work/lib" "$work/sources"

# The command that links a program, as the build runs it.
link_command() { ninja -C "$build" -t commands "$1" | tail -n 1 | sed 's/^: && //; s/ && :$//'; }

# One shared library of both static ones (their objects are position-independent) spares each program a
# copy of them. --disable-new-dtags: the path then serves libraries of libraries as well.
rpath='-Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib:$ORIGIN'
command=$(link_command bin/cornu-bench)
library=lib/libcornu.so
cd "$build"
if [[ $command == *libcornu.a* ]]; then
  # What follows the static libraries is what they need.
  needs=${command##*libcornu_cpu.a}
  say "linking libcornu.so"
  eval "${CXX:-c++} -shared -s -o '$work/$library' -Wl,-soname,libcornu.so '$rpath' \
    -Wl,--whole-archive libcornu.a libcornu_cpu.a -Wl,--no-whole-archive $needs"
else
  for file in libcornu.so* libcornu_cpu.so*; do cp -L "$file" "$work/lib/$file"; done
fi

programs=()
for program in bin/test_* bin/cornu bin/cornu-bench bin/cornu-conformance bin/cornu-zoo; do
  if [[ -x $program ]]; then programs+=("$program"); fi
done
((${#programs[@]})) || die "no programs in $build/bin. Run ./dev test first: it builds everything."
for program in "${programs[@]}"; do
  say "linking ${program#bin/}"
  command=$(link_command "$program")
  command=${command//libcornu.a/"'$work/$library'"}
  command=${command//libcornu_cpu.a/}
  command=${command//-o $program/"-o '$work/$program'"}
  eval "$command -s '$rpath'"
done
if [[ -f lib/libcornu_cuda.so ]]; then
  cp lib/libcornu_cuda.so "$work/lib/"
  strip --strip-unneeded "$work/lib/libcornu_cuda.so"
else
  say "there is no libcornu_cuda.so: without it the bundle runs on the CPU only"
fi

# LAPACK is not linked but loaded by name.
lapack=$(ldconfig -p | awk '/liblapacke\.so\.3 / && /x86-64/ {print $NF; exit}')
if [[ -n $lapack ]]; then cp -L "$lapack" "$work/lib/"; fi

# Everything that these load, except what belongs to the C library and so to the machine.
needed() {
  for file in "$work"/bin/* "$work"/lib/*.so*; do LD_LIBRARY_PATH=$work/lib ldd "$file"; done |
    awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
    grep -vE '/(libc|libm|libpthread|libdl|librt|libresolv|libutil|ld-linux[^/]*)\.so' | grep -vF "$work/" || true
}
while read -r file; do cp -nL "$file" "$work/lib/$(basename "$file")"; done < <(needed)

cd "$root"
mkdir -p "$work/sources/tests" "$work/sources/examples" "$work/benchmarks"
for folder in data zoo conformance support; do
  if [[ -d tests/$folder ]]; then cp -r "tests/$folder" "$work/sources/tests/"; fi
done
cp -r examples/data "$work/sources/examples/"
mkdir -p "$work/sources/tools"
cp -r tools/gpu_bundle "$work/sources/tools/"  # whose tests read it
cp benchmarks/gpu/*.py "$work/benchmarks/"
if [[ -n $cases ]]; then cp -rL "$cases" "$work/cases"; fi

tar -C "$bundle" -czf "$bundle/payload.tar.gz" payload
rm -rf "$work"
install -m 755 tools/gpu_bundle/run.sh "$bundle/run.sh"
size=$(du -sm "$bundle" | cut -f1)
say "$bundle: $size MiB; on the other machine: ./run.sh"
((size < 60)) || die "expected a bundle below 60 MiB, found $size. Leave out the conformance cases."
