// What clustering makes of typical programs: how many kernels, with how many results each.
#include "compiler/lowering/Kernels.h"
#include "tests/lowering/ModuleTest.h"

using namespace mlir;
using namespace jx;
using jx::test::ModuleTest;

namespace {

class Clusters : public ModuleTest {
protected:
  /// The kernels of the first function, as numbers of results, in order.
  std::vector<unsigned> kernels(const std::string &text) {
    rewrite(text, [](ModuleOp module) { EXPECT_TRUE(succeeded(clusterKernels(module))); });
    std::vector<unsigned> results;
    module->walk([&](KernelOp kernel) { results.push_back(kernel.getNumResults()); });
    return results;
  }
};

using Shape = std::vector<unsigned>;

TEST_F(Clusters, producersOfTheSameElementsBecomeFurtherOutputs) {
  EXPECT_EQ(kernels(R"(
    func.func @adam(%p: tensor<1000xf32>, %g: tensor<1000xf32>, %m: tensor<1000xf32>, %v: tensor<1000xf32>)
        -> (tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>) {
      %b = jx.constant dense<0.9> : tensor<1000xf32>
      %m1 = jx.mul %m, %b : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
      %m2 = jx.add %m1, %g : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
      %g2 = jx.mul %g, %g : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
      %v1 = jx.mul %v, %b : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
      %v2 = jx.add %v1, %g2 : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
      %s = jx.sqrt %v2 : (tensor<1000xf32>) -> tensor<1000xf32>
      %d = jx.div %m2, %s : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
      %q = jx.sub %p, %d : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
      return %m2, %v2, %q : tensor<1000xf32>, tensor<1000xf32>, tensor<1000xf32>
    })"),
            (Shape{3}));
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  KernelOp kernel = *function.getOps<KernelOp>().begin();
  for (unsigned result = 0; result < 3; ++result)
    for (unsigned operand = 0; operand < kernel.getInputs().size(); ++operand)
      EXPECT_TRUE(mayShareBuffer(kernel, result, operand));
}

TEST_F(Clusters, rowsAreOneKernel) {
  EXPECT_EQ(kernels(R"(
    func.func @softmax(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
      %m = jx.reduce %x {kind = "max", axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
      %mb = jx.broadcast_in_dim %m {shape = array<i64: 64, 100>, dims = array<i64: 0>} : (tensor<64xf32>) -> tensor<64x100xf32>
      %d = jx.sub %x, %mb : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
      %e = jx.exp %d : (tensor<64x100xf32>) -> tensor<64x100xf32>
      %s = jx.reduce %e {kind = "sum", axes = array<i64: 1>} : (tensor<64x100xf32>) -> tensor<64xf32>
      %sb = jx.broadcast_in_dim %s {shape = array<i64: 64, 100>, dims = array<i64: 0>} : (tensor<64xf32>) -> tensor<64x100xf32>
      %r = jx.div %e, %sb : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
      return %r : tensor<64x100xf32>
    })"),
            (Shape{1}));
}

TEST_F(Clusters, contractionsStandAlone) {
  EXPECT_EQ(kernels(R"(
    func.func @layer(%x: tensor<64x100xf32>, %w: tensor<50x100xf32>, %b: tensor<50xf32>) -> tensor<64x50xf32> {
      %t = jx.transpose %w {permutation = array<i64: 1, 0>} : (tensor<50x100xf32>) -> tensor<100x50xf32>
      %y = jx.dot_general %x, %t {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>,
        lhs_batch = array<i64>, rhs_batch = array<i64>, dtype = f32} : (tensor<64x100xf32>, tensor<100x50xf32>) -> tensor<64x50xf32>
      %bb = jx.broadcast_in_dim %b {shape = array<i64: 64, 50>, dims = array<i64: 1>} : (tensor<50xf32>) -> tensor<64x50xf32>
      %z = jx.add %y, %bb : (tensor<64x50xf32>, tensor<64x50xf32>) -> tensor<64x50xf32>
      %zero = jx.constant dense<0.0> : tensor<64x50xf32>
      %r = jx.max %z, %zero : (tensor<64x50xf32>, tensor<64x50xf32>) -> tensor<64x50xf32>
      return %r : tensor<64x50xf32>
    })"),
            (Shape{1, 1}));
}

TEST_F(Clusters, noClusterDependsOnItself) {
  // The exponential is read by the product and, through the sort, once more: fusing both reads would be a
  // cycle.
  EXPECT_EQ(kernels(R"(
    func.func @cycle(%x: tensor<1000xf32>) -> tensor<1000xf32> {
      %e = jx.exp %x : (tensor<1000xf32>) -> tensor<1000xf32>
      %s = jx.sort %e {dimension = 0 : i64, num_keys = 1 : i64} : (tensor<1000xf32>) -> tensor<1000xf32>
      %r = jx.mul %e, %s : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
      return %r : tensor<1000xf32>
    })"),
            (Shape{1, 1, 1}));
}

TEST_F(Clusters, noClusterHasMembersOnBothSidesOfAFence) {
  EXPECT_EQ(kernels(R"(
    func.func @timed(%x: tensor<1000xf32>) -> (tensor<1000xf32>, tensor<f64>) {
      %e = jx.exp %x : (tensor<1000xf32>) -> tensor<1000xf32>
      %t = jx.clock {kind = "perf"} : () -> tensor<f64>
      %r = jx.mul %e, %e : (tensor<1000xf32>, tensor<1000xf32>) -> tensor<1000xf32>
      return %r, %t : tensor<1000xf32>, tensor<f64>
    })"),
            (Shape{1, 1}));
}

TEST_F(Clusters, dearProducersAreNotRepeated) {
  // exp of a vector, repeated over 64 rows: computed once, in a kernel of its own.
  EXPECT_EQ(kernels(R"(
    func.func @repeat(%x: tensor<100xf32>, %y: tensor<64x100xf32>) -> tensor<64x100xf32> {
      %e = jx.exp %x : (tensor<100xf32>) -> tensor<100xf32>
      %b = jx.broadcast_in_dim %e {shape = array<i64: 64, 100>, dims = array<i64: 1>} : (tensor<100xf32>) -> tensor<64x100xf32>
      %r = jx.mul %b, %y : (tensor<64x100xf32>, tensor<64x100xf32>) -> tensor<64x100xf32>
      return %r : tensor<64x100xf32>
    })"),
            (Shape{1, 1}));
}

} // namespace
