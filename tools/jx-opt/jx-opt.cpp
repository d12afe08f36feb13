// jx-opt: the transforms as passes over textual IR, for tests and for looking at one pass alone.
#include "compiler/dialect/JxDialect.h"
#include "compiler/transforms/Transforms.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<jx::JxDialect, mlir::func::FuncDialect>();
  jx::registerTransformPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "jx optimizer driver\n", registry));
}
