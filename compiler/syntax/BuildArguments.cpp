// Arguments of calls and classes, parameters of functions and lambdas, with the rules on their order.
#include "compiler/syntax/TreeBuilder.h"

#include <llvm/Support/Casting.h>

namespace jx {

using namespace ast;
using llvm::dyn_cast;

static std::string backticked(std::string_view text) { return "`" + std::string(text) + "`"; }

TreeBuilder::Arguments TreeBuilder::arguments(JxParser::ArgumentsContext *tree) {
  auto rows = tree->argument();
  size_t commas = checkCommas(tree);
  std::vector<Expr *> positional;
  std::vector<Keyword> keywords;
  bool unpacked = false; // a `**` was seen
  for (auto *row : rows) {
    SourceRange range = rangeOf(row);
    TokenKind lead = kindOf(firstToken(row));
    if (lead == TokenKind::DoubleStar) {
      keywords.push_back({Name(), test(row->test(0)), range});
      unpacked = true;
      continue;
    }
    if (lead == TokenKind::Star) {
      if (unpacked)
        fail(Diagnostic(DiagKind::BadArguments, range, "`*` arguments cannot follow `**` arguments")
                 .withHint("put `*...` first"));
      auto *node = make<Starred>(range);
      node->value = test(row->test(0));
      positional.push_back(node);
      continue;
    }
    Expr *first = test(row->test(0));
    if (row->EQUAL()) {
      auto *name = dyn_cast<NameExpr>(first);
      if (!name || firstToken(row->test(0)) != lastToken(row->test(0)))
        fail(Diagnostic(DiagKind::AssignInExpression, tokenRange(indexOf(row->EQUAL())),
                        "`=` in a call names an argument, and this is no plain name")
                 .span(first->range, "left of `=`")
                 .withHint("compare with `==`"));
      for (const Keyword &earlier : keywords)
        if (earlier.name == name->name)
          fail(Diagnostic(DiagKind::BadArguments, range,
                          "the argument " + backticked(name->name.str()) + " is given twice")
                   .span(earlier.range, "first given here"));
      keywords.push_back({name->name, test(row->test(1)), range});
      continue;
    }
    if (!keywords.empty())
      fail(Diagnostic(DiagKind::BadArguments, range, "a positional argument follows a keyword argument")
               .span(keywords.back().range, unpacked ? "`**` argument" : "keyword argument")
               .withHint("put positional arguments first, or name this one"));
    if (auto *clauses = row->comprehension()) {
      if (rows.size() > 1 || commas > 0)
        fail(Diagnostic(DiagKind::BadArguments, range,
                        "a generator beside other arguments needs parentheses"));
      positional.push_back(comprehension(ComprehensionKind::Generator, first, nullptr, clauses, range));
    } else if (row->COLONEQUAL()) {
      positional.push_back(walrus(first, row->test(1), range));
    } else {
      positional.push_back(first);
    }
  }
  return {context.copy(positional), context.copy(keywords)};
}

/// A parameter as written, before its kind is known.
struct TreeBuilder::ParameterRow {
  TokenKind marker; ///< Star, DoubleStar, Slash, or Name for a plain one.
  Parameter param;  ///< Without a name for `*` and `/` alone.
};

ParameterList TreeBuilder::parameters(JxParser::ParametersContext *tree) {
  checkCommas(tree);
  std::vector<ParameterRow> rows;
  for (auto *row : tree->parameter()) {
    ParameterRow entry{kindOf(firstToken(row)), {}};
    entry.param.range = rangeOf(row);
    if (auto *name = row->NAME()) entry.param.name = nameOf(name);
    if (auto *type = row->parameterType())
      entry.param.annotation = type->test() ? test(type->test()) : starred(type->operation(), rangeOf(type));
    if (auto *value = row->test()) entry.param.defaultValue = test(value);
    rows.push_back(entry);
  }
  return arrange(rows);
}

ParameterList TreeBuilder::parameters(JxParser::LambdaParametersContext *tree) {
  checkCommas(tree);
  std::vector<ParameterRow> rows;
  for (auto *row : tree->lambdaParameter()) {
    ParameterRow entry{kindOf(firstToken(row)), {}};
    entry.param.range = rangeOf(row);
    if (auto *name = row->NAME()) entry.param.name = nameOf(name);
    if (auto *value = row->test()) entry.param.defaultValue = test(value);
    rows.push_back(entry);
  }
  return arrange(rows);
}

/// Gives each parameter its kind and refuses orders that Python refuses.
ParameterList TreeBuilder::arrange(const std::vector<ParameterRow> &rows) {
  std::vector<Parameter> params;
  const ParameterRow *star = nullptr, *slash = nullptr;
  bool defaults = false;
  for (const ParameterRow &row : rows) {
    SourceRange range = row.param.range;
    auto refuse = [&](std::string message) {
      fail(Diagnostic(DiagKind::BadArguments, range, std::move(message)));
    };
    if (!params.empty() && params.back().kind == ParamKind::VarKeyword)
      refuse("nothing can follow the parameter " + backticked("**" + std::string(params.back().name.str())));
    for (const Parameter &earlier : params)
      if (row.param.name && earlier.name == row.param.name)
        fail(Diagnostic(DiagKind::BadArguments, range,
                        "the parameter " + backticked(row.param.name.str()) + " occurs twice")
                 .span(earlier.range, "first here"));
    Parameter param = row.param;
    switch (row.marker) {
    case TokenKind::Slash:
      if (slash) refuse("`/` occurs twice");
      if (star) refuse("`/` must stand before `*`");
      if (params.empty()) refuse("a parameter must stand before `/`");
      for (Parameter &earlier : params) earlier.kind = ParamKind::PositionalOnly;
      slash = &row;
      continue;
    case TokenKind::Star:
      if (star) refuse("`*` occurs twice");
      star = &row;
      if (!param.name) {
        if (&row == &rows.back() ||
            rows[static_cast<size_t>(&row - rows.data()) + 1].marker != TokenKind::Name)
          refuse("a named parameter must follow `*`");
        continue;
      }
      param.kind = ParamKind::VarPositional;
      break;
    case TokenKind::DoubleStar:
      param.kind = ParamKind::VarKeyword;
      break;
    default:
      param.kind = star ? ParamKind::KeywordOnly : ParamKind::PositionalOrKeyword;
      if (!star && defaults && !param.defaultValue)
        fail(Diagnostic(DiagKind::BadArguments, range,
                        "a parameter without a default follows one with a default")
                 .withHint("give " + backticked(param.name.str()) + " a default, or move it forward"));
      defaults |= param.defaultValue != nullptr;
    }
    params.push_back(param);
  }
  return context.copy(params);
}

} // namespace jx
