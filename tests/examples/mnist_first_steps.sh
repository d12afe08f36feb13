#!/usr/bin/env bash
# The first training steps on the real data, compiled and interpreted: the losses must equal those that JAX 0.10.2 printed
# (mnist_first_steps.out) in their first five digits, and the accuracy all of its own.
set -euo pipefail
jx=$1 example=$2 here=$(dirname "$0")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$example" "$here/mnist_first_steps.jx" "$folder"
for mode in "" --interpret; do
  "$jx" run $mode "$folder/mnist_first_steps.jx" --data "$(dirname "$example")/data/mnist" > "$folder/out"
  paste "$folder/out" "$here/mnist_first_steps.out" | awk -v mode="${mode:-compiled}" '
    /loss/ { d = $4 - $8; if (d < 0) d = -d; if (!(d <= 1e-5 * $8)) bad = 1 }
    /accuracy/ { if ($2 != $4) bad = 1 }
    { lines++ }
    END { if (bad || lines != 4) { print mode " differs from the recorded lines"; exit 1 } }
  ' || { cat "$folder/out"; exit 1; }
done
