// The runtime's functions that generated code calls, by name.
#include "compiler/lowering/JitProgram.h"
#include "jxrt/CompilerSupport.h"
#include "jxrt/Context.h"
#include "jxrt/Effects.h"
#include "jxrt/Host.h"
#include "jxrt/Io.h"
#include "jxrt/Options.h"
#include "jxrt/Sort.h"
#include "jxrt/Threads.h"
#include <cmath>
#include <cstring>

namespace jx {

llvm::ArrayRef<NativeSymbol> runtimeSymbols() {
#define JX_SYMBOL(name)                                                                                      \
  {                                                                                                          \
    #name, reinterpret_cast<const void *>(&name)                                                             \
  }
  static const NativeSymbol symbols[] = {
      JX_SYMBOL(jxrt_cancelled),
      JX_SYMBOL(jxrt_check_failed),
      JX_SYMBOL(jxrt_clock),
      JX_SYMBOL(jxrt_fail),
      JX_SYMBOL(jxrt_cumulative),
      JX_SYMBOL(jxrt_file_exists),
      JX_SYMBOL(jxrt_host_float),
      JX_SYMBOL(jxrt_host_int),
      JX_SYMBOL(jxrt_host_truncate),
      JX_SYMBOL(jxrt_load),
      JX_SYMBOL(jxrt_option_float),
      JX_SYMBOL(jxrt_option_int),
      JX_SYMBOL(jxrt_parallel_for),
      JX_SYMBOL(jxrt_print),
      JX_SYMBOL(jxrt_save),
      JX_SYMBOL(jxrt_scratch_give),
      JX_SYMBOL(jxrt_scratch_take),
      JX_SYMBOL(jxrt_sort),
      JX_SYMBOL(jxrt_stack_free),
      JX_SYMBOL(jxrt_stack_grow),
      JX_SYMBOL(jxrt_thread_count),
      JX_SYMBOL(jxrt_top_k),
      // What LLVM itself makes calls of.
      JX_SYMBOL(__truncsfbf2),
      JX_SYMBOL(__truncdfbf2),
      {"memcpy", reinterpret_cast<const void *>(&std::memcpy)},
      {"memmove", reinterpret_cast<const void *>(&std::memmove)},
      {"memset", reinterpret_cast<const void *>(&std::memset)},
      {"memcmp", reinterpret_cast<const void *>(&std::memcmp)},
      {"fma", reinterpret_cast<const void *>(static_cast<double (*)(double, double, double)>(&std::fma))},
      {"fmaf", reinterpret_cast<const void *>(static_cast<float (*)(float, float, float)>(&std::fma))},
      {"fmod", reinterpret_cast<const void *>(static_cast<double (*)(double, double)>(&std::fmod))},
      {"fmodf", reinterpret_cast<const void *>(static_cast<float (*)(float, float)>(&std::fmod))},
      // f64 trigonometry is the C library's (numerics/Trigonometric.h); LLVM joins a sine and a cosine of one
      // angle.
      {"sin", reinterpret_cast<const void *>(static_cast<double (*)(double)>(&std::sin))},
      {"cos", reinterpret_cast<const void *>(static_cast<double (*)(double)>(&std::cos))},
      {"tan", reinterpret_cast<const void *>(static_cast<double (*)(double)>(&std::tan))},
      {"sincos",
       reinterpret_cast<const void *>(static_cast<void (*)(double, double *, double *)>(&::sincos))},
  };
#undef JX_SYMBOL
  return symbols;
}

} // namespace jx
