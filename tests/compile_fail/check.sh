#!/usr/bin/env bash
# Compiles the snippets of this folder: of each line that ends in "// error: TEXT", and of no other, the compiler must say
# that it is wrong, and TEXT. "// error (g++): TEXT" is for that compiler alone: others have words of their own.
#   tests/compile_fail/check.sh COMPILER FLAG...
set -u
cd "$(dirname "$0")" || exit 1
case $("$1" --version) in *clang*) compiler='clang++' ;; *) compiler='g++' ;; esac

# What the compiler says of one line: the errors that name it, with what is told before (by g++) and behind (by clang++).
said_of() {
  awk -v here="$1:$2:" '
    function tell() { if (index(before part, here)) printf "%s%s", before, part }
    /: error/ { tell(); before = part; part = "" }
    { part = part $0 "\n" }
    END { tell() }' <<<"$3"
}

check() {
  local file=$1 said number line text missing=0
  shift
  # The compiler shows the lines of the snippet, which have the texts: those are left out.
  said=$(LC_ALL=C "$@" -fsyntax-only "$file" 2>&1 | grep -v '// error')
  while IFS=: read -r number line; do
    [[ $line == *'// error (g++)'* && $compiler != 'g++' ]] && continue
    text=${line#*// error*: }
    if ! said_of "$file" "$number" "$said" | grep -qF "$text"; then
      echo "$file:$number: $compiler does not say here: $text"
      missing=1
    fi
  done < <(grep -n '// error' "$file" | grep -v '^1:')
  while read -r number; do
    if ! sed -n "${number}p" "$file" | grep -q '// error'; then
      echo "$file:$number: $compiler finds an error in a line that should compile"
      missing=1
    fi
  done < <(grep -oE "^$file:[0-9]+:[0-9]+: error" <<<"$said" | cut -d: -f2 | sort -u)
  ((missing)) && echo "$said"
  return $missing
}

checks=()
for file in *.cpp; do
  check "$file" "$@" &
  checks+=($!)
done
status=0
for one in "${checks[@]}"; do wait "$one" || status=1; done
exit $status
