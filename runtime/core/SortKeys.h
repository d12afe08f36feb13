// Order-preserving unsigned images of elements: a < b in JAX's order exactly when key(a) < key(b).
#pragma once
#include "jxrt/Array.h"

namespace jxrt {

// Keys that one element gives: two for complex numbers (real, imaginary) and for PRNG keys, else one.
int keyParts(int32_t dtype);

// Whether the keys of `dtype` fit 32 bits.
bool hasNarrowKeys(int32_t dtype);

// Writes the key of part `part` of each of `n` elements, `stride` elements apart, which are of type Key:
// uint32_t where keys are narrow, else uint64_t. NaNs share the largest key, -0 has the key of +0.
// `descending` inverts the order.
template <typename Key>
void writeKeys(const void *data, int32_t dtype, int part, int64_t n, int64_t stride, bool descending,
               Key *keys);

} // namespace jxrt
