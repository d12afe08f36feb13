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
      .Cases({"tqdm", "logging", "wandb", "pprint"}, "use `print`")
      .Cases({"pathlib", "glob"}, "paths are strings: use `os.path`, as in `os.path.join(folder, name)`")
      .Cases({"tempfile", "shutil", "io"},
             "a program reads and writes arrays alone, in files that it names: `jnp.load`, `jnp.save`")
      .Cases({"heapq", "bisect"}, "keep the list sorted with `sorted`, or search an array by "
                                  "`jnp.searchsorted`")
      .Case("statistics", "use `jnp.mean`, `jnp.median` and `jnp.std`")
      .Cases({"datetime", "timeit"}, "use `time.time` or `time.perf_counter`")
      .Cases({"unittest", "pytest", "doctest"}, "use `assert` statements")
      .Cases({"fractions", "decimal"}, "use ints, which are exact, or floats")
      .Cases({"re", "textwrap"}, "use the methods of strings")
      .Default("");
}

llvm::StringRef insteadOfMember(llvm::StringRef module, llvm::StringRef member) {
  constexpr llvm::StringLiteral options =
      "the parameters of `main` are the program's options: `def main(epochs: int = 10)`";
  if (module == "os" && llvm::is_contained({"environ", "getenv"}, member)) return options;
  if (module == "os")
    return "a program does not change folders: make them before it runs; `os.path` has the functions of "
           "paths";
  if (module == "sys") return member == "argv" ? llvm::StringRef(options) : "";
  if (module == "contextlib" && member.starts_with("redirect_"))
    return "print to the error stream with `print(..., file=sys.stderr)`";
  return "";
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
