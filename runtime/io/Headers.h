// Headers of the array file formats: what shape and dtype the bytes that follow have.
#pragma once
#include "ByteSource.h"
#include "jxrt/Io.h"
#include <vector>

namespace jxrt {

struct ArrayHeader {
  int32_t dtype = JXRT_F32;
  std::vector<int64_t> shape;
  bool bigEndian = false;
  bool fortranOrder = false;

  // Elements and bytes; checkSizes has made sure that they do not overflow.
  int64_t elements() const;
  int64_t bytes() const { return elements() * jxrt_dtype_bytes(dtype); }
  // "uint8[60000,28,28]"
  std::string text() const;
};

// Each reads the header at the source's start and leaves the source at the first element.
bool readIdxHeader(ByteSource &source, ArrayHeader &header, FileError &error);
bool readNpyHeader(ByteSource &source, ArrayHeader &header, FileError &error);

// The bytes of an npy header, as numpy.save writes it. Keys have no npy dtype: an empty string.
std::string npyHeader(int32_t dtype, const std::vector<int64_t> &shape);

} // namespace jxrt
