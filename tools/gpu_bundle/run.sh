#!/usr/bin/env bash
# Runs Cornu's tests, conformance cases, and benchmarks on a GPU, and PyTorch and Keras on JAX beside them
# where they are installed. Writes results.json, and prints a table.
# Usage: ./run.sh [--device cuda:0] [--only PART]... [--python PATH]... [--out FOLDER]
#   PART      tests, conformance, zoo, sanitizer or benchmarks; default: all
#   --device  cpu runs the same on the CPU
#   --python  an interpreter that may have torch, or keras and jax; default: python3
# Exit status 1 when a test or a case fails.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
device=cuda:0
out=$here/results
parts=() pythons=()
while (($#)); do
  case $1 in
    --device) device=$2 ;;
    --only) parts+=("$2") ;;
    --python) pythons+=("$2") ;;
    --out) out=$2 ;;
    *)
      sed -n '2,8s/^# //p' "${BASH_SOURCE[0]}" >&2
      exit 2
      ;;
  esac
  shift 2 || exit 2
done
((${#parts[@]})) || parts=(tests conformance zoo sanitizer benchmarks)
((${#pythons[@]})) || pythons=(python3)
wanted() { [[ " ${parts[*]} " == *" $1 "* ]]; }

if [[ ! -d $here/payload ]]; then tar -C "$here" -xzf "$here/payload.tar.gz"; fi
payload=$here/payload
mkdir -p "$out"
export CORNU_DEVICE=$device CORNU_TEST_DEVICE=$device
export CORNU_DATA_DIR=$payload/sources/examples/data CORNU_TEST_SOURCES=$payload/sources
export CORNU_KERNEL_CACHE=${CORNU_KERNEL_CACHE:-$out/kernels} OMP_WAIT_POLICY=passive

gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)
gpu=${gpu:-none}
records=() failures=0
# Keeps a record: name, status, what there is to say, seconds.
record() {
  local said=${3//\\/\\\\}
  said=${said//\"/\\\"}
  records+=("{\"name\": \"$1\", \"status\": \"$2\", \"said\": \"$said\", \"seconds\": $4}")
  printf '%-28s %-7s %6ss  %s\n' "$1" "$2" "$4" "$3"
  if [[ $2 == failed ]]; then failures=$((failures + 1)); fi
}
# The last line of a log that says something.
last_line() { grep -vE '^[[:space:]=~.-]*$' "$1" | tail -n 1 | tr -d '\r' | cut -c1-160; }
# start NAME LIMIT COMMAND... runs a command in the background, beside up to $together others, since
# most of the time goes into compiling kernels. `finish` waits for all and records them in order.
together=$(($(nproc) / 2)) begun=()
if ((together > 8)); then together=8; elif ((together < 1)); then together=1; fi
start() {
  local name=$1 limit=$2
  shift 2
  while (($(jobs -rp | wc -l) >= together)); do wait -n; done
  {
    begin=$SECONDS status=0
    timeout "$limit" "$@" >"$out/$name.log" 2>&1 || status=$?
    printf '%s %s\n' "$status" $((SECONDS - begin)) >"$out/$name.status"
  } &
  begun+=("$name")
}
finish() {
  local name status seconds
  wait
  for name in "${begun[@]}"; do
    read -r status seconds <"$out/$name.status"
    if ((status == 124)); then printf 'out of time\n' >>"$out/$name.log"; fi
    record "$name" "$( ((status == 0)) && echo passed || echo failed)" "$(last_line "$out/$name.log")" "$seconds"
  done
  begun=()
}

printf 'GPU: %s; device: %s; %s\n' "$gpu" "$device" "$(date -u +%FT%TZ)"
cd "$out" || exit 1
if wanted tests; then
  # Each kernel beside the CPU first: what fails there fails everywhere.
  start kernels 500 "$payload/bin/test_backend" "[#gpu_test]"
  start sequences 500 "$payload/bin/test_backend" "[#gpu_sequences_test]"
  finish
  for program in "$payload"/bin/test_*; do
    start "$(basename "$program")" 500 "$program"
  done
  finish
fi
if wanted conformance; then
  for folder in "$payload/sources/tests/conformance" "$payload/cases"; do
    if [[ -d $folder ]]; then
      name=conformance-$(basename "$folder")
      start "$name" 580 "$payload/bin/cornu-conformance" "$folder" --summary --json "$out/$name.json"
    fi
  done
  finish
fi
if wanted zoo; then
  start zoo 500 "$payload/bin/cornu-zoo" "$payload/sources/tests/zoo" --json "$out/zoo.json"
  finish
fi
if wanted sanitizer && [[ $device == cuda* ]]; then
  sanitizer=$(PATH=$PATH:/usr/local/cuda/bin command -v compute-sanitizer)
  if [[ -n $sanitizer ]]; then
    for tool in memcheck racecheck; do
      start "$tool" 580 "$sanitizer" --tool "$tool" --error-exitcode 9 \
        "$payload/bin/test_backend" "[#matmul_test],[#conv_test],[#reduce_test],[#fused_test],[#scatter_test]"
    done
    finish
  else
    record sanitizer skipped "there is no compute-sanitizer" 0
  fi
fi

figures=$out/benchmarks.jsonl
: >"$figures"
# bench NAME COMMAND...: keeps the lines of JSON that it prints.
bench() {
  local name=$1 log=$out/bench_${1// /_}.log started=$SECONDS status=passed
  shift
  timeout 1800 "$@" >"$log" 2>"$log.errors" || status=failed
  grep '^{' "$log" >>"$figures"
  record "$name" "$status" "$(grep -c '^{' "$log") figures $( [[ $status == failed ]] && last_line "$log.errors")" \
    $((SECONDS - started))
}
if wanted benchmarks; then
  for workload in seed_b32 mlp mnist_cnn lstm gpt resnet50; do
    bench "cornu $workload" "$payload/bin/cornu-bench" "$workload"
    CORNU_TF32=1 bench "cornu tf32 $workload" "$payload/bin/cornu-bench" "$workload" --mode fit
    bench "cornu bfloat16 $workload" "$payload/bin/cornu-bench" "$workload" --mode fit --policy mixed_bfloat16
  done
  for python in "${pythons[@]}"; do
    if "$python" -c 'import torch, sys; sys.exit(not torch.cuda.is_available())' 2>/dev/null; then
      bench "torch" "$python" "$payload/benchmarks/torch_bench.py"
      bench "torch compiled" "$python" "$payload/benchmarks/torch_bench.py" --compile
      bench "torch tf32" "$python" "$payload/benchmarks/torch_bench.py" --tf32
      bench "torch bfloat16" "$python" "$payload/benchmarks/torch_bench.py" --dtype bfloat16
    fi
    if "$python" -c 'import keras, jax; assert jax.default_backend() == "gpu"' 2>/dev/null; then
      KERAS_BACKEND=jax bench "keras jax" "$python" "$payload/benchmarks/keras_bench.py"
      KERAS_BACKEND=jax bench "keras jax bfloat16" "$python" "$payload/benchmarks/keras_bench.py" --policy mixed_bfloat16
    fi
  done
fi

join() {
  local first=1 line
  while IFS= read -r line; do
    ((first)) || printf ',\n    '
    first=0
    printf '%s' "$line"
  done
}
{
  printf '{"gpu": "%s", "device": "%s", "date": "%s",\n' "$gpu" "$device" "$(date -u +%FT%TZ)"
  printf '  "steps": [\n    %s],\n' "$( ((${#records[@]})) && printf '%s\n' "${records[@]}" | join)"
  printf '  "benchmarks": [\n    %s]}\n' "$(join <"$figures")"
} >"$out/results.json"

# The figures of training as a table: workload, program, mode, figure.
if [[ -s $figures ]]; then
  printf '\n| %s | | | |\n|---|---|---|---|\n' "$gpu"
  grep '"metric": "train"' "$figures" |
    sed -E 's/.*"workload": "([^"]*)".*"peer": "([^"]*)".*"mode": "([^"]*)".*"value": ([0-9.e+]*).*"unit": "([^"]*)".*/| \1 | \2 | \3 | \4 \5 |/' |
    sort
fi
printf '\n%d failed; %s\n' "$failures" "$out/results.json"
((failures == 0))
