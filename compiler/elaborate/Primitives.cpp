// Operations of the dialect by name: `jx._prim.NAME(arrays..., attribute=...)`. Result types come from the
// operation's own inference; what it refuses becomes an error at the user's line. A new primitive needs
// nothing here.
#include "compiler/elaborate/Evaluator.h"
#include "mlir/IR/Diagnostics.h"

namespace jx::elab {

namespace {

// A Python value as an attribute, by its kind; null when it has no such form.
mlir::Attribute toAttribute(Evaluator &ev, Value v) {
  mlir::Builder b(&ev.context);
  switch (v.kind()) {
  case Kind::Bool:
    return b.getBoolAttr(v.asBool());
  case Kind::Int:
    return v.isSmallInt() ? b.getI64IntegerAttr(v.asInt()) : mlir::Attribute();
  case Kind::Float:
    return b.getF64FloatAttr(v.asFloat());
  case Kind::Str:
    return b.getStringAttr(v.asStr());
  case Kind::Dtype:
    return mlir::TypeAttr::get(v.asDtype());
  case Kind::Tuple:
  case Kind::List: {
    llvm::ArrayRef<Value> items = v.is(Kind::Tuple) ? v.asTuple().items : v.asObject()->contents().values;
    if (llvm::all_of(items, [](Value i) { return i.isSmallInt() || i.is(Kind::Bool); })) {
      llvm::SmallVector<int64_t> ints;
      for (Value item : items) ints.push_back(item.is(Kind::Bool) ? item.asBool() : item.asInt());
      return b.getDenseI64ArrayAttr(ints);
    }
    llvm::SmallVector<mlir::Attribute> attributes;
    for (Value item : items) {
      attributes.push_back(toAttribute(ev, item));
      if (!attributes.back()) return {};
    }
    return b.getArrayAttr(attributes);
  }
  default:
    return {};
  }
}

// Properties of an operation in raw memory, for inference before the operation exists.
class Properties {
public:
  Properties(mlir::OperationName name, mlir::DictionaryAttr attributes, mlir::Location loc)
      : name(name), storage(name.getOpPropertyByteSize() / sizeof(uint64_t) + 1) {
    if (!name.getOpPropertyByteSize()) return;
    name.initOpProperties(get(), nullptr);
    ok = mlir::succeeded(
        name.setOpPropertiesFromAttribute(name, get(), attributes, [&] { return mlir::emitError(loc); }));
  }
  ~Properties() {
    if (name.getOpPropertyByteSize()) name.destroyOpProperties(get());
  }
  mlir::OpaqueProperties get() { return mlir::OpaqueProperties(storage.data()); }
  bool ok = true;

private:
  mlir::OperationName name;
  std::vector<uint64_t> storage;
};

// The value with its host numbers and run-time strings, also those in tuples and lists, as static ones.
Value staticParts(Evaluator &ev, Value value, const std::string &purpose) {
  auto isRunTime = [](Value v) { return v.isAny(Kind::Host, Kind::Text); };
  if (isRunTime(value)) return ev.toStatic(value, purpose);
  if (!value.isAny(Kind::Tuple, Kind::List)) return value;
  JX_TRY(items, ev.elements(value));
  if (llvm::none_of(*items, isRunTime)) return value;
  for (Value &item : *items) {
    item = staticParts(ev, item, purpose);
    if (!item) return Failed();
  }
  return ev.arena.tuple(std::move(*items));
}

constexpr int64_t maxArrayBytes = int64_t(64) << 30; // of one array; what a machine of today may hold

} // namespace

mlir::Operation *Evaluator::emit(llvm::StringRef opName, mlir::ValueRange operands,
                                 llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  if (!mayEmit()) return nullptr;
  mlir::Location loc = location();
  mlir::OperationState state(loc, opName, operands, mlir::TypeRange(), attributes);
  std::string message;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    message += (message.empty() ? "" : "; ") + diagnostic.str();
    return mlir::success();
  });
  auto *infer = state.name.getInterface<mlir::InferTypeOpInterface>();
  mlir::DictionaryAttr dictionary = state.attributes.getDictionary(&context);
  Properties properties(state.name, dictionary, loc);
  bool ok = properties.ok && infer &&
            mlir::succeeded(infer->inferReturnTypes(&context, loc, operands, dictionary, properties.get(), {},
                                                    state.types));
  if (!ok) {
    llvm::StringRef text = message;
    text.consume_front("'" + opName.str() + "' op ");
    // An attribute of another kind than the operation's, as `keepdims` given a string.
    if (!properties.ok && text.consume_front("Invalid attribute ")) {
      message = text.take_until([](char c) { return c == ' '; }).str() + " of `" +
                opName.drop_front(3).str() + "` is of a kind that it cannot be";
      text = message;
    }
    // Failures of inference name the operation; the user knows the call, and its line is shown.
    (void)fail(DiagKind::BadOperands,
               text.empty() ? "`" + opName.drop_front(3).str() + "` does not accept these arguments"
                            : text.str());
    return nullptr;
  }
  if (!checkSizes(state.types)) return nullptr;
  return builder.create(state);
}

Status Evaluator::checkSizes(mlir::TypeRange types) {
  for (mlir::Type type : types) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (!tensor) continue;
    int64_t bytes = dtypeBytes(tensor.getElementType());
    bool tooLarge = false;
    for (int64_t dim : tensor.getShape()) tooLarge |= __builtin_mul_overflow(bytes, dim, &bytes);
    if (tooLarge || bytes > maxArrayBytes)
      return fail(DiagKind::ArrayTooLarge,
                  "an array of type `" + typeText(tensor) + "` needs " +
                      (tooLarge ? "more memory than can be addressed"
                                : std::to_string(bytes >> 30) + " GiB; the limit is " +
                                      std::to_string(maxArrayBytes >> 30) + " GiB"));
  }
  return Status::success();
}

mlir::Value Evaluator::emit1(llvm::StringRef opName, mlir::ValueRange operands,
                             llvm::ArrayRef<mlir::NamedAttribute> attributes) {
  mlir::Operation *op = emit(opName, operands, attributes);
  return op ? op->getResult(0) : mlir::Value();
}

/// Whether a result is weakly typed: where all operands of its dtype are; of a test, whose operands have
/// other dtypes, where all operands are.
static bool isWeakResult(mlir::Value result, llvm::ArrayRef<Value> arrays) {
  auto dtypeOf = [](mlir::Value v) -> mlir::Type {
    auto type = llvm::dyn_cast<mlir::RankedTensorType>(v.getType());
    return type ? type.getElementType() : mlir::Type();
  };
  mlir::Type dtype = dtypeOf(result);
  if (!dtype) return false;
  auto deciding = [&](Value v) { return dtypeOf(v.asArray()) == dtype; };
  auto isWeak = [](Value v) { return v.isWeak(); };
  if (llvm::any_of(arrays, deciding))
    return llvm::all_of(arrays, [&](Value v) { return !deciding(v) || v.isWeak(); });
  return isBoolDtype(dtype) && !arrays.empty() && llvm::all_of(arrays, isWeak);
}

Value Evaluator::primitive(llvm::StringRef name, CallArgs &args) {
  std::string opName = "jx." + name.rtrim('_').str();
  if (!mlir::RegisteredOperationName::lookup(opName, &context))
    return fail(DiagKind::MissingMember, "there is no primitive `" + name.str() + "`");
  llvm::SmallVector<Value> arrays;
  std::function<Status(Value)> add = [&](Value v) -> Status {
    if (v.isArray()) {
      arrays.push_back(v);
      return Status::success();
    }
    if (v.isAny(Kind::Tuple, Kind::List)) {
      JX_TRY(items, elements(v));
      for (Value item : *items) JX_CHECK(add(item));
      return Status::success();
    }
    return typeError("`" + name.str() + "` takes arrays, not a value of type '" + typeName(v) + "'");
  };
  for (Value v : args.positional) JX_CHECK(add(v));
  mlir::NamedAttrList attributes;
  for (auto &[keyword, value] : args.keywords) {
    if (value.isNone()) continue;
    value = staticParts(*this, value, "`" + keyword.str() + "` of `" + name.str() + "`");
    if (!value) return Failed();
    mlir::Attribute attribute = toAttribute(*this, value);
    if (!attribute)
      return typeError("attribute `" + keyword.str() + "` of `" + name.str() + "` must be static, not '" +
                       typeName(value) + "'");
    // Empty tuples of ints and lists of attributes are told apart by the value's kind only.
    attributes.set(keyword, attribute);
  }
  llvm::SmallVector<mlir::Value> operands;
  for (Value v : arrays) operands.push_back(v.asArray());
  mlir::Operation *op = emit(opName, operands, attributes);
  if (!op) return Failed();
  std::vector<Value> results;
  for (mlir::Value result : op->getResults())
    results.push_back(Value::array(result, isWeakResult(result, arrays)));
  if (results.empty()) return Value::none();
  return results.size() == 1 ? results[0] : arena.tuple(std::move(results));
}

} // namespace jx::elab
