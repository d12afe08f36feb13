#!/usr/bin/env bash
# Habits that a script can check: every tracked file is clean of machine paths, every source says what it is for.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
status=0

fail() { echo "lint: $1" >&2; status=1; }

while read -r file; do
  head -n 1 "$file" | grep -qE '^(//|/\*|#)' || fail "$file does not begin with a comment that says what it is for"
done < <(git ls-files 'compiler/*.h' 'runtime/*.h')

# A CHECK directive with a misspelt suffix asserts nothing.
bad=$(git grep -nE '(CHECK|COM)[-_](NXET|LABLE|SMAE|NTO|DAGG|EMTPY)|//[[:space:]]*CHEKC|CHECK [:]' -- 'tests/*.mlir' || true)
[ -z "$bad" ] || fail "misspelt FileCheck directives: $bad"

top=$(git ls-tree --name-only HEAD | grep -vxE 'CMakeLists.txt|README.md|LICENSE|compiler|runtime|stdlib|tests|examples|tools|docs|\..*' || true)
[ -z "$top" ] || fail "unexpected entries at the top: $top"
exit $status
