// Numbers and nested lists that become arrays, conversions, and arrays that become host values.
#include "compiler/dialect/HostArray.h"
#include "compiler/dialect/JxDialect.h"
#include "compiler/elaborate/Choices.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

namespace jx::elab {

namespace {

llvm::DynamicAPInt powerOfTwo(unsigned exponent) {
  llvm::DynamicAPInt power(1);
  for (unsigned k = 0; k < exponent; ++k) power *= llvm::DynamicAPInt(2);
  return power;
}

// Whether the integer is one of those of the integer dtype.
bool fits(const llvm::DynamicAPInt &value, mlir::Type dtype) {
  unsigned width = dtype.getIntOrFloatBitWidth();
  if (isUnsignedDtype(dtype)) return value >= llvm::DynamicAPInt(0) && value < powerOfTwo(width);
  return value >= -powerOfTwo(width - 1) && value < powerOfTwo(width - 1);
}

// A float cut to a whole number; 2**64 of its sign where it is as large or larger.
llvm::DynamicAPInt wholePart(double x) {
  if (std::abs(x) < 0x1p63) return llvm::DynamicAPInt(static_cast<int64_t>(x));
  llvm::DynamicAPInt size = powerOfTwo(64);
  if (std::abs(x) < 0x1p64)
    size = powerOfTwo(63) + llvm::DynamicAPInt(static_cast<int64_t>(std::abs(x) - 0x1p63));
  return x < 0 ? -size : size;
}

// The integer of the dtype that is nearest to `value`.
llvm::DynamicAPInt saturated(const llvm::DynamicAPInt &value, mlir::Type dtype) {
  if (fits(value, dtype)) return value;
  bool isUnsigned = isUnsignedDtype(dtype);
  llvm::DynamicAPInt high = powerOfTwo(dtype.getIntOrFloatBitWidth() - (isUnsigned ? 0 : 1));
  if (value > llvm::DynamicAPInt(0)) return high - llvm::DynamicAPInt(1);
  return isUnsigned ? llvm::DynamicAPInt(0) : -high;
}

// Writes a static number as element `i` of an array of the element type. False when it does not fit, unless a
// dtype is given from which it is converted: integers of that dtype keep their low bits, floats saturate.
bool writeElement(HostArray &array, int64_t i, Value number, mlir::Type convertedFrom = {}) {
  mlir::Type type = array.getElementType();
  if (auto complex = llvm::dyn_cast<mlir::ComplexType>(type)) {
    double re = number.is(Kind::Complex) ? number.asComplex().first : toDouble(number);
    double im = number.is(Kind::Complex) ? number.asComplex().second : 0;
    if (complex.getElementType().isF32())
      array.as<float>()[2 * i] = float(re), array.as<float>()[2 * i + 1] = float(im);
    else
      array.as<double>()[2 * i] = re, array.as<double>()[2 * i + 1] = im;
    return true;
  }
  if (isBoolDtype(type)) {
    array.as<uint8_t>()[i] = number.is(Kind::Float) ? number.asFloat() != 0 : toDouble(number) != 0;
    return true;
  }
  if (auto floating = llvm::dyn_cast<mlir::FloatType>(type)) {
    double d = toDouble(number);
    if (type.isF64()) {
      array.as<double>()[i] = d;
    } else if (type.isF32()) {
      array.as<float>()[i] = static_cast<float>(d);
    } else {
      llvm::APFloat value(d);
      bool inexact;
      value.convert(floating.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &inexact);
      array.as<uint16_t>()[i] = static_cast<uint16_t>(value.bitcastToAPInt().getZExtValue());
    }
    return true;
  }
  unsigned width = type.getIntOrFloatBitWidth();
  llvm::DynamicAPInt value;
  if (number.is(Kind::Float)) {
    double x = number.asFloat();
    if (std::isnan(x) && !convertedFrom) return false;
    value = std::isnan(x) ? llvm::DynamicAPInt(0) : wholePart(x);
    if (convertedFrom) value = saturated(value, type);
  } else {
    value = toBig(number);
  }
  if (!fits(value, type) && !(convertedFrom && fits(value, convertedFrom))) return false;
  if (value > llvm::DynamicAPInt(INT64_MAX)) value -= powerOfTwo(64); // the same bits
  int64_t small = int64_t(value);
  std::memcpy(array.as<char>() + i * (width / 8), &small, width / 8); // little-endian
  return true;
}

// Shape and leaves of nested lists and tuples; arrays count as leaves with their shape behind.
struct Literal {
  llvm::SmallVector<int64_t> shape;
  std::vector<Value> leaves;
  bool hasArrays = false;
};

Status flattenLiteral(Evaluator &ev, Value v, size_t depth, Literal &out) {
  if (v.is(Kind::Range) || v.is(Kind::Iterator) || v.is(Kind::Generator)) {
    JX_TRY(items, ev.elements(v));
    v = ev.heap.list(std::move(*items));
  }
  if (v.isAny(Kind::List, Kind::Tuple)) {
    JX_TRY(items, ev.elements(v));
    int64_t size = items->size();
    if (out.shape.size() == depth && out.leaves.empty())
      out.shape.push_back(size);
    else if (depth >= out.shape.size() || out.shape[depth] != size)
      return ev.fail(DiagKind::RaggedArray,
                     "setting an array element with a sequence: the nested lists have different lengths");
    for (Value item : *items) JX_CHECK(flattenLiteral(ev, item, depth + 1, out));
    return Status::success();
  }
  if (v.is(Kind::Instance)) {
    if (Value own = ev.callDunder(v, "__jax_array__", {})) return flattenLiteral(ev, own, depth, out);
    if (!ev.isPending(Pending::None)) return Failed();
  }
  if (!v.isArray() && !v.isNumber())
    return ev.fail(DiagKind::NotAnArray,
                   "a value of type '" + ev.typeName(v) + "' is not a valid JAX array element");
  if (depth != out.shape.size())
    return ev.fail(DiagKind::RaggedArray,
                   "setting an array element with a sequence: the nested lists have different depths");
  out.hasArrays |= !v.isStaticNumber();
  out.leaves.push_back(v);
  return Status::success();
}

} // namespace

mlir::Value Evaluator::constant(const HostArray &array) {
  if (!mayEmit()) return {};
  return ConstantOp::create(builder, location(), array.getType(), array.toAttr()).getResult();
}

mlir::Value Evaluator::constantScalar(mlir::Type dtype, Value number) {
  if (isKeyDtype(dtype)) {
    (void)typeError("a number is no random key; `jax.random.key` makes one");
    return {};
  }
  // A Python integer beside an array of narrow integers is one of the default dtype, converted: it wraps.
  HostArray array(mlir::RankedTensorType::get({}, dtype));
  if (writeElement(array, 0, number, promotion.defaultInt())) return constant(array);
  (void)fail(DiagKind::IntegerDoesNotFit, "the Python integer is out of bounds for " + dtypeName(dtype));
  return {};
}

mlir::Value Evaluator::convert(mlir::Value v, mlir::Type dtype) {
  if (!v || llvm::cast<mlir::RankedTensorType>(v.getType()).getElementType() == dtype) return v;
  return emit1("jx.convert", {v}, builder.getNamedAttr("dtype", mlir::TypeAttr::get(dtype)));
}

mlir::Value Evaluator::reshapeToScalar(mlir::Value array) {
  if (llvm::cast<mlir::RankedTensorType>(array.getType()).getRank() == 0) return array;
  return emit1("jx.reshape", {array}, builder.getNamedAttr("shape", builder.getDenseI64ArrayAttr({})));
}

Value Evaluator::toArray(Value v, WeakType type) {
  v = certain(*this, v, "a value that becomes an array");
  if (!v) return Failed();
  mlir::Value result = v.isArray()  ? convert(v.asArray(), type.dtype)
                       : v.isHost() ? convert(v.asHost().value, type.dtype)
                                    : constantScalar(type.dtype, v);
  if (!result) return Failed();
  return Value::array(result, type.weak && !isBoolDtype(type.dtype));
}

Value Evaluator::toArray(Value v) {
  v = certain(*this, v, "a value that becomes an array");
  if (!v) return Failed();
  if (v.isArray()) return v;
  if (v.isNumber()) return toArray(v, promotion.ofNumber(v));
  return arrayLiteral(v, {});
}

Value Evaluator::arrayLiteral(Value nested, mlir::Type dtype) {
  if (nested.isArray()) return toArray(nested, {dtype ? dtype : nested.arrayType().getElementType(), false});
  Literal literal;
  JX_CHECK(flattenLiteral(*this, nested, 0, literal));
  llvm::SmallVector<WeakType> types;
  for (Value leaf : literal.leaves)
    types.push_back(leaf.isArray() ? WeakType{leaf.arrayType().getElementType(), leaf.isWeak()}
                                   : promotion.ofNumber(leaf));
  if (!dtype) dtype = types.empty() ? promotion.defaultFloat() : promotion.promote(types).dtype;
  if (!literal.hasArrays) {
    HostArray array(mlir::RankedTensorType::get(literal.shape, dtype));
    for (auto [i, leaf] : llvm::enumerate(literal.leaves))
      if (!writeElement(array, i, leaf))
        return fail(DiagKind::IntegerDoesNotFit,
                    "the Python integer is out of bounds for " + dtypeName(dtype));
    mlir::Value result = constant(array);
    if (!result) return Failed();
    return Value::array(result, false);
  }
  // Leaves as arrays, stacked along a new leading dimension and unfolded.
  llvm::SmallVector<mlir::Value> rows;
  llvm::SmallVector<int64_t> inner;
  for (auto [i, leaf] : llvm::enumerate(literal.leaves)) {
    JX_TRY(array, toArray(leaf, {dtype, false}));
    auto shape = array.arrayType().getShape();
    if (i == 0) inner.assign(shape.begin(), shape.end());
    if (llvm::ArrayRef<int64_t>(inner) != shape)
      return fail(DiagKind::JoinMismatch,
                  "the arrays in a list must have the same shape to become one array: `" +
                      typeText(Value(array).arrayType()) + "` is not like the first");
    llvm::SmallVector<int64_t> row{1};
    row.append(shape.begin(), shape.end());
    mlir::Value reshaped = emit1("jx.reshape", {array.asArray()},
                                 builder.getNamedAttr("shape", builder.getDenseI64ArrayAttr(row)));
    if (!reshaped) return Failed();
    rows.push_back(reshaped);
  }
  mlir::Value all = rows.size() == 1 ? rows[0]
                                     : emit1("jx.concatenate", rows,
                                             builder.getNamedAttr("dimension", builder.getI64IntegerAttr(0)));
  if (!all) return Failed();
  literal.shape.append(inner.begin(), inner.end());
  mlir::Value result =
      emit1("jx.reshape", {all}, builder.getNamedAttr("shape", builder.getDenseI64ArrayAttr(literal.shape)));
  if (!result) return Failed();
  return Value::array(result, false);
}

Symbol Evaluator::dataSymbol(Value) { return newSymbol({SymbolInfo::Data, "", 0, userHere()}); }

Value Evaluator::arrayToHost(Value array, HostType type) {
  const char *name = type == HostType::Int ? "int" : type == HostType::Float ? "float" : "bool";
  if (array.arrayType().getNumElements() != 1)
    return fail(DiagKind::NotOneElement,
                "only arrays of one element can be converted to a Python " + std::string(name));
  if (inTransform())
    return fail(DiagKind::HostInTransform,
                "`" + std::string(name) +
                    "()` of an array inside a function that is compiled or transformed would cut it off "
                    "from its inputs; keep the array, or return it and convert outside");
  mlir::Value scalar = reshapeToScalar(array.asArray());
  if (!scalar) return Failed();
  Symbol source = dataSymbol(array);
  std::optional<Polynomial> form;
  if (type == HostType::Int) form = Polynomial::of(source);
  return makeHost(convert(scalar, hostDtype(type)), type, form, {}, {source});
}

mlir::Type Evaluator::dtypeFrom(Value v) {
  if (v.is(Kind::Dtype)) return v.asDtype();
  if (v.is(Kind::Str)) return dtypeByName(&context, v.asStr());
  if (v.is(Kind::Class)) {
    if (v.asObject() == builtinClass("float")) return promotion.defaultFloat();
    if (v.asObject() == builtinClass("int")) return promotion.defaultInt();
    if (v.asObject() == builtinClass("bool")) return builder.getI1Type();
    if (v.asObject() == builtinClass("complex")) return promotion.defaultComplex();
  }
  return {};
}

} // namespace jx::elab
