// Rows of the ops with regions, of calls and their rules, of stacks, constants and effects: each a small
// program around the op.
#include "tests/laws/OpSpec.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace jx::laws {
namespace {

constexpr const char *aliases = R"(
!s = tensor<f64>
!v = tensor<3xf64>
!m = tensor<4x3xf64>
!i = tensor<i64>
!n = tensor<i32>
!b = tensor<i1>
)";

const OperandSpec scalar{"f64", {}, 0.3, 1.5}, vector{"f64", {3}, 0.3, 1.5}, matrix{"f64", {4, 3}, 0.3, 1.5};

OperandSpec integer(double low, double high) { return {"i64", {}, low, high}; }

class Table {
public:
  std::vector<OpSpec> specs;

  OpSpec &add(std::string name, std::vector<OperandSpec> operands, const std::string &source) {
    OpSpec &spec = specs.emplace_back();
    spec.name = std::move(name);
    spec.operands = std::move(operands);
    spec.source = aliases + source;
    return spec;
  }
};

/// A loop over %x while it is greater than 1, from %x0 on. `body` may read %half, which is 0.5.
std::string whileAboveOne(const std::string &results, const std::string &types, const std::string &body) {
  return R"(
  %half = jx.constant dense<0.5> : !s
  %one = jx.constant dense<1.0> : !s
  )" + results +
         R"( = "jx.while"(%x0) ({
  ^bb0(%x: !s):
    %0 = jx.compare %x, %one {kind = "gt"} : (!s, !s) -> !b
    jx.yield %0 : !b
  }, {
  ^bb0(%x: !s):)" +
         body + "\n  }) : (!s) -> " + types;
}

void addLoops(Table &t) {
  // Carries, scanned inputs, stacked outputs, a captured value.
  for (const char *reverse : {"false", "true"})
    t.add(std::string("for/scan_reverse_") + reverse, {vector, matrix, vector},
          std::string(R"(
func.func @f(%c0: !v, %xs: !m, %w: !v) -> (!v, !m) {
  %r:2 = "jx.for"(%c0, %xs) <{trip_count = 4 : i64, reverse = )") +
              reverse + R"(, operandSegmentSizes = array<i32: 0, 1, 1>}> ({
  ^bb0(%i: !i, %c: !v, %x: !v):
    %0 = jx.mul %c, %w : (!v, !v) -> !v
    %1 = jx.add %0, %x : (!v, !v) -> !v
    %2 = jx.sin %1 : (!v) -> !v
    %3 = jx.mul %2, %x : (!v, !v) -> !v
    jx.yield %2, %3 : !v, !v
  }) : (!v, !m) -> (!v, !m)
  return %r#0, %r#1 : !v, !m
})");
  // A run-time number of trips: none, one, several; the index is read; carries change places.
  for (double trips : {0.0, 1.0, 4.0})
    t.add("for/trips" + std::to_string(int(trips)), {integer(trips, trips), scalar, scalar}, R"(
func.func @f(%n: !i, %a0: !s, %b0: !s) -> (!s, !s) {
  %r:2 = "jx.for"(%n, %a0, %b0) <{reverse = false, operandSegmentSizes = array<i32: 1, 2, 0>}> ({
  ^bb0(%i: !i, %a: !s, %b: !s):
    %x = jx.convert %i {dtype = f64} : (!i) -> !s
    %0 = jx.mul %a, %b : (!s, !s) -> !s
    %1 = jx.add %0, %x : (!s, !s) -> !s
    %2 = jx.sin %1 : (!s) -> !s
    jx.yield %b, %2 : !s, !s
  }) : (!i, !s, !s) -> (!s, !s)
  return %r#0, %r#1 : !s, !s
})");
  t.add("for/negative_trips", {integer(-2, -2), scalar}, R"(
func.func @f(%n: !i, %a0: !s) -> !s {
  %r = "jx.for"(%n, %a0) <{reverse = false, operandSegmentSizes = array<i32: 1, 1, 0>}> ({
  ^bb0(%i: !i, %a: !s):
    %0 = jx.exp %a : (!s) -> !s
    jx.yield %0 : !s
  }) : (!i, !s) -> !s
  return %r : !s
})");
  // Lanes take different numbers of trips.
  t.add("while/lanes", {{"f64", {}, 1, 60}, scalar},
        "func.func @f(%x0: !s, %w: !s) -> (!s, !i) {" + whileAboveOne("%r:2", "(!s, !i)", R"(
    %0 = jx.mul %x, %half : (!s, !s) -> !s
    %1 = jx.sin %w : (!s) -> !s
    %2 = jx.mul %0, %1 : (!s, !s) -> !s
    jx.yield %2 : !s)") +
            R"(
  return %r#0, %r#1 : !s, !i
})");
  t.add("while/no_trip", {{"f64", {3}, -2, -1}}, R"(
func.func @f(%x0: !v) -> !v {
  %r:2 = "jx.while"(%x0) ({
  ^bb0(%x: !v):
    %m = jx.reduce %x {kind = "max", axes = array<i64: 0>} : (!v) -> !s
    %zero = jx.constant dense<0.0> : !s
    %0 = jx.compare %m, %zero {kind = "gt"} : (!s, !s) -> !b
    jx.yield %0 : !b
  }, {
  ^bb0(%x: !v):
    %0 = jx.exp %x : (!v) -> !v
    jx.yield %0 : !v
  }) : (!v) -> (!v, !i)
  return %r#0 : !v
})");
}

/// A while that stacks each carry, and what is read from the stack.
void addStacks(Table &t) {
  const std::string loop = whileAboveOne("%r:3", "(!s, !i, !jx.stack<tensor<f64>>)", R"(
    %0 = jx.mul %x, %half : (!s, !s) -> !s
    %1 = jx.sin %x : (!s) -> !s
    jx.yield %0, %1 : !s, !s)");
  const OperandSpec several{"f64", {}, 9, 15}, none{"f64", {}, 0.1, 0.9};
  t.add("stack_length/several", {several}, "func.func @f(%x0: !s) -> !i {" + loop + R"(
  %0 = jx.stack_length %r#2 : (!jx.stack<tensor<f64>>) -> !i
  return %0 : !i
})");
  const std::string get = "func.func @f(%x0: !s, %i: !i) -> !s {" + loop + R"(
  %0 = jx.stack_get %r#2, %i : (!jx.stack<tensor<f64>>, !i) -> !s
  return %0 : !s
})";
  t.add("stack_get/inside", {several, integer(0, 2)}, get);
  t.add("stack_get/outside", {several, integer(-3, 9)}, get);
  t.add("stack_get/empty", {none, integer(0, 0)}, get);
}

void addCond(Table &t) {
  // Each branch reads what the other does not; out-of-range indices are clamped.
  for (double index : {-1.0, 0.0, 1.0, 2.0, 7.0})
    t.add("cond/" + std::to_string(int(index)), {{"i32", {}, index, index}, scalar, vector}, R"(
func.func @f(%k: !n, %a: !s, %x: !v) -> (!s, !v) {
  %r:2 = "jx.cond"(%k) ({
    %0 = jx.sin %a : (!s) -> !s
    jx.yield %0, %x : !s, !v
  }, {
    %0 = jx.exp %x : (!v) -> !v
    jx.yield %a, %0 : !s, !v
  }, {
    %zero = jx.constant dense<0.0> : !s
    %0 = jx.mul %x, %x : (!v, !v) -> !v
    jx.yield %zero, %0 : !s, !v
  }) : (!n) -> (!s, !v)
  return %r#0, %r#1 : !s, !v
})");
  // Lanes that choose different branches: the one not taken has no value there.
  t.add("cond/lanes", {{"i32", {}, 0, 1}, {"f64", {}, -2, 2}}, R"(
func.func @f(%k: !n, %a: !s) -> !s {
  %r = "jx.cond"(%k) ({
    jx.yield %a : !s
  }, {
    %0 = jx.mul %a, %a : (!s, !s) -> !s
    %1 = jx.sqrt %0 : (!s) -> !s
    %2 = jx.log %1 : (!s) -> !s
    jx.yield %2 : !s
  }) : (!n) -> !s
  return %r : !s
})");
}

void addCalls(Table &t) {
  const std::string layer = R"(
func.func private @layer(%x: !v, %w: !v, %k: !i) -> (!v, !i) {
  %0 = jx.mul %x, %w : (!v, !v) -> !v
  %1 = jx.sin %0 : (!v) -> !v
  %2 = jx.exp %1 : (!v) -> !v
  return %2, %k : !v, !i
}
)";
  auto caller = [&](const std::string &op, const std::string &attributes) {
    return layer + "func.func @f(%x: !v, %w: !v, %k: !i) -> (!v, !i) {\n  %0:2 = jx." + op +
           " @layer(%x, %w, %k) {" + attributes + R"(pure} : (!v, !v, !i) -> (!v, !i)
  %1:2 = jx.)" +
           op + " @layer(%0#0, %w, %0#1) {" + attributes + R"(pure} : (!v, !v, !i) -> (!v, !i)
  return %1#0, %1#1 : !v, !i
})";
  };
  const std::vector<OperandSpec> operands = {vector, vector, integer(0, 9)};
  t.add("call/twice", operands, caller("call", ""));
  for (const char *policy : {"nothing", "everything", "dots", "dots_no_batch", "names:a"})
    t.add(std::string("checkpoint/") + policy, operands,
          caller("checkpoint", std::string("policy = \"") + policy + "\", "));

  // x sin(y) with rules that say its derivative: of both arguments, and with an integer along.
  const std::string function = R"(
func.func private @g(%x: !v, %y: !v) -> !v {
  %0 = jx.sin %y : (!v) -> !v
  %1 = jx.mul %x, %0 : (!v, !v) -> !v
  return %1 : !v
}
)";
  auto callG = [](const std::string &op) {
    return "func.func @f(%x: !v, %y: !v) -> !v {\n  %0 = jx." + op +
           R"( @g(%x, %y) {rule = "g", pure} : (!v, !v) -> !v
  return %0 : !v
})";
  };
  t.add("custom_jvp/product", {vector, vector}, function + R"(
func.func private @g.jvp(%x: !v, %y: !v, %dx: !v, %dy: !v) -> (!v, !v) {
  %0 = jx.sin %y : (!v) -> !v
  %1 = jx.mul %x, %0 : (!v, !v) -> !v
  %2 = jx.cos %y : (!v) -> !v
  %3 = jx.mul %dx, %0 : (!v, !v) -> !v
  %4 = jx.mul %x, %2 : (!v, !v) -> !v
  %5 = jx.mul %dy, %4 : (!v, !v) -> !v
  %6 = jx.add %3, %5 : (!v, !v) -> !v
  return %1, %6 : !v, !v
}
)" + callG("custom_jvp"));
  // A custom_vjp is linearised into a custom_linear, which its transpose replaces by @g.bwd.
  for (const char *op : {"custom_vjp", "custom_linear"})
    t.add(std::string(op) + "/product", {vector, vector}, function + R"(
func.func private @g.fwd(%x: !v, %y: !v) -> (!v, !v, !v) {
  %0 = jx.sin %y : (!v) -> !v
  %1 = jx.mul %x, %0 : (!v, !v) -> !v
  return %1, %x, %y : !v, !v, !v
}
func.func private @g.bwd(%x: !v, %y: !v, %ct: !v) -> (!v, !v) {
  %0 = jx.sin %y : (!v) -> !v
  %1 = jx.mul %ct, %0 : (!v, !v) -> !v
  %2 = jx.cos %y : (!v) -> !v
  %3 = jx.mul %x, %2 : (!v, !v) -> !v
  %4 = jx.mul %ct, %3 : (!v, !v) -> !v
  return %1, %4 : !v, !v
}
)" + callG("custom_vjp"))
        .derivatives = Derivatives::ReverseOnly;
}

void addConstants(Table &t) {
  t.add("constant/captured", {vector}, R"(
func.func @f(%x: !v) -> !v {
  %c = jx.constant dense<[1.0, -2.0, 0.5]> : !v
  %0 = jx.mul %x, %c : (!v, !v) -> !v
  return %0 : !v
})");
  for (const char *type : {"f32", "bf16", "i8", "ui64", "i1"}) {
    std::string tensor = std::string("tensor<2x2x") + type + ">";
    std::string value = type == std::string("i1") ? "[[true, false], [false, true]]" : "[[1, 0], [3, 4]]";
    if (std::string(type).find("f") != std::string::npos) value = "[[1.0, -0.0], [0x7F, 4.0]]";
    if (type == std::string("f32")) value = "[[1.0, -0.0], [0x7F800000, 4.0]]";
    if (type == std::string("bf16")) value = "[[1.0, -0.0], [0x7F80, 4.0]]";
    t.add(std::string("constant/") + type, {},
          "func.func @f() -> " + tensor + " {\n  %c = jx.constant dense<" + value + "> : " + tensor +
              "\n  return %c : " + tensor + "\n}");
  }
}

/// An op on Python numbers, one or two.
OpSpec &addHostOp(Table &t, const std::string &op, const std::string &kind,
                  const std::vector<OperandSpec> &operands) {
  std::string type = op == "host_int" ? "!i" : "!s";
  std::string parameters = "%x: " + type, values = "%x", types = type;
  if (operands.size() == 2) parameters += ", %y: " + type, values += ", %y", types += ", " + type;
  constexpr const char *source = R"(
func.func @f({0}) -> {1} {{
  %0 = jx.{2} {3} {{kind = "{4}"} : ({5}) -> {1}
  return %0 : {1}
})";
  std::string text = llvm::formatv(source, parameters, type, op, values, kind, types).str();
  OpSpec &spec = t.add(op + "/" + kind, operands, text);
  spec.refusesBatch = "cannot be done lane by lane";
  return spec;
}

/// Effects print each lane in turn, or refuse to run lane by lane.
void addEffects(Table &t) {
  t.add("print/array", {vector, integer(0, 9)}, R"(
func.func @f(%x: !v, %k: !i) -> !v {
  jx.print %x, %k {format = "\222:x=%0js;\221: %1hs;\221:\0A", to_stderr = false} : (!v, !i) -> ()
  %0 = jx.sin %x : (!v) -> !v
  return %0 : !v
})");
  t.add("check/holds", {scalar, integer(0, 9)}, R"(
func.func @f(%x: !s, %k: !i) -> !s {
  %zero = jx.constant dense<0.0> : !s
  %p = jx.compare %x, %zero {kind = "gt"} : (!s, !s) -> !b
  jx.check %p, %k {error = "ValueError", format = "%0hs;"} : (!b, !i) -> ()
  %0 = jx.mul %x, %x : (!s, !s) -> !s
  return %0 : !s
})");
  t.add("barrier/two", {vector, integer(0, 9)}, R"(
func.func @f(%x: !v, %k: !i) -> (!v, !i) {
  %0:2 = jx.barrier %x, %k : (!v, !i) -> (!v, !i)
  %1 = jx.mul %0#0, %x : (!v, !v) -> !v
  return %1, %0#1 : !v, !i
})");
  t.add("clock/passes", {}, R"(
func.func @f() -> !b {
  %a = jx.clock {kind = "perf"} : () -> !s
  %b = jx.clock {kind = "perf"} : () -> !s
  %0 = jx.compare %a, %b {kind = "le"} : (!s, !s) -> !b
  return %0 : !b
})");
  for (const char *kind : {"add", "sub", "mul", "floordiv", "mod", "pow", "shl", "shr"}) {
    bool isSmall = StringRef(kind).starts_with("sh") || kind == std::string("pow");
    addHostOp(t, "host_int", kind, {integer(isSmall ? 0 : -9, 9), integer(isSmall ? 0 : 2, 5)});
  }
  for (const char *kind : {"neg", "abs"}) addHostOp(t, "host_int", kind, {integer(-9, 9)});
  for (const char *kind : {"div", "floordiv", "mod", "pow"}) {
    OpSpec &spec = addHostOp(t, "host_float", kind, {{"f64", {}, 1.1, 1.9}, {"f64", {}, 2.1, 2.9}});
    spec.derivatives = Derivatives::Skipped; // Python numbers are constants to derivatives
  }
  for (const char *op : {"save", "load"})
    t.add(std::string(op) + "/there_and_back", {}, R"(
func.func @f() -> !v {
  %c = jx.constant dense<[1.0, -2.0, 0.5]> : !v
  jx.save %c {path = "\2211:jx_laws.npy", file_format = "npy", members = [], compressed = false,
              operandSegmentSizes = array<i32: 0, 1>} : (!v) -> ()
  %0 = jx.load {path = "\2211:jx_laws.npy", file_format = "npy", member = "", type = !v} : () -> !v
  return %0 : !v
})");
  for (const char *kind : {"any", "file", "directory"})
    t.add(std::string("file_exists/") + kind, {},
          std::string(R"(
func.func @f() -> tensor<i1> {
  %0 = jx.file_exists {path = "\221:/", kind = ")") +
              kind + R"("} : () -> tensor<i1>
  return %0 : tensor<i1>
})");
  t.add("option/int", {}, R"(
module attributes {jx.options = ["n"]} {
  func.func @f() -> !i {
    %0 = jx.option {name = "n", dtype = i64} : () -> !i
    return %0 : !i
  }
})");
}

} // namespace

std::vector<OpSpec> regionSpecs() {
  Table table;
  addLoops(table);
  addStacks(table);
  addCond(table);
  addCalls(table);
  addConstants(table);
  addEffects(table);
  return table.specs;
}

} // namespace jx::laws
