// Annotations of parameters and results that name array types: `f32[n, 784]` and jaxtyping's `Float[Array, "n
// 784"]`. Lower-case names are dimension variables of one call: bound by the first argument that has them,
// checked by the rest.
#include "compiler/elaborate/Evaluator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

namespace {

// A dimension as annotated: text such as `n`, `784`, `2*n`, `_` or `...`.
struct ArrayAnnotation {
  std::string dtypes; // "f32", or a class of jaxtyping: "f", "i", "u", "b", "c", "any"
  std::vector<const ast::Expr *> exprs;
  std::vector<std::string> words;
};

bool isUpperCase(char c) { return c >= 'A' && c <= 'Z'; }

// The dtypes of a name, empty when it names none.
llvm::StringRef dtypesOf(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"f16", "f32", "f64", "bf16", "i8", "i16"}, name)
      .Cases({"i32", "i64", "u8", "u16", "u32", "u64"}, name)
      .Cases({"c64", "c128"}, name)
      .Cases({"bool", "key"}, name)
      .Cases({"Float", "Float32"}, "f")
      .Cases({"Int", "Integer", "Int32"}, "i")
      .Cases({"Bool", "UInt"}, name == "Bool" ? "b" : "u")
      .Case("Complex", "c")
      .Cases({"Num", "Shaped", "Inexact", "Real"}, "any")
      .Default("");
}

std::optional<ArrayAnnotation> parseAnnotation(const ast::Expr *expr) {
  ArrayAnnotation result;
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(expr)) {
    llvm::StringRef text(name->name.str());
    if (text == "bool" || text == "key" || dtypesOf(text).empty() || isUpperCase(text[0]))
      return std::nullopt;
    result.dtypes = text.str();
    return result;
  }
  auto *subscript = llvm::dyn_cast<ast::Subscript>(expr);
  auto *name = subscript ? llvm::dyn_cast<ast::NameExpr>(subscript->value) : nullptr;
  if (!name) return std::nullopt;
  result.dtypes = dtypesOf(llvm::StringRef(name->name.str())).str();
  if (result.dtypes.empty()) return std::nullopt;
  auto *tuple = llvm::dyn_cast<ast::Tuple>(subscript->index);
  if (isUpperCase(name->name.str()[0])) {
    auto *text =
        tuple && tuple->elements.size() == 2 ? llvm::dyn_cast<ast::StringConst>(tuple->elements[1]) : nullptr;
    if (!text) return std::nullopt;
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(text->value).split(words, ' ', -1, false);
    for (llvm::StringRef word : words) result.words.push_back(word.str());
    return result;
  }
  if (tuple)
    result.exprs.assign(tuple->elements.begin(), tuple->elements.end());
  else
    result.exprs.push_back(subscript->index);
  return result;
}

bool dtypeMatches(llvm::StringRef wanted, mlir::Type dtype) {
  if (wanted == "any") return true;
  if (wanted == "f") return isFloatDtype(dtype);
  if (wanted == "i") return isIntDtype(dtype) && !isUnsignedDtype(dtype);
  if (wanted == "u") return isUnsignedDtype(dtype);
  if (wanted == "b") return isBoolDtype(dtype);
  if (wanted == "c") return isComplexDtype(dtype);
  std::string own = typeText(mlir::RankedTensorType::get({}, dtype));
  return own == wanted.str() + "[]";
}

} // namespace

// What a dimension expression must be; a bare name that is not bound yet is bound to `actual`.
std::optional<int64_t> Evaluator::annotatedDim(const ast::Expr *expr, int64_t actual, DimBindings &dims,
                                               SourceRange at) {
  if (auto *number = llvm::dyn_cast<ast::IntConst>(expr)) return number->value;
  if (auto *name = llvm::dyn_cast<ast::NameExpr>(expr)) {
    std::string text(name->name.str());
    if (text == "_") return actual;
    auto [found, isNew] = dims.try_emplace(text, std::make_pair(actual, at));
    return found->second.first;
  }
  if (auto *op = llvm::dyn_cast<ast::Binary>(expr)) {
    auto *left = llvm::dyn_cast<ast::NameExpr>(op->lhs), *right = llvm::dyn_cast<ast::NameExpr>(op->rhs);
    // An expression over names that nothing has bound says nothing yet.
    for (auto *name : {left, right})
      if (name && !dims.count(std::string(name->name.str()))) return actual;
    auto a = annotatedDim(op->lhs, actual, dims, at), b = annotatedDim(op->rhs, actual, dims, at);
    if (!a || !b) return std::nullopt;
    Value result = staticBinary(op->op, Value::integer(*a), Value::integer(*b));
    if (result && result.isSmallInt()) return result.asInt();
    pendingState = {};
  }
  return std::nullopt;
}

Status Evaluator::checkAnnotation(const ast::Expr *expr, Value value, const std::string &what,
                                  DimBindings &dims) {
  auto annotation = parseAnnotation(expr);
  if (!annotation || !value.isArray()) return Status::success();
  auto type = value.arrayType();
  auto mismatch = [&](const std::string &why, std::optional<SourceRange> other = {}) -> Status {
    Diagnostic diagnostic(DiagKind::AnnotationMismatch, userHere(),
                          what + " is `" + typeText(type) + "`, but `" +
                              std::string(sources.text(expr->range)) + "` is declared: " + why);
    diagnostic.span(expr->range, "declared here");
    if (other && other->isValid() && !(*other == expr->range))
      diagnostic.span(*other, "the dimension was bound here");
    return fail(std::move(diagnostic));
  };
  if (!dtypeMatches(annotation->dtypes, type.getElementType())) return mismatch("the dtypes differ");
  auto shape = type.getShape();
  size_t count = annotation->exprs.size() + annotation->words.size();
  bool open =
      llvm::any_of(annotation->exprs, [](const ast::Expr *e) { return llvm::isa<ast::EllipsisConst>(e); }) ||
      llvm::any_of(annotation->words, [](const std::string &w) { return w == "..." || w[0] == '*'; });
  if (open) return Status::success();
  if (shape.size() != count)
    return mismatch("it has " + std::to_string(shape.size()) + " dimensions, not " + std::to_string(count));
  for (size_t i = 0; i < count; ++i) {
    std::optional<int64_t> wanted;
    std::string text;
    SourceRange bound;
    if (annotation->exprs.empty()) {
      text = annotation->words[i];
      int64_t number;
      if (!llvm::StringRef(text).getAsInteger(10, number))
        wanted = number;
      else if (text == "_" || !llvm::all_of(text, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
        continue;
      else {
        auto [found, isNew] = dims.try_emplace(text, std::make_pair(shape[i], expr->range));
        wanted = found->second.first;
        bound = found->second.second;
      }
    } else {
      const ast::Expr *dim = annotation->exprs[i];
      text = std::string(sources.text(dim->range));
      wanted = annotatedDim(dim, shape[i], dims, expr->range);
      if (auto found = dims.find(text); found != dims.end()) bound = found->second.second;
    }
    if (wanted && *wanted != shape[i])
      return mismatch("dimension `" + text + "` is " + std::to_string(*wanted) + " here, not " +
                          std::to_string(shape[i]),
                      bound);
  }
  return Status::success();
}

Status Evaluator::checkParameters(const FunctionNode &function, llvm::ArrayRef<Value> slots,
                                  Declarations &declared) {
  for (size_t i = 0; i < function.params.size(); ++i) {
    const ast::Parameter &param = function.params[i];
    if (!param.annotation || !slots[i]) continue;
    JX_CHECK(checkAnnotation(param.annotation, slots[i],
                             "argument `" + std::string(param.name.str()) + "` of `" + function.name + "`",
                             declared.dims));
    if (slots[i].isArray() && parseAnnotation(param.annotation))
      declared.arrays.emplace_back(slots[i], param.annotation);
  }
  return Status::success();
}

std::string Evaluator::describeArray(Value array) const {
  auto type = array.arrayType();
  const ast::Expr *annotation = nullptr;
  for (const Frame *f = frame; f && !annotation; f = f->caller)
    if (f->declared)
      for (auto &[value, expr] : f->declared->arrays)
        if (value.identical(array)) annotation = expr;
  auto parsed = annotation ? parseAnnotation(annotation) : std::nullopt;
  if (!parsed) return typeText(type);
  std::vector<std::string> names = parsed->words;
  for (const ast::Expr *expr : parsed->exprs) names.emplace_back(sources.text(expr->range));
  if (names.size() != size_t(type.getRank())) return typeText(type);
  std::string text = typeText(mlir::RankedTensorType::get({}, type.getElementType()));
  text.pop_back();
  for (auto [i, name] : llvm::enumerate(names)) {
    if (i) text += ",";
    if (llvm::isAlpha(name[0])) text += name + "=";
    text += std::to_string(type.getDimSize(i));
  }
  return text + "]";
}

} // namespace jx::elab
