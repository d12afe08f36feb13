/* Conversions that LLVM makes calls of where the processor has no instruction for them. */
#ifndef JXRT_COMPILER_SUPPORT_H
#define JXRT_COMPILER_SUPPORT_H

#ifdef __cplusplus
extern "C" {
#endif

/* To the nearest bfloat16, ties to even. */
__bf16 __truncsfbf2(float value);
__bf16 __truncdfbf2(double value);

#ifdef __cplusplus
}
#endif
#endif
