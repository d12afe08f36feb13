#!/usr/bin/env bash
# Trains one epoch on the real MNIST from another folder than the example's, and checks the test accuracy that it prints.
set -euo pipefail
jx=$1 program=$2
cd /
line=$("$jx" run "$program" --epochs 1)
echo "$line"
accuracy=${line##*Test Acc: }
awk -v a="$accuracy" 'BEGIN { exit !(a >= 0.95 && a <= 1) }' || { echo "test accuracy $accuracy is below 0.95"; exit 1; }
