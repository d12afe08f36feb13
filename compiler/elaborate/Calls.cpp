// Calling: Python's argument binding, function bodies, natives, and the instances of classes that define
// __call__.
#include "compiler/elaborate/Branches.h"
#include "compiler/elaborate/Callable.h"
#include "compiler/elaborate/Choices.h"
#include "compiler/elaborate/Evaluator.h"
#include "llvm/Support/Casting.h"

namespace jx::elab {

const Scope &FunctionNode::scope() const {
  if (auto *def = llvm::dyn_cast<ast::FunctionDef>(code)) return def->scope();
  if (auto *lambda = llvm::dyn_cast<ast::Lambda>(code)) return *lambda->scope;
  return *llvm::cast<ast::Comprehension>(code)->scope;
}

// The variables of enclosing functions that the code refers to, as seen from the current frame.
static std::vector<Cell> resolveFrees(Frame &frame, const Scope &scope) {
  std::vector<Cell> cells;
  for (Name name : scope.frees) {
    Cell cell{nullptr, 0};
    if (frame.locals->kind == Kind::Frame)
      for (uint32_t i = 0; i < frame.scope->locals.size(); ++i)
        if (frame.scope->locals[i] == name) cell = {frame.locals, i};
    if (!cell.frame && name.str() == "__class__" && frame.classCell) cell = {frame.classCell, 0};
    if (!cell.frame)
      for (uint32_t i = 0; i < frame.scope->frees.size(); ++i)
        if (frame.scope->frees[i] == name) cell = frame.frees[i];
    cells.push_back(cell);
  }
  return cells;
}

std::string Evaluator::qualifiedName(llvm::StringRef name) {
  std::string outer;
  if (frame->scope->kind == ScopeKind::Class) {
    if (Value own = frame->locals->get(arena.str("__qualname__")); own && own.is(Kind::Str))
      outer = own.asStr().str() + ".";
  } else if (frame->function && !frame->function->qualifiedName.empty()) {
    outer = frame->function->qualifiedName + ".<locals>.";
  }
  return outer + name.str();
}

Value Evaluator::makeFunction(const ast::Node *code, llvm::StringRef name, ast::ParameterList params) {
  auto *function = arena.make<FunctionNode>();
  function->code = code;
  function->params = params;
  function->module = frame->module;
  function->name = name.str();
  // A comprehension adds nothing to the names of what it defines.
  bool isInlined = llvm::isa<ast::Comprehension>(code);
  function->qualifiedName = !isInlined        ? qualifiedName(name)
                            : frame->function ? frame->function->qualifiedName
                                              : "";
  for (const ast::Parameter &param : params) {
    Value value;
    if (param.defaultValue) {
      value = eval(param.defaultValue);
      if (!value) return Failed();
    }
    function->defaults.push_back(value);
  }
  function->frees = resolveFrees(*frame, function->scope());
  Object *object = heap.create(Kind::Function);
  object->payload = function;
  return object;
}

static bool isPositional(const ast::Parameter &param) {
  return param.kind == ast::ParamKind::PositionalOnly || param.kind == ast::ParamKind::PositionalOrKeyword;
}

// 'a', 'b', and 'c'
static std::string listed(const std::vector<std::string> &names) {
  std::string text = names[0];
  for (size_t i = 1; i < names.size(); ++i)
    text += (i + 1 < names.size() ? ", " : names.size() == 2 ? " and " : ", and ") + names[i];
  return text;
}

Status Evaluator::bindArguments(const FunctionNode &function, CallArgs &args, std::vector<Value> &slots) {
  using ast::ParamKind;
  std::string name = function.qualifiedName + "()";
  std::vector<Value> extra;
  Object *extraKeywords = nullptr;
  size_t next = 0, maxPositional = 0;
  bool takesMore = false;
  for (size_t i = 0; i < function.params.size(); ++i) {
    const ast::Parameter &param = function.params[i];
    if (isPositional(param)) {
      ++maxPositional;
      if (next < args.positional.size()) slots[i] = args.positional[next++];
    } else if (param.kind == ParamKind::VarPositional) {
      takesMore = true;
      extra.assign(args.positional.begin() + next, args.positional.end());
      next = args.positional.size();
      slots[i] = arena.tuple(extra);
    } else if (param.kind == ParamKind::VarKeyword) {
      extraKeywords = heap.dict();
      slots[i] = extraKeywords;
    }
  }
  if (next < args.positional.size() && !takesMore) {
    size_t required = 0;
    for (size_t i = 0; i < function.params.size(); ++i)
      required += isPositional(function.params[i]) && !function.defaults[i];
    size_t count = args.positional.size(), named = 0;
    for (auto &[keyword, value] : args.keywords)
      named += llvm::any_of(function.params, [&, &keyword = keyword](const ast::Parameter &param) {
        return param.kind == ParamKind::KeywordOnly && param.name.str() == std::string_view(keyword);
      });
    std::string given = std::to_string(count) + (count == 1 ? " was" : " were");
    if (named)
      given = std::to_string(count) + " positional argument" + (count == 1 ? "" : "s") + " (and " +
              std::to_string(named) + " keyword-only argument" + (named == 1 ? "" : "s") + ") were";
    std::string takes = required == maxPositional
                            ? std::to_string(maxPositional)
                            : "from " + std::to_string(required) + " to " + std::to_string(maxPositional);
    return fail(DiagKind::TooManyArguments, name + " takes " + takes + " positional argument" +
                                                (maxPositional == 1 ? "" : "s") + " but " + given + " given");
  }
  for (auto &[keyword, value] : args.keywords) {
    bool bound = false;
    for (size_t i = 0; i < function.params.size() && !bound; ++i) {
      const ast::Parameter &param = function.params[i];
      if (param.name.str() != std::string_view(keyword) ||
          (param.kind != ParamKind::PositionalOrKeyword && param.kind != ParamKind::KeywordOnly))
        continue;
      if (slots[i])
        return fail(DiagKind::RepeatedArgument,
                    name + " got multiple values for argument '" + keyword.str() + "'");
      slots[i] = value;
      bound = true;
    }
    if (bound) continue;
    if (!extraKeywords) {
      std::string positionalOnly;
      for (auto &[given, unused] : args.keywords)
        for (const ast::Parameter &param : function.params)
          if (param.kind == ParamKind::PositionalOnly && param.name.str() == std::string_view(given))
            positionalOnly += (positionalOnly.empty() ? "" : ", ") + given.str();
      if (!positionalOnly.empty())
        return fail(DiagKind::UnexpectedKeyword,
                    name + " got some positional-only arguments passed as keyword arguments: '" +
                        positionalOnly + "'");
      Diagnostic diagnostic(DiagKind::UnexpectedKeyword, userHere(),
                            name + " got an unexpected keyword argument '" + keyword.str() + "'");
      std::vector<std::string> names;
      for (const ast::Parameter &param : function.params) names.emplace_back(param.name.str());
      if (std::string guess = nearestOf(keyword, names); !guess.empty())
        diagnostic.withHint("did you mean `" + guess + "`?");
      return fail(std::move(diagnostic));
    }
    heap.put(extraKeywords, arena.str(keyword), value);
  }
  std::vector<std::string> missing[2]; // positional, keyword-only
  for (size_t i = 0; i < function.params.size(); ++i) {
    if (slots[i]) continue;
    slots[i] = function.defaults[i];
    if (!slots[i])
      missing[!isPositional(function.params[i])].push_back("'" + std::string(function.params[i].name.str()) +
                                                           "'");
  }
  for (bool keywordOnly : {false, true})
    if (auto &names = missing[keywordOnly]; !names.empty())
      return fail(DiagKind::BadCall, name + " missing " + std::to_string(names.size()) + " required " +
                                         (keywordOnly ? "keyword-only" : "positional") + " argument" +
                                         (names.size() == 1 ? "" : "s") + ": " + listed(names));
  return Status::success();
}

Value Evaluator::callFunction(Object *object, CallArgs &args) {
  const FunctionNode &function = *static_cast<const FunctionNode *>(object->payload);
  const Scope &scope = function.scope();
  std::vector<Value> slots(scope.locals.size());
  JX_CHECK(bindArguments(function, args, slots));
  Declarations declared;
  JX_CHECK(checkParameters(function, slots, declared));
  std::vector<Value> given;
  if (options.recordSignatures) given.assign(slots.begin(), slots.begin() + function.params.size());
  Object *locals = heap.create(Kind::Frame, {{}, std::move(slots)});
  if (scope.hasYield) {
    Object *generator = heap.create(Kind::Generator);
    generator->payload = arena.make<GeneratorNode>(&function, locals, Value());
    return generator;
  }
  if (depth >= options.maxDepth)
    return fail(DiagKind::EndlessRecursion, "calls nest more than " + std::to_string(options.maxDepth) +
                                                " deep; the innermost is `" + function.name + "`");
  Frame own{locals, &scope, function.module, function.frees, &function, frame, here()};
  if (!declared.dims.empty()) own.declared = &declared;
  ++depth;
  frame = &own;
  Flow flow = Flow::Return;
  if (auto *lambda = llvm::dyn_cast<ast::Lambda>(function.code)) {
    returnValue = eval(lambda->body);
    if (!returnValue) flow = Flow::Failed;
  } else {
    flow = run(llvm::cast<ast::FunctionDef>(function.code)->body());
    if (flow == Flow::Dynamic && flowTag.mayBe(Flow::Normal))
      flow = continueWhenNormal(*this, [&] {
        returnValue = Value::none();
        return Flow::Return;
      });
  }
  frame = own.caller;
  --depth;
  if (flow == Flow::Failed) return Failed();
  Value result = flow == Flow::Normal ? Value::none() : returnValue;
  returnValue = Value();
  if (auto *def = llvm::dyn_cast<ast::FunctionDef>(function.code); def && def->returns)
    JX_CHECK(checkAnnotation(def->returns, result, "the result of `" + function.name + "`", declared.dims));
  if (options.recordSignatures) recordSignature(function, given, result, declared);
  return result;
}

Value Evaluator::call(Value callee, CallArgs &args) {
  if (isOptional(callee))
    return overChoices(*this, callee, [&](Value one) {
      CallArgs own = args;
      return call(one, own);
    });
  if (std::optional<size_t> at = choiceAmong(*this, callee, args)) {
    auto argument = [&, at = *at](CallArgs &of) -> Value & {
      return at < of.positional.size() ? of.positional[at] : of.keywords[at - of.positional.size()].second;
    };
    return overChoices(*this, argument(args), [&](Value one) {
      CallArgs own = args;
      argument(own) = one;
      return call(callee, own);
    });
  }
  switch (callee.kind()) {
  case Kind::Native:
    return callee.asNative().fn(*this, args);
  case Kind::Function:
    return callFunction(callee.asObject(), args);
  case Kind::Method:
    if (Value function = callee.asMethod().function; function.is(Kind::Function))
      if (const auto &node = *static_cast<const FunctionNode *>(function.asObject()->payload);
          node.params.empty())
        return fail(DiagKind::MissingSelf, node.qualifiedName +
                                               "() takes 0 positional arguments but 1 was given: the "
                                               "object itself, which a method calls `self`");
    args.positional.insert(args.positional.begin(), callee.asMethod().self);
    return call(callee.asMethod().function, args);
  case Kind::Class:
    return instantiate(callee.asObject(), args);
  case Kind::Opaque:
    if (auto *callable = static_cast<OpaqueObject *>(callee.asObject()->opaque.get()))
      return callable->call(*this, callee.asObject(), args);
    break;
  case Kind::Dtype: // jnp.float32(x)
    if (args.positional.size() == 1 && args.keywords.empty())
      return arrayLiteral(args.positional[0], callee.asDtype());
    return typeError("a dtype takes one argument");
  case Kind::Instance: {
    Value method = lookUpClass(callee.asObject()->cls, "__call__");
    if (!method) break;
    args.positional.insert(args.positional.begin(), callee);
    return call(method, args);
  }
  default:
    break;
  }
  return fail(DiagKind::NotCallable, "'" + typeName(callee) + "' object is not callable");
}

Value Evaluator::callLibrary(llvm::StringRef moduleName, llvm::StringRef function,
                             llvm::ArrayRef<Value> positional) {
  Object *library = importModule(moduleName, here());
  if (!library) return Failed();
  Value callee = library->get(arena.str(function));
  if (!callee)
    return fail(DiagKind::MissingMember,
                "the library has no `" + moduleName.str() + "." + function.str() + "` yet");
  return call(callee, positional);
}

Status Evaluator::bindNative(CallArgs &args, llvm::StringRef function, llvm::ArrayRef<llvm::StringRef> params,
                             unsigned required, llvm::MutableArrayRef<Value> out) {
  std::string name = function.str() + "()";
  if (args.positional.size() > params.size())
    return fail(DiagKind::TooManyArguments, name + " takes at most " + std::to_string(params.size()) +
                                                " arguments (" + std::to_string(args.positional.size()) +
                                                " given)");
  for (auto [i, value] : llvm::enumerate(args.positional)) out[i] = value;
  for (auto &[keyword, value] : args.keywords) {
    const auto *found = llvm::find(params, keyword);
    if (found == params.end())
      return fail(DiagKind::UnexpectedKeyword,
                  name + " got an unexpected keyword argument '" + keyword.str() + "'");
    Value &slot = out[found - params.begin()];
    if (slot)
      return fail(DiagKind::RepeatedArgument,
                  name + " got multiple values for argument '" + keyword.str() + "'");
    slot = value;
  }
  for (unsigned i = 0; i < required; ++i)
    if (!out[i])
      return fail(DiagKind::BadCall, name + " missing required argument: '" + params[i].str() + "'");
  return Status::success();
}

} // namespace jx::elab
