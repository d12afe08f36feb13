// jx._intrinsics: what .jx cannot say about values, types, trees and static predicates. Documented in
// ../README.md.
#include "compiler/dialect/HostArray.h"
#include "compiler/elaborate/Output.h"
#include "compiler/elaborate/Registry.h"
#include "compiler/elaborate/Tracing.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

namespace jx::elab {

namespace {

constexpr llvm::StringLiteral module = "jx._intrinsics";

bool isStaticDeep(Value v) {
  if (v.isAny(Kind::Array, Kind::Host, Kind::Text, Kind::Segment)) return false;
  if (v.is(Kind::Tuple)) return llvm::all_of(v.asTuple().items, isStaticDeep);
  if (v.isAny(Kind::Slice, Kind::Range))
    return isStaticDeep(v.asSlice().start) && isStaticDeep(v.asSlice().stop) &&
           isStaticDeep(v.asSlice().step);
  if (v.isAny(Kind::List, Kind::Dict)) return llvm::all_of(v.asObject()->contents().values, isStaticDeep);
  return true;
}

WeakType weakTypeOf(Evaluator &ev, Value v) {
  if (v.isArray()) return {v.arrayType().getElementType(), v.isWeak()};
  if (v.isNumber()) return ev.promotion.ofNumber(v);
  return {ev.dtypeFrom(v), false};
}

// A dtype that a caller asks for. An array is none: its dtype might be meant, or a slip of the arguments.
std::optional<mlir::Type> dtypeArgument(Evaluator &ev, Value v) {
  if (v.isArray()) {
    (void)ev.valueError("an array stands where a dtype is needed; its own dtype is `x.dtype`");
    return std::nullopt;
  }
  if (mlir::Type dtype = ev.dtypeFrom(v)) return dtype;
  if (v.is(Kind::Instance)) {
    Value own = ev.findAttr(v, "dtype");
    if (own && own.is(Kind::Dtype)) return own.asDtype();
    ev.pending() = {};
  }
  JX_TRY(text, ev.repr(v));
  (void)ev.fail(DiagKind::UnknownDtype, "data type " +
                                            (text.is(Kind::Str) ? text.asStr().str() : std::string("given")) +
                                            " not understood");
  return std::nullopt;
}

Value one(Evaluator &ev, CallArgs &args) {
  if (args.positional.size() == 1 && args.keywords.empty()) return args.positional[0];
  return ev.typeError("one argument is expected");
}

// A function of one value.
void unary(Registry &r, const char *name, std::function<Value(Evaluator &, Value)> fn) {
  r.function(module, name, [fn](Evaluator &ev, CallArgs &args) -> Value {
    JX_TRY(x, one(ev, args));
    return fn(ev, x);
  });
}

void ofDtype(Registry &r, const char *name, std::function<Value(Evaluator &, mlir::Type)> fn) {
  unary(r, name, [fn](Evaluator &ev, Value x) -> Value {
    if (x.isArray()) return fn(ev, x.arrayType().getElementType());
    JX_TRY(dtype, dtypeArgument(ev, x));
    return fn(ev, *dtype);
  });
}

Value shapeTuple(Evaluator &ev, llvm::ArrayRef<int64_t> shape) {
  std::vector<Value> dims;
  for (int64_t dim : shape) dims.push_back(Value::integer(dim));
  return ev.arena.tuple(std::move(dims));
}

// Keys stand beside the lattice of numbers.
bool haveCommonDtype(llvm::ArrayRef<WeakType> types) {
  size_t keys = llvm::count_if(types, [](const WeakType &t) { return isKeyDtype(t.dtype); });
  return keys == 0 || keys == types.size();
}

Value promote(Evaluator &ev, CallArgs &args) {
  llvm::SmallVector<WeakType> types;
  for (Value v : args.positional) {
    if (!v.isArray() && !v.isNumber())
      return ev.fail(DiagKind::NotAnArray,
                     "a value of type '" + ev.typeName(v) + "' is not a valid JAX array type");
    types.push_back(weakTypeOf(ev, v));
  }
  if (!haveCommonDtype(types))
    return ev.typeError("random keys do not mix with numbers; `jax.random` draws numbers from them");
  WeakType common = ev.promotion.promote(types);
  std::vector<Value> result;
  for (Value v : args.positional) {
    JX_TRY(array, ev.toArray(v, common));
    result.push_back(array);
  }
  return ev.arena.tuple(std::move(result));
}

Value asArray(Evaluator &ev, CallArgs &args) {
  Value v[3];
  JX_CHECK(ev.bindNative(args, "as_array", {"x", "dtype", "weak"}, 1, v));
  if (!v[0].isArray() && !v[0].isNumber()) {
    Value own = v[0].is(Kind::Instance) ? ev.callDunder(v[0], "__jax_array__", {}) : Value();
    if (!own && !ev.isPending(Pending::None)) return Failed();
    if (own)
      v[0] = own;
    else
      v[0] = ev.arrayLiteral(v[0], {});
    if (!v[0]) return Failed();
  }
  WeakType type = weakTypeOf(ev, v[0]);
  if (v[1] && !v[1].isNone()) {
    JX_TRY(dtype, dtypeArgument(ev, v[1]));
    type = {*dtype, false};
  }
  if (v[2] && !v[2].isNone()) type.weak = ev.truth(v[2]) == Truth::True;
  return ev.toArray(v[0], type);
}

// (start, length, step) of a slice of `size` elements: Python's clamping, with a run-time start whose length
// is known.
Value sliceParts(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "slice_parts", {"s", "size"}, 2, v));
  if (!v[0].is(Kind::Slice)) return ev.typeError("a slice is expected");
  JX_TRY(size, ev.toStaticInt(v[1], "the size of a dimension"));
  const SliceNode &slice = v[0].asSlice();
  auto toHost = [&](Value part) -> Value {
    if (part.isArray())
      return ev.inTransform() && !isStaticDeep(part) ? part : ev.arrayToHost(part, HostType::Int);
    if (part.is(Kind::Bool)) return Value::integer(part.asBool());
    if (part.is(Kind::Instance))
      if (Value own = ev.callDunder(part, "__index__", {})) return own;
    return part;
  };
  int64_t step = 1;
  if (!slice.step.isNone()) {
    JX_TRY(known, ev.toStaticInt(slice.step, "the step of a slice"));
    step = *known;
  }
  if (step == 0) return ev.valueError("slice step cannot be zero");
  Value start = slice.start, stop = slice.stop;
  if (!start.isNone()) start = toHost(start);
  if (!stop.isNone()) stop = toHost(stop);
  if (!start || !stop) return Failed();
  bool dynamic = (start.isHost() || stop.isHost()) && step == 1;
  if (dynamic) {
    Value from = start.isNone() ? Value::integer(0) : start;
    Value to = stop.isNone() ? Value::integer(*size) : stop;
    std::optional<int64_t> length;
    if (from.isNumber() && to.isNumber()) {
      length = ev.staticDifference(to, from);
      if (!length) {
        // The difference depends on less than the bounds do: what it needs is asked for, and no more.
        JX_TRY(difference, ev.hostBinary(ast::BinaryOp::Sub, to, from));
        bool ofOptions = difference.isHost() && llvm::all_of(difference.asHost().sources, [&](Symbol s) {
                           return ev.symbolInfo(s).kind == SymbolInfo::Option;
                         });
        if (ofOptions || (ev.rangeOf(from).low >= 0 && ev.rangeOf(to).low >= 0)) {
          length = ev.toStaticInt(difference, "the length of a slice");
          if (!length) return Failed();
        }
      }
    }
    if (length && *length >= 0 && *length <= *size) {
      // Inside the array, or else a ragged end: the interval tells.
      Interval low = ev.rangeOf(from), high = ev.rangeOf(to);
      if (low.low >= 0 && high.high <= *size)
        return ev.arena.tuple({from, Value::integer(*length), Value::integer(1)});
      if (ev.runtimeSliceMayClamp(from, to, *size))
        return ev.arena.tuple({from, Value::integer(*length), Value::integer(1)});
      if (!ev.isPending(Pending::None)) return Failed();
    }
  }
  bool forward = step > 0;
  auto bound = [&](Value part, int64_t fallback) -> std::optional<int64_t> {
    if (part.isNone()) return fallback;
    JX_TRY(known, ev.toStaticInt(part, "the length of a slice"));
    int64_t n = *known < 0 ? *known + *size : *known;
    return std::clamp<int64_t>(n, forward ? 0 : -1, forward ? *size : *size - 1);
  };
  JX_TRY(from, bound(start, forward ? 0 : *size - 1));
  JX_TRY(to, bound(stop, forward ? *size : -1));
  int64_t length = forward ? std::max<int64_t>((*to - *from + step - 1) / step, 0)
                           : std::max<int64_t>((*from - *to - step - 1) / -step, 0);
  return ev.arena.tuple({Value::integer(*from), Value::integer(length), Value::integer(step)});
}

Value staticIndex(Evaluator &ev, CallArgs &args) {
  Value v[3];
  JX_CHECK(ev.bindNative(args, "static_index", {"x", "size", "check"}, 2, v));
  JX_TRY(size, ev.toStaticInt(v[1], "the size of a dimension"));
  Value x = v[0];
  if (x.is(Kind::Instance))
    if (Value own = ev.callDunder(x, "__index__", {})) x = own;
  if (x.is(Kind::Bool)) x = Value::integer(x.asBool());
  if (x.is(Kind::Int)) {
    bool check = !v[2] || ev.truth(v[2]) == Truth::True;
    if (!x.isSmallInt()) return ev.raise("IndexError", "the index does not fit 64 bits");
    int64_t i = x.asInt();
    if (check && (i < -*size || i >= *size))
      return ev.fail(DiagKind::ArrayIndexOutOfRange, "index " + std::to_string(i) +
                                                         " is out of bounds for an axis of size " +
                                                         std::to_string(*size));
    return Value::integer(i < 0 ? i + *size : i);
  }
  // Negative run-time indices count from the end.
  if (x.isHost()) {
    if (x.asHost().type == HostType::Float)
      return ev.fail(DiagKind::BadIndexType, "an index must be an integer, not a float");
    Value array = ev.toArray(x, {ev.promotion.defaultInt(), false});
    if (!array || ev.rangeOf(x).low >= 0) return array;
    x = array;
  }
  if (!x.isArray())
    return ev.fail(DiagKind::BadIndexType, "an index must be an integer, not '" + ev.typeName(x) + "'");
  mlir::Type dtype = x.arrayType().getElementType();
  if (!isIntDtype(dtype))
    return ev.fail(DiagKind::BadIndexType,
                   "an index must be an integer, not an array of dtype " + dtypeName(dtype));
  if (isUnsignedDtype(dtype)) return x;
  // The size of the dimension need not fit a narrow index.
  if (dtypeBytes(dtype) < 4) {
    dtype = ev.builder.getI32Type();
    mlir::Value wide = ev.convert(x.asArray(), dtype);
    if (!wide) return Failed();
    x = Value::array(wide, false);
  }
  auto scalar = [&](int64_t n) -> mlir::Value {
    mlir::Value c = ev.constantScalar(dtype, Value::integer(n));
    auto shape = x.arrayType().getShape();
    if (!c || shape.empty()) return c;
    return ev.emit1("jx.broadcast_in_dim", {c},
                    {ev.builder.getNamedAttr("shape", ev.builder.getDenseI64ArrayAttr(shape)),
                     ev.builder.getNamedAttr("dims", ev.builder.getDenseI64ArrayAttr({}))});
  };
  mlir::Value zero = scalar(0), extent = scalar(*size);
  if (!zero || !extent) return Failed();
  mlir::Value negative = ev.emit1("jx.compare", {x.asArray(), zero},
                                  ev.builder.getNamedAttr("kind", ev.builder.getStringAttr("lt")));
  mlir::Value wrapped = ev.emit1("jx.add", {x.asArray(), extent});
  if (!negative || !wrapped) return Failed();
  mlir::Value result = ev.emit1("jx.select", {negative, wrapped, x.asArray()});
  return result ? Value::array(result, false) : Value();
}

// Element k of an evaluated array as a Python number.
Value numberAt(const HostArray &array, int64_t k) {
  mlir::Type dtype = array.getElementType();
  auto scalar = HostArray(mlir::RankedTensorType::get({}, dtype));
  int64_t bytes = scalar.sizeInBytes();
  std::memcpy(scalar.mutableData(), static_cast<const char *>(array.data()) + k * bytes, bytes);
  if (isFloatDtype(dtype)) return Value::real(scalar.scalarFloat());
  return isBoolDtype(dtype) ? Value::boolean(scalar.scalarInt()) : Value::integer(scalar.scalarInt());
}

std::optional<HostArray> evaluated(Evaluator &ev, Value array, const std::string &purpose) {
  if (auto known = ev.evaluateNow(array.asArray())) return known;
  (void)ev.demand(array, purpose);
  return std::nullopt;
}

Value staticList(Evaluator &ev, CallArgs &args) {
  Value v[2];
  JX_CHECK(ev.bindNative(args, "static_list", {"x", "purpose"}, 2, v));
  std::string purpose = v[1].asStr().str();
  std::vector<Value> result;
  if (v[0].isArray()) {
    JX_TRY(known, evaluated(ev, v[0], purpose));
    for (int64_t k = 0; k < known->size(); ++k) result.push_back(numberAt(*known, k));
    return ev.heap.list(std::move(result));
  }
  JX_TRY(items, ev.elements(v[0]));
  for (Value item : *items) {
    JX_TRY(known, ev.toStatic(item, purpose));
    result.push_back(known);
  }
  return ev.heap.list(std::move(result));
}

Value nonzeroStatic(Evaluator &ev, CallArgs &args) {
  JX_TRY(mask, one(ev, args));
  JX_TRY(known, evaluated(ev, mask, "the number of true elements (give `size=`)"));
  auto shape = mask.arrayType().getShape();
  std::vector<std::vector<int32_t>> columns(std::max<size_t>(shape.size(), 1));
  for (int64_t k = 0; k < known->size(); ++k) {
    if (!known->as<uint8_t>()[k]) continue;
    int64_t rest = k;
    for (size_t d = shape.size(); d-- > 0;) {
      columns[d].push_back(static_cast<int32_t>(rest % shape[d]));
      rest /= shape[d];
    }
    if (shape.empty()) columns[0].push_back(0);
  }
  std::vector<Value> result;
  for (auto &column : columns) {
    HostArray array(
        mlir::RankedTensorType::get({static_cast<int64_t>(column.size())}, ev.builder.getI32Type()));
    std::copy(column.begin(), column.end(), array.as<int32_t>());
    mlir::Value literal = ev.constant(array);
    if (!literal) return Failed();
    result.push_back(Value::array(literal, false));
  }
  return ev.arena.tuple(std::move(result));
}

double limitOf(mlir::Type dtype, const char *which) {
  const auto &semantics = llvm::cast<mlir::FloatType>(dtype).getFloatSemantics();
  llvm::APFloat value = llvm::StringRef(which) == "max"   ? llvm::APFloat::getLargest(semantics)
                        : llvm::StringRef(which) == "min" ? llvm::APFloat::getLargest(semantics, true)
                        : llvm::StringRef(which) == "tiny"
                            ? llvm::APFloat::getSmallestNormalized(semantics)
                            : llvm::scalbn(llvm::APFloat::getOne(semantics),
                                           1 - static_cast<int>(llvm::APFloat::semanticsPrecision(semantics)),
                                           llvm::APFloat::rmNearestTiesToEven);
  bool inexact;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  return value.convertToDouble();
}

Value integerLimit(Evaluator &ev, mlir::Type dtype, bool largest) {
  if (isBoolDtype(dtype)) return Value::integer(largest);
  unsigned width = dtype.getIntOrFloatBitWidth();
  llvm::DynamicAPInt power(1);
  for (unsigned k = 0; k < width - !isUnsignedDtype(dtype); ++k) power *= llvm::DynamicAPInt(2);
  if (largest) return ev.arena.integer(power - llvm::DynamicAPInt(1));
  return isUnsignedDtype(dtype) ? Value::integer(0) : ev.arena.integer(-power);
}

void registerTypes(Registry &r) {
  unary(r, "is_array", [](Evaluator &, Value x) { return Value::boolean(x.isArray()); });
  unary(r, "is_host", [](Evaluator &, Value x) { return Value::boolean(x.isAny(Kind::Host, Kind::Text)); });
  unary(r, "is_number", [](Evaluator &, Value x) { return Value::boolean(x.isNumber()); });
  unary(r, "is_static", [](Evaluator &, Value x) { return Value::boolean(isStaticDeep(x)); });
  unary(r, "is_dtype", [](Evaluator &, Value x) { return Value::boolean(x.is(Kind::Dtype)); });
  unary(r, "is_weak", [](Evaluator &ev, Value x) { return Value::boolean(weakTypeOf(ev, x).weak); });
  unary(r, "dtype_of", [](Evaluator &ev, Value x) -> Value {
    mlir::Type dtype = weakTypeOf(ev, x).dtype;
    if (!dtype) return ev.typeError("a value of type '" + ev.typeName(x) + "' has no dtype");
    return Value::dtype(dtype);
  });
  unary(r, "shape_of", [](Evaluator &ev, Value x) -> Value {
    if (x.isArray()) return shapeTuple(ev, x.arrayType().getShape());
    if (x.isNumber()) return ev.arena.tuple({});
    return ev.getAttr(x, "shape");
  });
  r.function(module, "promote", promote);
  auto join = [](Evaluator &ev, CallArgs &args) -> Value {
    llvm::SmallVector<WeakType> types;
    for (Value v : args.positional) {
      WeakType type = weakTypeOf(ev, v);
      if (!type.dtype) {
        JX_TRY(dtype, dtypeArgument(ev, v));
        type = {*dtype, false};
      }
      // Python's own types count as weak, as in JAX.
      if (v.is(Kind::Class) && !isBoolDtype(type.dtype)) type.weak = true;
      types.push_back(type);
    }
    if (types.empty()) return ev.valueError("at least one array or dtype is required");
    if (!haveCommonDtype(types))
      return ev.typeError("random keys do not mix with numbers; `jax.random` draws numbers from them");
    return Value::dtype(ev.promotion.promote(types).dtype);
  };
  r.function(module, "result_type", join);
  r.function(module, "promote_types", join);
  r.function(module, "as_array", asArray);
  r.function(module, "array_literal", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[2];
    JX_CHECK(ev.bindNative(args, "array_literal", {"obj", "dtype"}, 1, v));
    mlir::Type dtype;
    if (v[1] && !v[1].isNone()) {
      JX_TRY(given, dtypeArgument(ev, v[1]));
      dtype = *given;
    }
    return ev.arrayLiteral(v[0], dtype);
  });
  ofDtype(r, "dtype_kind", [](Evaluator &ev, mlir::Type t) {
    return ev.arena.str(isBoolDtype(t)       ? "b"
                        : isKeyDtype(t)      ? "k"
                        : isFloatDtype(t)    ? "f"
                        : isComplexDtype(t)  ? "c"
                        : isUnsignedDtype(t) ? "u"
                                             : "i");
  });
  ofDtype(r, "dtype_bits",
          [](Evaluator &, mlir::Type t) { return Value::integer(isBoolDtype(t) ? 8 : 8 * dtypeBytes(t)); });
  ofDtype(r, "scalar_type", [](Evaluator &, mlir::Type t) { return Value::scalarType(t); });
  // Where JAX narrows 64 bits without x64, jx keeps what was asked for.
  for (const char *name : {"dtype_from", "canonical_dtype"})
    unary(r, name, [](Evaluator &ev, Value x) -> Value {
      JX_TRY(dtype, dtypeArgument(ev, x));
      return Value::dtype(*dtype);
    });
  auto limit = [&](const char *name, const char *which) {
    ofDtype(r, name, [which](Evaluator &ev, mlir::Type t) -> Value {
      if (auto complex = llvm::dyn_cast<mlir::ComplexType>(t)) t = complex.getElementType();
      if (isFloatDtype(t)) return Value::real(limitOf(t, which));
      if (isKeyDtype(t)) return ev.typeError("keys have no limits");
      return integerLimit(ev, t, llvm::StringRef(which) == "max");
    });
  };
  limit("dtype_max", "max");
  limit("dtype_min", "min");
  limit("dtype_eps", "eps");
  limit("dtype_tiny", "tiny");
  r.constant(module, "array_class", [](Evaluator &ev) -> Value { return ev.builtinClass("Array"); });
}

void registerStatics(Registry &r) {
  r.function(module, "static_int", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[2];
    JX_CHECK(ev.bindNative(args, "static_int", {"x", "purpose"}, 1, v));
    JX_TRY(known, ev.toStaticInt(v[0], v[1] && v[1].is(Kind::Str) ? v[1].asStr().str() : "this value"));
    return Value::integer(*known);
  });
  r.function(module, "static_number", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[2];
    JX_CHECK(ev.bindNative(args, "static_number", {"x", "purpose"}, 2, v));
    JX_TRY(known, ev.toStatic(v[0], v[1].asStr().str()));
    if (!known.isStaticNumber())
      return ev.typeError(v[1].asStr().str() + " must be numbers, not '" + ev.typeName(known) + "'");
    return known;
  });
  r.function(module, "static_list", staticList);
  r.function(module, "static_index", staticIndex);
  r.function(module, "slice_parts", sliceParts);
  r.function(module, "nonzero_static", nonzeroStatic);
}

void registerTrees(Registry &r) {
  auto flatten = [](Evaluator &ev, CallArgs &args, bool withPath) -> Value {
    Value v[2];
    JX_CHECK(ev.bindNative(args, "tree_flatten", {"tree", "is_leaf"}, 1, v));
    std::vector<Value> leaves;
    Tree tree = ev.tracing->trees.flatten(v[0], leaves, v[1]);
    if (!tree) return Failed();
    if (withPath) {
      std::vector<Value> paths;
      ev.tracing->trees.paths(*tree, {}, paths);
      for (size_t i = 0; i < leaves.size(); ++i) leaves[i] = ev.arena.tuple({paths[i], leaves[i]});
    }
    return ev.arena.tuple({Value(ev.heap.list(std::move(leaves))), makeTreeDef(ev, tree)});
  };
  r.function(module, "tree_flatten",
             [flatten](Evaluator &ev, CallArgs &args) { return flatten(ev, args, false); });
  r.function(module, "tree_flatten_with_path",
             [flatten](Evaluator &ev, CallArgs &args) { return flatten(ev, args, true); });
  r.function(module, "tree_unflatten", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[2];
    JX_CHECK(ev.bindNative(args, "tree_unflatten", {"treedef", "leaves"}, 2, v));
    Tree tree = treeDefOf(v[0]);
    if (!tree) return ev.typeError("a PyTreeDef is expected, not '" + ev.typeName(v[0]) + "'");
    JX_TRY(leaves, ev.elements(v[1]));
    if (leaves->size() != tree->leaves())
      return ev.valueError("the tree structure has " + std::to_string(tree->leaves()) + " leaves, but " +
                           std::to_string(leaves->size()) + " were given");
    return ev.tracing->trees.unflattenAll(*tree, *leaves);
  });
  unary(r, "tree_flatten_one_level", [](Evaluator &ev, Value x) -> Value {
    std::vector<Value> children;
    Tree tree = ev.tracing->trees.flattenLevel(x, children);
    if (!tree) return Failed();
    if (tree->form == TreeDef::Leaf) return Value::none();
    std::vector<Value> keys = tree->keys;
    for (size_t i = keys.size(); i < children.size(); ++i) keys.push_back(Value::integer(i));
    return ev.arena.tuple({Value(ev.heap.list(std::move(children))), Value(ev.heap.list(std::move(keys)))});
  });
  r.function(module, "register_pytree", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[3];
    JX_CHECK(ev.bindNative(args, "register_pytree", {"cls", "flatten", "unflatten"}, 3, v));
    if (!v[0].is(Kind::Class)) return ev.typeError("a class is expected");
    ev.tracing->trees.registerClass(v[0].asObject(), {v[1], v[2], {}, {}});
    return v[0];
  });
  r.function(module, "register_dataclass", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[3];
    JX_CHECK(ev.bindNative(args, "register_dataclass", {"cls", "data_fields", "meta_fields"}, 3, v));
    JX_TRY(data, ev.elements(v[1]));
    JX_TRY(meta, ev.elements(v[2]));
    ev.tracing->trees.registerClass(v[0].asObject(), {{}, {}, std::move(*data), std::move(*meta)});
    return v[0];
  });
  unary(r, "zeros_like_tree", [](Evaluator &ev, Value x) -> Value {
    Tree tree;
    JX_TRY(leaves, ev.tracing->arrayLeaves(x, tree));
    for (Value &leaf : *leaves) {
      mlir::Value zero = ev.zeroOf(leaf.asArray().getType());
      if (!zero) return Failed();
      leaf = Value::array(zero, leaf.isWeak());
    }
    return ev.tracing->trees.unflattenAll(*tree, *leaves);
  });
  r.function(module, "map_arrays", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[2];
    JX_CHECK(ev.bindNative(args, "map_arrays", {"f", "tree"}, 2, v));
    Tree tree;
    JX_TRY(leaves, ev.tracing->arrayLeaves(v[1], tree, true));
    for (Value &leaf : *leaves)
      if (leaf.isArray() && !(leaf = ev.call(v[0], {leaf}))) return Failed();
    return ev.tracing->trees.unflattenAll(*tree, *leaves);
  });
}

void registerArrayMembers(Registry &r) {
  auto property = [&](const char *name, std::function<Value(Evaluator &, Value)> fn) {
    r.property(Kind::Array, name, [fn](Evaluator &ev, CallArgs &args) { return fn(ev, args.positional[0]); });
  };
  property("shape", [](Evaluator &ev, Value x) { return shapeTuple(ev, x.arrayType().getShape()); });
  property("dtype", [](Evaluator &, Value x) { return Value::dtype(x.arrayType().getElementType()); });
  property("ndim", [](Evaluator &, Value x) { return Value::integer(x.arrayType().getRank()); });
  property("size", [](Evaluator &, Value x) { return Value::integer(x.arrayType().getNumElements()); });
  property("weak_type", [](Evaluator &, Value x) { return Value::boolean(x.isWeak()); });
  property("nbytes", [](Evaluator &, Value x) {
    return Value::integer(x.arrayType().getNumElements() * dtypeBytes(x.arrayType().getElementType()));
  });
  property("itemsize",
           [](Evaluator &, Value x) { return Value::integer(dtypeBytes(x.arrayType().getElementType())); });
  auto hostTypeFor = [](Value x) {
    mlir::Type t = x.arrayType().getElementType();
    return isBoolDtype(t) ? HostType::Bool : isFloatDtype(t) ? HostType::Float : HostType::Int;
  };
  r.method(Kind::Array, "item", [hostTypeFor](Evaluator &ev, CallArgs &args) -> Value {
    Value x = args.positional[0];
    if (args.positional.size() > 1) {
      Value flat = ev.getAttr(x, "ravel");
      x = flat ? ev.call(flat, llvm::ArrayRef<Value>{}) : Value();
      if (x) x = ev.getItem(x, args.positional[1]);
      if (!x) return Failed();
    }
    return ev.arrayToHost(x, hostTypeFor(x));
  });
  r.method(Kind::Array, "tolist", [hostTypeFor](Evaluator &ev, CallArgs &args) -> Value {
    std::function<Value(Value)> list = [&](Value x) -> Value {
      if (x.arrayType().getRank() == 0) return ev.arrayToHost(x, hostTypeFor(x));
      JX_TRY(rows, ev.elements(x));
      for (Value &row : *rows)
        if (!(row = list(row))) return Failed();
      return ev.heap.list(std::move(*rows));
    };
    return list(args.positional[0]);
  });
  r.property(Kind::Dtype, "name", [](Evaluator &ev, CallArgs &args) {
    return ev.arena.str(dtypeName(args.positional[0].asDtype()));
  });
  r.property(Kind::Dtype, "__name__", [](Evaluator &ev, CallArgs &args) {
    return ev.arena.str(dtypeName(args.positional[0].asDtype()));
  });
  r.property(Kind::Dtype, "dtype",
             [](Evaluator &, CallArgs &args) { return Value::dtype(args.positional[0].asDtype()); });
  r.property(Kind::Dtype, "type", [](Evaluator &, CallArgs &args) { return args.positional[0]; });
  r.property(Kind::Dtype, "itemsize", [](Evaluator &, CallArgs &args) {
    return Value::integer(dtypeBytes(args.positional[0].asDtype()));
  });
  r.property(Kind::Dtype, "kind", [](Evaluator &ev, CallArgs &args) {
    mlir::Type t = args.positional[0].asDtype();
    return ev.arena.str(isBoolDtype(t)       ? "b"
                        : isFloatDtype(t)    ? "f"
                        : isComplexDtype(t)  ? "c"
                        : isUnsignedDtype(t) ? "u"
                                             : "i");
  });
}

} // namespace

void registerIntrinsics(Registry &r) {
  registerTypes(r);
  registerStatics(r);
  registerTrees(r);
  registerArrayMembers(r);
  r.function(module, "error", explain);
  r.function(module, "use_key", [](Evaluator &ev, CallArgs &args) -> Value {
    Value v[2];
    JX_CHECK(ev.bindNative(args, "use_key", {"name", "key"}, 2, v));
    // A function of the library may use a key several times, in functions of its own: that is one use of the
    // caller's.
    const Frame *outermost = nullptr;
    for (const Frame *f = ev.frame; f && f->function && ev.sources.isLibrary(f->function->code->range.file);
         f = f->caller)
      outermost = f;
    ev.tracing->keys.use(v[1].asArray(), ev.builder.getBlock(), ev.userHere(), "`" + v[0].asStr().str() + "`",
                         outermost ? outermost->locals : nullptr);
    return Value::none();
  });
  r.function(module, "warn", [](Evaluator &ev, CallArgs &args) -> Value {
    if (args.positional.empty()) return ev.typeError("a message is expected");
    JX_TRY(text, ev.str(args.positional[0]));
    std::string shown = shownNow(ev, text);
    ev.warn(DiagKind::PythonValueError, shown.empty() ? "warning" : shown);
    return Value::none();
  });
}

} // namespace jx::elab
