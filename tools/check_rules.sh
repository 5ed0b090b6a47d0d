#!/usr/bin/env bash
# Checks the rules of the project that a script can check, and lists each breach as file:line: text.
#   tiers    a folder includes only from the folders below it, inside framework/ as well
#   paths    library sources include each other by relative path, tests and examples by <cornu/...>
#   vendors  headers that users include pull in no vendor's header
#   length   no source file has more than 600 lines
#   places   docs/contributing.md says where things are
#   types    no two headers define a type of the same name in the same namespace
#   first    each source file starts with a comment that says what it is for
#   tests    what a test file declares lies in a namespace of the file's name
#   pages    each block of C++ on a page is part of the page's program, or says why not
# Usage: tools/check_rules.sh (from anywhere). Exit status 1 when a rule is broken.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

folders=()
for folder in backend framework layers optimizers losses metrics callbacks applications \
  examples tools benchmarks tests docs cornu.h; do
  if [[ -e $folder ]]; then folders+=("$folder"); fi
done
mapfile -t files < <(find "${folders[@]}" -type f \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.inc' -o -name '*.cu' -o -name '*.cuh' \) | sort)
if ((${#files[@]} == 0)); then
  echo "check_rules: found no sources"
  exit 1
fi

awk '
  # The tier that a path belongs to, "" when it is none of the library.
  function folder_of(path) {
    if (path ~ /^backend\/(cpu|cuda)\//) { split(path, part, "/"); return "backend/" part[2] }
    if (match(path, /^(backend|framework|layers|optimizers|losses|metrics|callbacks|applications)\//))
      return substr(path, 1, RLENGTH - 1)
    return path == "cornu.h" ? "cornu.h" : ""
  }
  # Resolves "." and ".." in folder/included.
  function resolve(folder, included,    parts, kept, count, n, i, path) {
    n = split((folder == "" ? "" : folder "/") included, parts, "/")
    count = 0
    for (i = 1; i <= n; i++) {
      if (parts[i] == "" || parts[i] == ".") continue
      if (parts[i] == ".." && count > 0) count--
      else kept[++count] = parts[i]
    }
    path = ""
    for (i = 1; i <= count; i++) path = path (i > 1 ? "/" : "") kept[i]
    return path
  }
  # The place of a path in the order of the folders inside of framework/, 0 when it has none.
  function tier_of(path,    part) {
    split(path, part, "/")
    return part[1] == "framework" ? tier[part[2]] : 0
  }
  function report(text) { print FILENAME ":" FNR ": " text; bad = 1 }
  function end_of_file() {
    if (lines > 600) { print file ":600: has " lines " lines; the ceiling is 600: split it by theme"; bad = 1 }
  }
  BEGIN {
    below["backend"] = "backend"
    below["backend/cpu"] = "backend backend/cpu"
    below["backend/cuda"] = "backend backend/cuda"
    below["framework"] = "backend framework"
    below["layers"] = "backend framework layers"
    below["optimizers"] = "backend framework optimizers"
    below["losses"] = "backend framework losses"
    below["metrics"] = "backend framework losses metrics"
    below["callbacks"] = "backend framework callbacks"
    below["applications"] = "backend framework layers applications"
    below["cornu.h"] = "backend framework layers optimizers losses metrics callbacks applications"
    # From the ground up; docs/architecture.md says what each is, cmake/CornuTiers.cmake links them in this order.
    count = split("tensor io dispatch ops autodiff data config compile quantizers base initializers " \
      "regularizers constraints model saving", names, " ")
    for (i = 1; i <= count; i++) tier[names[i]] = i
    vendor = "^(dnnl|oneapi/|hwy/|hdf5|H5|zip\\.h|nlohmann/json\\.hpp|spdlog/|fmt/|omp\\.h|cuda|cudnn|nvrtc|cblas|lapacke|CLI/|google/|.*\\.pb\\.h|isa-l/|png\\.h|jpeglib\\.h|gif_lib\\.h|sndfile\\.h|speex/)"
  }
  FNR == 1 {
    if (NR > 1) end_of_file()
    space = ""
    file = FILENAME
    folder = file
    if (!sub(/\/[^\/]*$/, "", folder)) folder = ""
    folder_tier = folder_of(file)
    header = file ~ /\.h$/ && file !~ /-inl\.h$/
    if ($0 !~ /^\/[\/*]/) report("the first line is not a comment that says what the file is for")
  }
  { lines = FNR }
  # Linkers merge what has one name, so that one of the two would be taken for the other.
  header && /^namespace [a-z_:0-9]+ \{/ { space = space "::" $2 }
  header && /^}  \/\/ namespace/ { sub(/::[a-z_:0-9]*$/, "", space); if ($4 ~ /::/) space = "" }
  header && /^(class|struct|enum class|enum) [A-Za-z]/ && /[{:]/ && $0 !~ /;$/ {
    name = $2 == "class" ? $3 : $2
    if (name !~ /<|::/) {
      sub(/[:{;].*/, "", name)
      if ((space "::" name) in defined) report(space "::" name " is defined in " defined[space "::" name] " as well")
      defined[space "::" name] = FILENAME ":" FNR
    }
  }
  /^[ \t]*#[ \t]*include[ \t]*["<]/ {
    included = $0
    sub(/^[^"<]*/, "", included)
    quote = substr(included, 1, 1)
    included = substr(included, 2)
    sub(/[">].*$/, "", included)
    if (quote == "<") {
      if (folder_tier != "" && included ~ /^cornu\//)
        report("<" included ">: library sources include each other by relative path")
      if (header && folder_tier != "" && folder_tier !~ /^backend\// && included ~ vendor)
        report("<" included ">: vendor headers belong into .cpp files")
      next
    }
    target = resolve(folder, included)
    to = folder_of(target)
    if (folder_tier == "") {
      if (to != "" && file ~ /^(tests|examples|docs)\//)
        report("\"" included "\": write <cornu/" target ">, as users do")
    } else if (to == "") {
      # The build makes a header for each component folder.
      if (folder_tier == "cornu.h" && target ~ /^(layers|optimizers|losses|metrics|callbacks|applications)\.h$/) next
      if (target !~ /^hwy\// && target !~ /^(dnnl|hdf5|zip)/)
        report("\"" included "\" is not a file of the library")
    } else if (index(" " below[folder_tier] " ", " " to " ") == 0 && !plugs_in(file, to)) {
      report("\"" included "\": " folder_tier " must not include from " to)
    } else if (folder_tier == "framework" && to == "framework") {
      if (!tier_of(file)) report("framework/ has no such folder; the folders are listed in tools/check_rules.sh")
      else if (tier_of(target) > tier_of(file))
        report("\"" included "\": this folder of framework/ is below that one")
    }
  }
  # The file of backend/ that lists the devices is the one that knows backend/cpu.
  function plugs_in(path, to) { return path ~ /^backend\/[^\/]*\.cpp$/ && to == "backend/cpu" }
  END { end_of_file(); exit bad }
' "${files[@]}" || { echo "check_rules: the lines above break a rule (see docs/contributing.md)"; exit 1; }
# The table of docs/contributing.md that says where things are.
while IFS='|' read -r _ name file _; do
  name=${name//[\` ]/} file=${file//[\` ]/}
  if ! grep -qw -- "$name" "$file" 2>/dev/null; then
    echo "docs/contributing.md: $name is not in $file"
    exit 1
  fi
done < <(grep -E '^\| `[A-Za-z0-9_]+` \| `[a-z_/0-9]+\.h` \|$' docs/contributing.md)
# Several test files are compiled as one.
while read -r test; do
  name=$(basename "$test" .cpp)
  if ! grep -q "^namespace $name {" "$test"; then
    echo "$test:1: put what it declares into 'namespace $name { ... }', as files are compiled together"
    exit 1
  fi
done < <(grep -rlE '^(TEST_CASE|TEMPLATE_TEST_CASE|SCENARIO)' tests --include='*.cpp')
# tests/framework/model/diagnose compares the pieces of docs/diagnose.md with those that it runs.
mapfile -t pages < <(find README.md docs -name '*.md' ! -path docs/diagnose.md | sort)
awk -f tools/cut_page.awk "${pages[@]}"
echo "check_rules: ${#files[@]} files keep the rules"
