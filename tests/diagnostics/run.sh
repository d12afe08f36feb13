#!/usr/bin/env bash
# run.sh JX FOLDER [PATTERN]: runs every failing program of the folder and checks its message. A program NAME.gen is a
# script that prints the source (one too large to keep); NAME.args holds further arguments of `jx run`.
set -uo pipefail
jx=$(realpath "$1") folder=$(realpath "$2") pattern=${3:-JX}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
checked=0 failures=0

fail() {
  echo "FAIL $1: $2"
  sed 's/^/    /' "$scratch/err" | head -n 20
  failures=$((failures + 1))
}

for expected in "$folder"/"$pattern"*.err; do
  stem=${expected%.err} name=$(basename "$expected" .err) program=$name.jx arguments=()
  if [ -x "$stem.gen" ]; then
    program=$scratch/$name.jx
    "$stem.gen" > "$program"
  fi
  if [ -f "$stem.args" ]; then read -ra arguments < "$stem.args"; fi
  (cd "$folder" && timeout 120 "$jx" run "$program" "${arguments[@]}") > "$scratch/out" 2> "$scratch/err"
  code=$?
  checked=$((checked + 1))
  if [ $code -eq 0 ]; then fail "$name" "exit status 0"; continue; fi
  if [ $code -ge 124 ]; then fail "$name" "exit status $code, a signal or a timeout"; continue; fi
  grep -qF "[${name:0:6}]" "$scratch/err" || { fail "$name" "no error ${name:0:6}"; continue; }
  while IFS= read -r line; do
    [ -z "$line" ] || grep -qF -- "$line" "$scratch/err" || { fail "$name" "missing: $line"; break; }
  done < "$expected"
done
echo "$checked programs, $failures failures"
[ $checked -gt 0 ] && [ $failures -eq 0 ]
