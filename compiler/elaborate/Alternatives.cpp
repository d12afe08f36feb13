// The tables behind Alternatives.h.
#include "compiler/elaborate/Alternatives.h"
#include "llvm/ADT/StringSwitch.h"

namespace jx::elab {

llvm::StringRef insteadOfModule(llvm::StringRef name) {
  constexpr llvm::StringLiteral arrays = "use `jax.numpy`, whose functions have the same names";
  constexpr llvm::StringLiteral learning =
      "write the model with `jax.numpy` and `jax.nn`, and train it with `optax`";
  constexpr llvm::StringLiteral data = "read arrays with `jnp.load` or `jx.data`";
  constexpr llvm::StringLiteral threads =
      "jx runs the whole program as compiled code; independent work over an axis is `jax.vmap`";
  return llvm::StringSwitch<llvm::StringRef>(name.split('.').first)
      .Case("numpy", arrays)
      .Case("scipy", "use `jax.scipy`, as far as jx has it")
      .Cases({"torch", "tensorflow", "keras", "sklearn", "haiku", "flax", "equinox"}, learning)
      .Cases({"pandas", "polars", "csv", "h5py", "pickle", "json", "datasets", "tensorflow_datasets"}, data)
      .Cases({"PIL", "cv2", "matplotlib", "seaborn"},
             "save the arrays with `jnp.save` and draw them elsewhere")
      .Case("random", "use `jax.random` with explicit keys")
      .Cases({"argparse", "absl", "click"},
             "the parameters of `main` are the program's options: `def main(epochs: int = 10)`")
      .Cases({"threading", "multiprocessing", "asyncio", "concurrent"}, threads)
      .Cases({"subprocess", "socket", "requests", "urllib"},
             "a jx program cannot reach outside of its own process")
      .Cases({"tqdm", "logging", "wandb"}, "use `print`")
      .Default("");
}

llvm::StringRef insteadOfBuiltin(llvm::StringRef name) {
  constexpr llvm::StringLiteral compiled =
      "the whole program is compiled before it runs: write the code itself, or choose "
      "among functions in a dict";
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"eval", "exec", "compile"}, compiled)
      .Case("__import__", "write an `import` statement")
      .Case("open", "read and write arrays with `jnp.load`, `jnp.save` or `jx.data`")
      .Case("input", "make it a parameter of `main`: it becomes an option of the program")
      .Case("breakpoint", "use `jax.debug.print`, or `jx run --interpret --trace`")
      .Cases({"memoryview", "bytearray"}, "use an array of dtype `uint8`")
      .Cases({"aiter", "anext"}, "jx has no such function; use `del`, or a plain loop")
      .Default("");
}

} // namespace jx::elab
