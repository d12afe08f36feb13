/* Format programs: texts with run-time holes, made by the compiler, rendered here exactly as Python, NumPy 2
 * and JAX would render them. Compiled programs and the interpreter share this one renderer.
 *
 * A program is compact text. Build it with FormatBuilder.h rather than by hand. Grammar (n: decimal digits):
 *
 *   program    := item*
 *   item       := '"' n ':' bytes                        n bytes as they are
 *               | '%' ref style options? ';'             str, repr or ascii of an operand
 *               | 'F' ref style '(' program ')'          format(operand, rendered spec)
 *               | 'P' ref style '(' program ')'          ('%' + rendered spec) % operand: "5.2f", "-3d", "s"
 *               | 'G' conversion '(' spec ')' '(' program ')'
 *                                                        conversion of a rendered text, then its string spec
 *               | 'T' ref '[' ('(' program ')')* ']'     the program that an int or bool operand chooses
 *               | 'E' ref ':' bound ':' bound ':' bound '(' separator ')' '(' element ')'
 *                                                        elements of a stack, or of an array's leading axis,
 * by a Python slice start:stop:step | 'O' n ';'                              the text of the running
 * program's option number n | 'J' '(' program ')' '(' program ')'    os.path.join of two rendered texts ref
 * := n ('.' n)*                operand, then levels of enclosing E items whose current index selects from it
 *   bound      := '' | '-'? n | '#' ref
 *   style      := flavour conversion
 *   flavour    := 'j' JAX array | 'w' weakly typed JAX array | 'n' numpy.ndarray | 'g' numpy scalar
 *               | 'h' Python number
 *   conversion := 's' str | 'r' repr | 'a' ascii
 *   options    := '{' (letter '=' n ':' bytes)* '}'
 *                 print options that differ from NumPy's defaults: p precision, s suppress (0|1), l
 * linewidth, t threshold, e edgeitems, g sign, f floatmode ('fixed', 'unique', 'maxprec', 'maxprec_equal'), n
 * nanstr, i infstr, x separator, b prefix, a suffix
 *
 * Level n of a ref is the n-th enclosing E item counted from the outermost, 0. Inside E over operand 2, the
 * ref `2.0` is the current element, and `3.0` the element of operand 3 at the same index (a list of tuples is
 * several stacks). Flavour 'h' of an array element renders it as Python would after `.item()`; an array of
 * rank above 0 with 'h' renders as `.tolist()`. */
#ifndef JXRT_FORMAT_H
#define JXRT_FORMAT_H

#include "jxrt/Array.h"
#include "jxrt/Context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A growing text, malloc'ed, not NUL-terminated by contract. Zero-initialise; free with jxrt_string_free. */
typedef struct jxrt_string {
  char *data;
  int64_t length;
  int64_t capacity;
} jxrt_string;

void jxrt_string_free(jxrt_string *text);

typedef struct jxrt_format_error {
  const char *
      class_name; /* static: "ValueError", "TypeError", "IndexError", "SystemError" for a malformed program */
  char message[160]; /* Python's message where there is one */
} jxrt_format_error;

/* Appends the rendered program to `out`. Options are those of `ctx`, which is NULL where a program has none.
 * Returns 0, or 1 with `error` filled (which may be NULL) and `out` unchanged. */
int32_t jxrt_format(const jxrt_context *ctx, const char *program, int64_t program_bytes,
                    const jxrt_value *operands, int64_t operand_count, jxrt_string *out,
                    jxrt_format_error *error);

/* Kinds of Python value that a format spec is checked against. */
typedef enum jxrt_spec_kind {
  JXRT_SPEC_INT = 0,
  JXRT_SPEC_FLOAT = 1,
  JXRT_SPEC_STRING = 2,
  JXRT_SPEC_COMPLEX = 3
} jxrt_spec_kind;

/* Whether `spec` is valid for format() of such a value: 0, or 1 with Python's error. For the compiler's
 * diagnostics. */
int32_t jxrt_check_spec(const char *spec, int64_t spec_bytes, int32_t spec_kind, jxrt_format_error *error);

#ifdef __cplusplus
}
#endif
#endif
