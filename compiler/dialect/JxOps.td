// All ops of the dialect, one include a family.
#ifndef JX_OPS_TD
#define JX_OPS_TD
include "compiler/dialect/JxBase.td"
include "compiler/ops/elementwise/Elementwise.td"
include "compiler/ops/convert/Convert.td"
include "compiler/ops/shape/Shape.td"
include "compiler/ops/index/Index.td"
include "compiler/ops/dot/Dot.td"
include "compiler/ops/reduce/Reduce.td"
include "compiler/ops/sort/Sort.td"
include "compiler/ops/random/Random.td"
include "compiler/ops/loop/Loop.td"
include "compiler/ops/cond/Cond.td"
include "compiler/ops/call/Call.td"
include "compiler/ops/effect/Effect.td"
include "compiler/ops/collective/Collective.td"
include "compiler/ops/kernel/Kernel.td"
#endif
