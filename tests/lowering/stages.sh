#!/bin/sh
# stages.sh JX FILE: `jx ir` prints every stage of FILE, and FILE still runs.
set -eu
for stage in ast jx prepared cluster control llvm asm; do
  "$1" ir --stage=$stage "$2" | grep -q . || { echo "stage $stage: no output"; exit 1; }
done
"$1" run "$2"
