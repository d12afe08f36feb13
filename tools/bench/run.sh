#!/usr/bin/env bash
# run.sh JX [NAME]: whole-process time of the benchmark programs and of one epoch of the MNIST example, best of three, in
# seconds; programs that measure themselves print their own figures below.
set -euo pipefail
jx=$1 name=${2:-}
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)

measure() {
  local label=$1 best="" start seconds output
  shift
  for _ in 1 2 3; do
    start=$(date +%s.%N)
    output=$("$@")
    seconds=$(awk -v a="$start" -v b="$(date +%s.%N)" 'BEGIN { printf "%.3f", b - a }')
    best=$(awk -v a="${best:-$seconds}" -v b="$seconds" 'BEGIN { print (a < b) ? a : b }')
  done
  printf '%-16s %s s\n' "$label" "$best"
  grep 'ns/step' <<<"$output" | sed 's/^/  /' || true
}

for program in "$root"/tools/bench/*.jx; do
  label=$(basename "$program" .jx)
  [ -z "$name" ] || [ "$name" = "$label" ] || continue
  measure "$label" "$jx" run "$program"
done
if [ -z "$name" ] || [ "$name" = mnist_mlp ]; then
  measure mnist_mlp "$jx" run "$root/examples/mnist_mlp.jx" --epochs 1
fi
