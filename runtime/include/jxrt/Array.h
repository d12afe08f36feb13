/* Element types and descriptors of arrays, stacks and format operands: the data that crosses the C ABI.
 *
 * All arrays are row-major and contiguous. The structs have a fixed layout that generated code fills in
 * memory directly; a change of any of them is a change of JXRT_ABI_VERSION. */
#ifndef JXRT_ARRAY_H
#define JXRT_ARRAY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define JXRT_ABI_VERSION 1

typedef enum jxrt_dtype {
  JXRT_BOOL = 0, /* one byte, 0 or 1 */
  JXRT_I8 = 1,
  JXRT_I16 = 2,
  JXRT_I32 = 3,
  JXRT_I64 = 4,
  JXRT_U8 = 5,
  JXRT_U16 = 6,
  JXRT_U32 = 7,
  JXRT_U64 = 8,
  JXRT_F16 = 9,
  JXRT_BF16 = 10,
  JXRT_F32 = 11,
  JXRT_F64 = 12,
  JXRT_C64 = 13,  /* two f32: real, imaginary */
  JXRT_C128 = 14, /* two f64 */
  JXRT_KEY = 15,  /* a threefry key: two u32; shapes count keys */
  JXRT_DTYPE_COUNT = 16
} jxrt_dtype;

/* Bytes of one element; 0 for a number that is not a dtype. */
int64_t jxrt_dtype_bytes(int32_t dtype);

/* JAX's name of a dtype: "float32", "bool", "key<fry>". NULL for a number that is not a dtype. */
const char *jxrt_dtype_name(int32_t dtype);

/* A dense array. `shape` has `rank` entries and may be NULL when rank is 0. */
typedef struct jxrt_array {
  void *data;
  int64_t rank;
  const int64_t *shape;
  int32_t dtype; /* jxrt_dtype */
  int32_t reserved;
} jxrt_array;

/* Elements of `array`, or -1 if a dimension is negative or the product overflows. */
int64_t jxrt_array_elements(const jxrt_array *array);

/* Bytes of `array`, or -1 if a dimension is negative or the product overflows. */
int64_t jxrt_array_bytes(const jxrt_array *array);

/* A list that grows: `length` elements of `element_bytes` each, room for `capacity`. See Effects.h. */
typedef struct jxrt_stack {
  void *data;
  int64_t length;
  int64_t capacity;
  int64_t element_bytes;
} jxrt_stack;

typedef enum jxrt_kind {
  JXRT_VALUE_INT = 0,    /* host int: scalar.i */
  JXRT_VALUE_FLOAT = 1,  /* host float: scalar.f */
  JXRT_VALUE_BOOL = 2,   /* host bool: scalar.i is 0 or 1 */
  JXRT_VALUE_STRING = 3, /* UTF-8 text: data, scalar.i bytes */
  JXRT_VALUE_ARRAY = 4,  /* data, rank, shape, dtype */
  JXRT_VALUE_STACK = 5   /* data, scalar.i elements, each an array of rank, shape, dtype */
} jxrt_kind;

/* One operand of a format program (48 bytes). */
typedef struct jxrt_value {
  int32_t kind;  /* jxrt_kind */
  int32_t dtype; /* jxrt_dtype, for ARRAY and STACK */
  int64_t rank;
  const int64_t *shape;
  const void *data;
  union {
    int64_t i;
    double f;
  } scalar;
  int64_t reserved;
} jxrt_value;

#ifdef __cplusplus
}
#endif
#endif
