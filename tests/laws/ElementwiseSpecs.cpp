// Rows of the elementwise, convert and random families.
#include "mlir/AsmParser/AsmParser.h"
#include "tests/laws/OpSpec.h"

using namespace mlir;

namespace jx::laws {
namespace {

using Values = SmallVector<Value>;
constexpr double inf = std::numeric_limits<double>::infinity(),
                 nan = std::numeric_limits<double>::quiet_NaN();

class Table {
public:
  std::vector<OpSpec> specs;

  OpSpec &add(std::string name, std::vector<OperandSpec> operands,
              std::function<Values(RuleBuilder &, ValueRange)> build) {
    OpSpec &spec = specs.emplace_back();
    spec.name = std::move(name);
    spec.operands = std::move(operands);
    spec.build = std::move(build);
    return spec;
  }

  /// A function of floats, smooth between low and high: f64 for derivatives, the others for values.
  template <typename OpT> void math(double low, double high) {
    std::string name = mnemonic<OpT>();
    auto build = [](RuleBuilder &b, ValueRange x) -> Values { return {b.unary<OpT>(x[0])}; };
    for (const char *element : {"f64", "f32", "f16", "bf16"})
      add(name + "/" + element, {{element, {17}, low, high, specials}}, build);
    add(name + "/scalar", {{"f32", {}, low, high}}, build);
    add(name + "/empty", {{"f32", {3, 0}, low, high}}, build);
  }

  /// A binary op on the element types named, each operand in its own interval.
  template <typename OpT>
  void binary(ArrayRef<const char *> elements, double lowX, double highX, double lowY, double highY) {
    auto build = [](RuleBuilder &b, ValueRange x) -> Values { return {b.binary<OpT>(x[0], x[1])}; };
    for (const char *element : elements) {
      bool isFloat = StringRef(element).contains('f');
      std::vector<double> reversed(specials.rbegin(), specials.rend());
      add(mnemonic<OpT>() + "/" + element,
          {{element, {3, 7}, lowX, highX, isFloat ? specials : integers(element)},
           {element, {3, 7}, lowY, highY, isFloat ? reversed : std::vector<double>{}}},
          build);
    }
  }

  template <typename OpT> static std::string mnemonic() {
    return OpT::getOperationName().drop_front(3).str();
  }

  const std::vector<double> specials = {0.0, -0.0, 1, -1, inf, -inf, nan, 0.5, 1e-40, 3e4};

private:
  static std::vector<double> integers(StringRef element) {
    return element.starts_with("u") ? std::vector<double>{0, 1, 255}
                                    : std::vector<double>{0, 1, -1, -128, 127};
  }
};

const char *const allFloats[] = {"f64", "f32", "f16", "bf16"};
const char *const allInts[] = {"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"};
const char *const allReals[] = {"f64", "f32", "f16", "bf16", "i8",   "i16",
                                "i32", "i64", "ui8", "ui16", "ui32", "ui64"};

void addMath(Table &t) {
  t.math<ExpOp>(-2, 2);
  t.math<Exp2Op>(-2, 2);
  t.math<Expm1Op>(-2, 2);
  t.math<LogOp>(0.3, 4);
  t.math<Log1pOp>(-0.6, 4);
  t.math<SqrtOp>(0.3, 4);
  t.math<RsqrtOp>(0.3, 4);
  t.math<CbrtOp>(0.3, 4);
  t.math<SinOp>(-4, 4);
  t.math<CosOp>(-4, 4);
  t.math<TanOp>(-1.2, 1.2);
  t.math<AsinOp>(-0.8, 0.8);
  t.math<AcosOp>(-0.8, 0.8);
  t.math<AtanOp>(-3, 3);
  t.math<SinhOp>(-2, 2);
  t.math<CoshOp>(-2, 2);
  t.math<TanhOp>(-2, 2);
  t.math<AsinhOp>(-3, 3);
  t.math<AcoshOp>(1.3, 4);
  t.math<AtanhOp>(-0.8, 0.8);
  t.math<LogisticOp>(-4, 4);
  t.math<ErfOp>(-2, 2);
  t.math<ErfcOp>(-2, 2);
  t.math<ErfInvOp>(-0.8, 0.8);
  t.math<LgammaOp>(0.6, 5);
  t.math<DigammaOp>(0.6, 5);
  t.math<AbsOp>(0.3, 4);
  t.math<SignOp>(0.3, 4);
  t.math<FloorOp>(0.1, 0.9);
  t.math<CeilOp>(0.1, 0.9);
  t.math<IsFiniteOp>(-1, 1);
  for (const char *element : {"f64", "f32"}) {
    t.add(std::string("polygamma/") + element, {{element, {9}, 0.6, 5}},
          [](RuleBuilder &b, ValueRange x) -> Values { return {b.make<PolygammaOp>(x[0], uint64_t(2))}; });
    for (const char *mode : {"even", "away"})
      t.add(std::string("round/") + mode + element,
            {{element, {9}, 0.6, 1.4, {0.5, 1.5, -2.5, -0.0, inf, nan}}},
            [mode](RuleBuilder &b, ValueRange x) -> Values {
              return {b.make<RoundOp>(x[0], StringRef(mode))};
            });
  }
  for (int64_t n : {-2, -1, 0, 1, 2, 3, 7})
    for (const char *element : {"f64", "f32", "i32", "complex<f64>"}) {
      if (n < 0 && StringRef(element).starts_with("i")) continue;
      t.add("integer_pow/" + std::to_string(n) + element, {{element, {7}, 1, 2}},
            [n](RuleBuilder &b, ValueRange x) -> Values {
              return {b.make<IntegerPowOp>(x[0], static_cast<uint64_t>(n))};
            });
    }
}

void addArithmetic(Table &t) {
  auto neg = [](RuleBuilder &b, ValueRange x) -> Values { return {b.neg(x[0])}; };
  for (const char *element : allReals) t.add(std::string("neg/") + element, {{element, {9}, 0, 9}}, neg);
  t.add("neg/complex", {{"complex<f64>", {4}}}, neg);
  for (const char *element : {"i8", "i32", "i64"}) {
    t.add(std::string("abs/") + element, {{element, {9}, -9, 9}},
          [](RuleBuilder &b, ValueRange x) -> Values { return {b.unary<AbsOp>(x[0])}; });
    t.add(std::string("sign/") + element, {{element, {9}, -9, 9}},
          [](RuleBuilder &b, ValueRange x) -> Values { return {b.unary<SignOp>(x[0])}; });
  }
  t.binary<AddOp>(allReals, 0, 9, 0, 9);
  t.binary<SubOp>(allReals, 0, 9, 0, 9);
  t.binary<MulOp>(allReals, 0, 9, 0, 9);
  t.binary<DivOp>(allReals, 0, 9, 1, 4);
  t.binary<RemOp>(allReals, 5.1, 5.9, 2, 2.5);
  t.binary<MaxOp>(allReals, 0, 1, 2, 3);
  t.binary<MinOp>(allReals, 0, 1, 2, 3);
  t.binary<PowOp>(allFloats, 0.5, 2, -2, 2);
  t.binary<Atan2Op>(allFloats, 0.5, 2, 0.5, 2);
  t.binary<NextafterOp>(allFloats, 0.5, 2, 0.5, 2);
  for (OpSpec &spec : MutableArrayRef(t.specs).take_back(std::size(allFloats)))
    spec.derivatives = Derivatives::Refused;
  const char *const complexNumbers[] = {"complex<f64>", "complex<f32>"};
  t.binary<AddOp>(complexNumbers, 0.5, 2, 0.5, 2);
  t.binary<SubOp>(complexNumbers, 0.5, 2, 0.5, 2);
  t.binary<MulOp>(complexNumbers, 0.5, 2, 0.5, 2);
  t.binary<DivOp>(complexNumbers, 0.5, 2, 0.5, 2);
}

void addBits(Table &t) {
  for (const char *element : allInts) {
    double low = element[0] == 'u' ? 0 : -100;
    std::vector<double> extremes = {0, 1, 127};
    t.add(std::string("not/") + element, {{element, {9}, low, 100, extremes}},
          [](RuleBuilder &b, ValueRange x) -> Values { return {b.logicalNot(x[0])}; });
    t.add(std::string("population_count/") + element, {{element, {9}, low, 100, extremes}},
          [](RuleBuilder &b, ValueRange x) -> Values { return {b.unary<PopulationCountOp>(x[0])}; });
    t.add(std::string("clz/") + element, {{element, {9}, low, 100, extremes}},
          [](RuleBuilder &b, ValueRange x) -> Values { return {b.unary<ClzOp>(x[0])}; });
    t.binary<AndOp>({element}, low, 100, low, 100);
    t.binary<OrOp>({element}, low, 100, low, 100);
    t.binary<XorOp>({element}, low, 100, low, 100);
    t.binary<ShiftLeftOp>({element}, low, 100, 0, 70);
    t.binary<ShiftRightLogicalOp>({element}, low, 100, 0, 70);
    t.binary<ShiftRightArithmeticOp>({element}, low, 100, 0, 70);
  }
  t.binary<AndOp>({"i1"}, 0, 1, 0, 1);
  t.binary<OrOp>({"i1"}, 0, 1, 0, 1);
  t.binary<XorOp>({"i1"}, 0, 1, 0, 1);
  t.binary<MaxOp>({"i1"}, 0, 1, 0, 1);
  t.binary<MinOp>({"i1"}, 0, 1, 0, 1);
  t.add("not/i1", {{"i1", {9}, 0, 1}},
        [](RuleBuilder &b, ValueRange x) -> Values { return {b.logicalNot(x[0])}; });
}

void addSelection(Table &t) {
  for (const char *kind : {"eq", "ne", "lt", "le", "gt", "ge"})
    for (const char *element : {"f64", "f32", "bf16", "i8", "i64", "ui32", "i1"})
      t.add(std::string("compare/") + kind + element,
            {{element, {17}, 0, 1, t.specials}, {element, {17}, 0, 1, {1, 0, 1, 0, inf, inf, nan}}},
            [kind](RuleBuilder &b, ValueRange x) -> Values { return {b.compare(kind, x[0], x[1])}; });
  for (const char *kind : {"eq", "ne"})
    for (const char *element : {"!jx.key", "complex<f32>"})
      t.add(std::string("compare/") + kind + element, {{element, {9}, 0, 1}, {element, {9}, 0, 1}},
            [kind](RuleBuilder &b, ValueRange x) -> Values { return {b.compare(kind, x[0], x[1])}; });

  auto select = [](RuleBuilder &b, ValueRange x) -> Values { return {b.select(x[0], x[1], x[2])}; };
  for (const char *element : {"f64", "f32", "f16", "i32", "ui8", "i1", "!jx.key", "complex<f64>"}) {
    double low = element[0] == 'f' ? -2 : 0, high = element[0] == 'f' ? 2 : 1;
    OperandSpec value{element, {2, 3}, low, high};
    t.add(std::string("select/") + element, {{"i1", {2, 3}, 0, 1}, value, value}, select);
    t.add(std::string("select/scalar") + element, {{"i1", {}, 0, 1}, value, value}, select);
  }
  auto clamp = [](RuleBuilder &b, ValueRange x) -> Values { return {b.make<ClampOp>(x[0], x[1], x[2])}; };
  for (const char *element : {"f64", "f32", "i32", "ui8"}) {
    t.add(std::string("clamp/") + element,
          {{element, {2, 9}, 1, 2}, {element, {2, 9}, 0, 6}, {element, {2, 9}, 4, 5}}, clamp);
    t.add(std::string("clamp/scalar") + element,
          {{element, {}, 1, 2}, {element, {2, 9}, 0, 6}, {element, {}, 4, 5}}, clamp);
  }
  for (const char *element : {"f64", "i32", "i1"})
    t.add(std::string("stop_gradient/") + element, {{element, {5}, 0, 1}},
          [](RuleBuilder &b, ValueRange x) -> Values { return {b.stopGradient(x[0])}; })
        .derivatives = Derivatives::Zero;
}

void addConversions(Table &t) {
  const char *const types[] = {"f64", "f32", "f16", "bf16", "i1",   "i8",
                               "i32", "i64", "ui8", "ui32", "ui64", "complex<f64>"};
  for (const char *from : types)
    for (const char *to : types) {
      bool fromFloat = StringRef(from).contains('f');
      // Floats stay small where their result is one, so that its steps do not hide the differences of
      // derivatives.
      bool toFloat = StringRef(to).contains('f');
      double most = !strcmp(from, "i1") || (fromFloat && toFloat) ? 1 : fromFloat ? 300 : 100;
      double low = from[0] == 'u' || !strcmp(from, "i1") ? 0 : -most, high = most;
      std::vector<double> special =
          fromFloat && from[0] != 'c' ? std::vector<double>{nan, inf, -inf, -0.0} : std::vector<double>{};
      t.add(std::string("convert/") + from + "_" + to, {{from, {12}, low, high, special}},
            [to = std::string(to)](RuleBuilder &b, ValueRange x) -> Values {
              return {b.convert(x[0], mlir::parseType(to, b.getContext()))};
            });
      if (fromFloat && (StringRef(to) != "f64" || StringRef(from) != "f64"))
        t.specs.back().derivativeTolerance = 2e-2;
    }
  for (auto [from, to] : {std::pair("f32", "i32"), std::pair("i64", "f64"), std::pair("ui16", "bf16")})
    t.add(std::string("bitcast/") + from + to, {{from, {6}, 1, 2}},
          [to = std::string(to)](RuleBuilder &b, ValueRange x) -> Values {
            return {b.make<BitcastOp>(x[0], TypeAttr::get(mlir::parseType(to, b.getContext())))};
          });
}

void addRandom(Table &t) {
  OperandSpec word{"ui32", {3, 5}, 0, 4e9};
  t.add("threefry2x32", {word, word, word, word}, [](RuleBuilder &b, ValueRange x) -> Values {
    return llvm::to_vector_of<Value>(b.make<Threefry2x32Op>(x[0], x[1], x[2], x[3])->getResults());
  });
  t.add("key_data", {{"!jx.key", {3}, 0, 4e9}},
        [](RuleBuilder &b, ValueRange x) -> Values { return {b.make<KeyDataOp>(x[0])}; });
  t.add("wrap_key", {{"ui32", {3, 2}, 0, 4e9}},
        [](RuleBuilder &b, ValueRange x) -> Values { return {b.make<WrapKeyOp>(x[0])}; });
}

} // namespace

std::vector<OpSpec> elementwiseSpecs() {
  Table table;
  addMath(table);
  addArithmetic(table);
  addBits(table);
  addSelection(table);
  addConversions(table);
  addRandom(table);
  return table.specs;
}

} // namespace jx::laws
