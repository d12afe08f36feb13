// RUN: --verify-each
// The textual form of the ops with regions: what is read below is what is printed.

// CHECK-LABEL: func.func @loops
// CHECK-SAME: %[[X:.*]]: tensor<3xf32>, %[[ROWS:.*]]: tensor<5x3xf32>, %[[N:.*]]: tensor<i64>
func.func @loops(%x: tensor<3xf32>, %rows: tensor<5x3xf32>, %n: tensor<i64>) -> (tensor<3xf32>, tensor<3xf32>) {
  // CHECK: %[[SCAN:.*]]:2 = jx.for %{{.*}} to 5 reverse carry(%[[C:.*]] = %[[X]]) xs(%[[ROW:.*]] = %[[ROWS]]) : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>) {
  // CHECK-NEXT: %[[SUM:.*]] = jx.add %[[C]], %[[ROW]]
  // CHECK-NEXT: jx.yield %[[SUM]], %[[C]]
  %last, %sums = jx.for %i to 5 reverse carry(%c = %x) xs(%row = %rows) : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>) {
    %sum = jx.add %c, %row : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    jx.yield %sum, %c : tensor<3xf32>, tensor<3xf32>
  }
  // A run-time trip count stacks into !jx.stack, which another loop reads.
  // CHECK: %[[STACK:.*]] = jx.for %{{.*}} to %[[N]] : (tensor<i64>) -> !jx.stack<tensor<i64>> {
  %stack = jx.for %i to %n : (tensor<i64>) -> !jx.stack<tensor<i64>> {
    jx.yield %i : tensor<i64>
  }
  // CHECK: jx.for %{{.*}} to %[[N]] xs(%[[E:.*]] = %[[STACK]]) attributes {tag = "a"} : (tensor<i64>, !jx.stack<tensor<i64>>) -> () {
  jx.for %i to %n xs(%e = %stack) attributes {tag = "a"} : (tensor<i64>, !jx.stack<tensor<i64>>) -> () {
    jx.yield
  }
  // CHECK: %[[W:.*]]:2 = jx.while before(%[[B:.*]] = %[[SCAN]]#0) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<i64>) {
  // CHECK: } body(%[[D:.*]]) {
  // CHECK-NEXT: jx.add %[[D]], %[[D]]
  %w, %trips = jx.while before(%b = %last) : (tensor<3xf32>) -> (tensor<3xf32>, tensor<i64>) {
    %false = jx.constant dense<false> : tensor<i1>
    jx.yield %false : tensor<i1>
  } body(%d) {
    %twice = jx.add %d, %d : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    jx.yield %twice : tensor<3xf32>
  }
  // CHECK: jx.while : () -> tensor<i64> {
  // CHECK: } body() {
  %none = jx.while : () -> tensor<i64> {
    %false = jx.constant dense<false> : tensor<i1>
    jx.yield %false : tensor<i1>
  } body() {
    jx.yield
  }
  return %w, %last : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @branches
func.func @branches(%i: tensor<i32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: jx.cond %{{.*}} : (tensor<i32>) -> tensor<3xf32> case 0 {
  // CHECK: } case 1 {
  // CHECK: } case 2 {
  %r = jx.cond %i : (tensor<i32>) -> tensor<3xf32> case 0 {
    jx.yield %x : tensor<3xf32>
  } case 1 {
    %y = jx.neg %x : (tensor<3xf32>) -> tensor<3xf32>
    jx.yield %y : tensor<3xf32>
  } case 2 {
    jx.yield %x : tensor<3xf32>
  }
  // CHECK: jx.kernel inputs(%[[K:.*]] = %{{.*}}) attributes {in_place = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: jx.neg %[[K]]
  %k = jx.kernel inputs(%a = %r) attributes {in_place = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32> {
    %y = jx.neg %a : (tensor<3xf32>) -> tensor<3xf32>
    jx.yield %y : tensor<3xf32>
  }
  return %k : tensor<3xf32>
}
