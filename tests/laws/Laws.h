// The laws that every primitive obeys, each a check of one row that reports to GoogleTest. LawsTest.cpp runs
// them over the table.
#pragma once

#include "tests/laws/OpSpec.h"

namespace jx::laws {

/// Evaluation gives what JAX computed, before and after simplification, as do the first and second derivative
/// along the recorded tangents.
void checkRecorded(const OpSpec &spec);

/// The tangents of `spec` equal central differences, and the function's values are left alone.
void checkForward(const OpSpec &spec);
/// <J v, u> = <v, J' u>, with J v by the linear part of linearize (by differences where the row is reverse
/// only).
void checkReverse(const OpSpec &spec);
/// The tangents of the tangents equal central differences of the tangents.
void checkSecondOrder(const OpSpec &spec);

/// The op over a batch equals the op on each lane, for each choice of batched operands; effects happen lane
/// by lane.
void checkBatch(const OpSpec &spec);

/// Compiled code computes what the interpreter computes, bit for bit: both read the same formulas.
void checkCompiled(const OpSpec &spec);
/// So it does for the JVP, and for the known part, the linear part and the transpose of reverse mode.
void checkCompiledDerivatives(const OpSpec &spec);

} // namespace jx::laws
