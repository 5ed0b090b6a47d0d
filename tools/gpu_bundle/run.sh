#!/usr/bin/env bash
# Runs Cornu's tests, conformance cases, and benchmarks on a GPU, and PyTorch and JAX beside them
# where they are installed. Writes results.json, and prints a table.
# Usage: ./run.sh [--device cuda:0] [--only PART]... [--seconds N] [--together N] [--python PATH]... [--out FOLDER]
#   PART      kernels (the tests' first part), tests, conformance, zoo, sanitizer, ratios (the networks and
#             kernels that are to keep a ratio to the peers') or benchmarks (the others); default: all
#   --seconds after so many nothing new begins, and what runs is ended; default: no bound
#   --together  so many processes of tests side by side; default: half the processors, at most 8
#   --device  cpu runs the same on the CPU
#   --python  an interpreter that may have torch, or jax, and NVIDIA's libraries; default: python3
# Exit status 1 when a test or a case fails.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
device=cuda:0
out=$here/results
parts=() pythons=() bound=0 together=$(($(nproc) / 2))
if ((together > 8)); then together=8; elif ((together < 1)); then together=1; fi
while (($#)); do
  case $1 in
    --device) device=$2 ;;
    --only) parts+=("$2") ;;
    --python) if [[ $2 == */* && $2 != /* ]]; then pythons+=("$PWD/$2"); else pythons+=("$2"); fi ;;
    --out) out=$2 ;;
    --seconds) bound=$2 ;;
    --together) together=$2 ;;
    *)
      sed -n '2,12s/^# //p' "${BASH_SOURCE[0]}" >&2
      exit 2
      ;;
  esac
  shift 2 || exit 2
done
((${#parts[@]})) || parts=(tests conformance zoo sanitizer ratios benchmarks)
# NVIDIA's libraries beside the interpreters that the user names, unless folders of them are named as well.
if [[ -z ${CORNU_CUDA_LIBRARIES:-} ]]; then
  for python in "${pythons[@]}"; do
    found=$("$python" -c 'import glob, sys
print(":".join(f for p in sys.path for f in sorted(glob.glob(p + "/nvidia/*/lib"))))' 2>/dev/null)
    if [[ -n $found ]]; then export CORNU_CUDA_LIBRARIES=${CORNU_CUDA_LIBRARIES:+$CORNU_CUDA_LIBRARIES:}$found; fi
  done
fi
((${#pythons[@]})) || pythons=(python3)
wanted() { [[ " ${parts[*]} " == *" $1 "* ]]; }

if [[ ! -d $here/payload ]]; then tar -C "$here" -xzf "$here/payload.tar.gz"; fi
payload=$here/payload
mkdir -p "$out"
out=$(cd "$out" && pwd)
# The bundle's libstdc++ may want a newer C library than this machine has; then its own may do.
starts() { CORNU_DEVICE=cpu "$payload/bin/cornu" --help; }
if ! starts >/dev/null 2>&1; then
  mkdir -p "$payload/lib/unused"
  mv "$payload"/lib/{libstdc++.so.6,libgcc_s.so.1} "$payload/lib/unused/" 2>/dev/null
  starts >/dev/null || exit 1
fi
export CORNU_DEVICE=$device CORNU_TEST_DEVICE=$device
# A driver starts on all devices that a process sees, which takes time on each.
if [[ $device == cuda:0 ]]; then export CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-0}; fi
export CORNU_DATA_DIR=$payload/sources/examples/data CORNU_TEST_SOURCES=$payload/sources
export CORNU_KERNEL_CACHE=${CORNU_KERNEL_CACHE:-$out/kernels} OMP_WAIT_POLICY=passive

gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)
gpu=${gpu:-none}
records=() failures=0 figures=$out/benchmarks.jsonl
: >"$figures"
# Keeps a record: name, status, what there is to say, seconds.
record() {
  local said=${3//\\/\\\\}
  said=${said//\"/\\\"}
  records+=("{\"name\": \"$1\", \"status\": \"$2\", \"said\": \"$said\", \"seconds\": $4}")
  printf '%-44s %-7s %6ss  %s\n' "$1" "$2" "$4" "$3"
  if [[ $2 == failed ]]; then failures=$((failures + 1)); fi
}
join() {
  local first=1 line
  while IFS= read -r line; do
    ((first)) || printf ',\n    '
    first=0
    printf '%s' "$line"
  done
}
# All records and figures so far: whoever ends this script early has them too.
write_results() {
  {
    printf '{"gpu": "%s", "device": "%s", "date": "%s",\n' "$gpu" "$device" "$(date -u +%FT%TZ)"
    printf '  "steps": [\n    %s],\n' "$( ((${#records[@]})) && printf '%s\n' "${records[@]}" | join)"
    printf '  "benchmarks": [\n    %s]}\n' "$(join <"$figures")"
  } >"$out/results.json"
}
# The last line of a log that says something, as characters that JSON takes.
last_line() { grep -avE '^[[:space:]=~.-]*$' "$1" | tail -n 1 | LC_ALL=C tr -cd ' -~' | cut -c1-160; }
# So many seconds of a limit are left; none is below 10, so that what begins can tell something.
within() {
  local left=$((bound - SECONDS))
  if ((bound == 0 || left > $1)); then left=$1; fi
  printf '%s' $((left < 10 ? 10 : left))
}
is_over() { ((bound > 0 && SECONDS >= bound)); }
# start NAME LIMIT COMMAND... runs a command in the background, beside up to $together others, since
# most of the time goes into compiling kernels. `finish` waits for all and records them in order.
begun=()
start() {
  local name=$1 limit=$2
  shift 2
  while (($(jobs -rp | wc -l) >= together)); do wait -n; done
  if is_over; then
    record "$name" skipped "the ${bound} seconds are over" 0
    return
  fi
  {
    begin=$SECONDS status=0
    timeout -k 20 "$(within "$limit")" "$@" >"$out/$name.log" 2>&1 || status=$?
    printf '%s %s\n' "$status" $((SECONDS - begin)) >"$out/$name.status"
  } &
  begun+=("$name")
}
finish() {
  local name status seconds
  wait
  for name in "${begun[@]}"; do
    read -r status seconds <"$out/$name.status" || status=1 seconds=0
    if ((status == 124 || status == 137)); then
      printf 'out of time\n' >>"$out/$name.log"
    elif ((status > 128)); then
      printf 'ended by signal %d\n' $((status - 128)) >>"$out/$name.log"
    fi
    record "$name" "$( ((status == 0)) && echo passed || echo failed)" "$(last_line "$out/$name.log")" "$seconds"
  done
  begun=()
  write_results
}

printf 'GPU: %s; device: %s; %s\n' "$gpu" "$device" "$(date -u +%FT%TZ)"
cd "$out" || exit 1
# Without the device there is nothing to run; with it, this tells which libraries are used.
start devices 120 "$payload/bin/cornu" devices
finish
cat "$out/devices.log"
if ((failures)); then exit 1; fi
# Which library runs what: the first thing to look at where figures are low.
start paths 300 "$payload/bin/cornu" devices --check
finish
cat "$out/paths.log"
# All of these side by side, the longest first; benchmarks follow when they have ended.
if wanted tests || wanted kernels; then
  # Each kernel beside the CPU: what fails there fails everywhere.
  start kernels 580 "$payload/bin/test_backend" "[#gpu_test]"
  start sequences 580 "$payload/bin/test_backend" "[#gpu_sequences_test]"
fi
if wanted conformance; then
  for folder in "$payload/sources/tests/conformance" "$payload/cases"; do
    if [[ -d $folder ]]; then
      name=conformance-$(basename "$folder")
      start "$name" 580 "$payload/bin/cornu-conformance" "$folder" --summary --json "$out/$name.json"
    fi
  done
fi
if wanted zoo; then
  # The driver takes address space without end, so that cannot be bounded.
  start zoo 500 "$payload/bin/cornu-zoo" "$payload/sources/tests/zoo" --megabytes 0 --json "$out/zoo.json"
fi
if wanted tests; then
  # A process for each file of tests, as ctest has it: after a fault of the device nothing in its process works.
  for program in "$payload"/bin/test_*; do
    named=0
    while read -r tag; do
      named=1
      if [[ $tag == gpu_test || $tag == gpu_sequences_test ]]; then continue; fi
      start "$(basename "$program")-$tag" 500 "$program" "[#$tag]"
    done < <(env -u CORNU_TEST_DEVICE CORNU_DEVICE=cpu "$program" --list-tags | grep -o '\[#[^]]*\]' | tr -d '[]#' | sort -u)
    # A program that does not start names no tests.
    if ((!named)); then
      record "$(basename "$program")" failed "it lists no tests" 0
    fi
  done
  # Two processes at work on one device.
  start two-processes 500 "$payload/bin/test_framework" "[#long_run_test]"
  start two-processes-beside 500 "$payload/bin/test_framework" "[#long_run_test]"
fi
finish
if wanted sanitizer && [[ $device == cuda* ]]; then
  sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer)
  if [[ -n $sanitizer ]]; then
    # What the tests of single kernels launch; those of races are about shared memory, so about our own kernels.
    # Blocks of the driver's own show what is read or written beyond them.
    export CORNU_CUDA_EXACT_BLOCKS=1
    start memcheck 580 "$sanitizer" --tool memcheck --error-exitcode 9 \
      "$payload/bin/test_backend" "[#gpu_test],[#gpu_sequences_test]"
    # Trials of algorithms read memory that nobody has written.
    for tool in racecheck synccheck initcheck; do
      start "$tool" 580 env CORNU_CUDA_MEASURE=0 "$sanitizer" --tool "$tool" --error-exitcode 9 \
        "$payload/bin/test_backend" "GPUs run generated kernels as the CPU does"
    done
    finish
    unset CORNU_CUDA_EXACT_BLOCKS
  else
    record sanitizer skipped "there is no compute-sanitizer" 0
  fi
fi

# bench NAME COMMAND...: keeps the lines of JSON that it prints. Cornu's do not tell of TF32.
bench() {
  local name=$1 log=$out/bench_${1// /_}.log started=$SECONDS status=passed rounding=
  if is_over; then
    record "$name" skipped "the ${bound} seconds are over" 0
    return
  fi
  if [[ ${CORNU_TF32:-0} == 1 ]]; then rounding=' tf32'; fi
  shift
  timeout -k 20 "$(within 400)" "$@" >"$log" 2>"$log.errors" || status=failed
  grep '^{.*}$' "$log" | sed -E "s/(\"peer\": \"cornu\", \"mode\": \"[^\"]*)/\1$rounding/" >>"$figures"
  record "$name" "$status" "$(grep -c '^{.*}$' "$log") figures $( [[ $status == failed ]] && last_line "$log.errors")" \
    $((SECONDS - started))
  write_results
}
has_torch() { "$1" -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; }
has_jax() { "$1" -c 'import jax; assert jax.default_backend() == "gpu"' 2>/dev/null; }
if wanted ratios; then
  for workload in seed_b1 mnist_cnn lstm; do
    bench "cornu $workload" "$payload/bin/cornu-bench" "$workload" --mode fit
  done
  for workload in gpt_768 resnet50_b128; do
    bench "cornu $workload" "$payload/bin/cornu-bench" "$workload" --mode fit --policy mixed_bfloat16
  done
  bench "cornu kernels" "$payload/bin/cornu-bench" kernels
  CORNU_TF32=1 bench "cornu tf32 kernels" "$payload/bin/cornu-bench" kernels --mode float32
  small=(seed_b1 mnist_cnn lstm) large=(gpt_768:bfloat16 resnet50_b128:bfloat16)
  for python in "${pythons[@]}"; do
    if has_torch "$python"; then
      torch=("$python" "$payload/benchmarks/torch_bench.py")
      bench "torch ratios" "${torch[@]}" "${small[@]}" "${large[@]}" kernels:bfloat16 kernels kernels:int8
      bench "torch tf32 kernels" "${torch[@]}" kernels --tf32
      bench "torch compiled ratios" "${torch[@]}" lstm "${large[@]}" --compile default
      bench "torch replayed ratios" "${torch[@]}" "${small[@]}" --compile reduce-overhead
    fi
    if has_jax "$python"; then
      bench "jax ratios" "$python" "$payload/benchmarks/jax_bench.py" "${small[@]}" "${large[@]}"
    fi
  done
fi
if wanted benchmarks; then
  for workload in seed_b32 mlp gpt resnet50; do
    bench "cornu $workload" "$payload/bin/cornu-bench" "$workload"
    CORNU_TF32=1 bench "cornu tf32 $workload" "$payload/bin/cornu-bench" "$workload" --mode fit
    bench "cornu bfloat16 $workload" "$payload/bin/cornu-bench" "$workload" --mode fit --policy mixed_bfloat16
  done
  networks=(seed_b32 mlp gpt resnet50) halves=(seed_b32:bfloat16 mlp:bfloat16 gpt:bfloat16 resnet50:bfloat16)
  for python in "${pythons[@]}"; do
    if has_torch "$python"; then
      torch=("$python" "$payload/benchmarks/torch_bench.py")
      bench "torch" "${torch[@]}" "${networks[@]}" "${halves[@]}"
      bench "torch compiled" "${torch[@]}" "${networks[@]}" --compile default
      bench "torch tf32" "${torch[@]}" "${networks[@]}" --tf32
    fi
    if has_jax "$python"; then
      bench "jax" "$python" "$payload/benchmarks/jax_bench.py" "${networks[@]}" "${halves[@]}"
    fi
  done
fi

write_results

# Cornu's figures beside the peers', where there is a Python; else as they are.
if [[ -s $figures ]]; then
  printf '\n%s\n\n' "$gpu"
  "${pythons[0]}" "$payload/benchmarks/ratios.py" "$figures" 2>/dev/null || cat "$figures"
fi
printf '\n%d failed; %s\n' "$failures" "$out/results.json"
((failures == 0))
