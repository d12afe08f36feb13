#!/bin/sh
# check.sh JX_OPT FILECHECK FILE: runs the command after RUN in FILE and checks its output against FILE.
# A line "RUN-FAILS:" instead of "RUN:" says that the command fails, with its errors in the output.
set -u
options=$(sed -n 's,^// RUN: ,,p;s,^// RUN-FAILS: ,,p' "$3")
fails=$(grep -c '^// RUN-FAILS: ' "$3")
[ -n "$options" ] || { echo "$3 has no RUN line"; exit 1; }
output=$(mktemp)
trap 'rm -f "$output"' EXIT
# shellcheck disable=SC2086 # options are several words
"$1" $options "$3" >"$output" 2>&1
status=$?
if { [ "$fails" -eq 0 ] && [ $status -ne 0 ]; } || { [ "$fails" -ne 0 ] && [ $status -eq 0 ]; }; then
  cat "$output"
  echo "unexpected exit status $status"
  exit 1
fi
"$2" "$3" --input-file="$output"
