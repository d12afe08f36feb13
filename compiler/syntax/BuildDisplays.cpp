// Atoms: constants, groups, list, set and dict displays, comprehensions, strings and f-strings.
#include "compiler/syntax/TreeBuilder.h"

#include <charconv>
#include <llvm/Support/Casting.h>

namespace jx {

using namespace ast;
using llvm::isa;

Expr *TreeBuilder::atom(JxParser::AtomContext *tree) {
  size_t token = firstToken(tree);
  SourceRange range = tokenRange(token);
  switch (kindOf(token)) {
  case TokenKind::Name: {
    auto *node = make<NameExpr>(range);
    node->name = context.name(textOf(token));
    return node;
  }
  case TokenKind::Number:
    return number(token);
  case TokenKind::NoneKeyword:
    return make<NoneConst>(range);
  case TokenKind::Ellipsis:
    return make<EllipsisConst>(range);
  case TokenKind::TrueKeyword:
  case TokenKind::FalseKeyword: {
    auto *node = make<BoolConst>(range);
    node->value = kindOf(token) == TokenKind::TrueKeyword;
    return node;
  }
  case TokenKind::LeftParen:
    return group(tree);
  case TokenKind::LeftBracket:
    return listDisplay(tree);
  case TokenKind::LeftBrace:
    return braceDisplay(tree);
  default:
    return strings(tree->strings());
  }
}

Expr *TreeBuilder::number(size_t token) {
  const NumberLiteral &literal = tokens.numbers[tokens.tokens[token].literal];
  SourceRange range = tokenRange(token);
  if (literal.kind == NumberKind::Int) {
    auto *node = make<IntConst>(range);
    node->digits = context.copy(literal.digits);
    int64_t value = 0;
    auto [end, status] =
        std::from_chars(node->digits.data(), node->digits.data() + node->digits.size(), value);
    if (status == std::errc()) node->value = value;
    return node;
  }
  if (literal.kind == NumberKind::Float) {
    auto *node = make<FloatConst>(range);
    node->value = literal.value;
    return node;
  }
  auto *node = make<ImaginaryConst>(range);
  node->value = literal.value;
  return node;
}

Expr *TreeBuilder::group(JxParser::AtomContext *tree) {
  SourceRange range = rangeOf(tree);
  if (auto *child = tree->yieldExpr()) return yield(child);
  auto *items = tree->groupItems();
  if (!items) return make<Tuple>(range);
  auto rows = items->groupItem();
  for (auto *row : rows)
    if (row->target())
      fail(Diagnostic(DiagKind::UnexpectedToken, tokenRange(indexOf(row->AS())),
                      "`as` stands in parentheses only directly after `with`"));
  Expr *first = starTest(rows[0]->starTest());
  if (auto *clauses = items->comprehension())
    return comprehension(ComprehensionKind::Generator, first, nullptr, clauses, range);
  if (checkCommas(items) == 0) {
    if (isa<Starred>(first))
      fail(Diagnostic(DiagKind::UnexpectedToken, first->range,
                      "a starred expression needs a list or tuple around it")
               .withHint("write a comma behind it for a tuple"));
    return first;
  }
  std::vector<Expr *> elements{first};
  for (size_t i = 1; i < rows.size(); ++i) elements.push_back(starTest(rows[i]->starTest()));
  auto *tuple = make<Tuple>(range);
  tuple->elements = context.copy(elements);
  return tuple;
}

Expr *TreeBuilder::listDisplay(JxParser::AtomContext *tree) {
  SourceRange range = rangeOf(tree);
  auto *items = tree->listItems();
  if (!items) return make<List>(range);
  std::vector<Expr *> elements;
  for (auto *row : items->starTest()) elements.push_back(starTest(row));
  if (auto *clauses = items->comprehension())
    return comprehension(ComprehensionKind::List, elements[0], nullptr, clauses, range);
  checkCommas(items);
  auto *list = make<List>(range);
  list->elements = context.copy(elements);
  return list;
}

Expr *TreeBuilder::braceDisplay(JxParser::AtomContext *tree) {
  SourceRange range = rangeOf(tree);
  auto *items = tree->braceItems();
  if (!items) return make<Dict>(range);
  checkCommas(items);
  auto rows = items->braceItem();
  bool isDict = rows[0]->operation() || rows[0]->test();
  std::vector<DictItem> pairs;
  std::vector<Expr *> elements;
  for (auto *row : rows) {
    bool isPair = row->operation() || row->test();
    if (isPair != isDict)
      fail(Diagnostic(DiagKind::UnexpectedToken, rangeOf(row),
                      isDict ? "this element of a dict has no value" : "a set holds no `key: value` pairs")
               .span(rangeOf(rows[0]),
                     isDict ? "a dict because of this element" : "a set because of this element"));
    if (row->operation())
      pairs.push_back({nullptr, operation(row->operation())});
    else if (isPair) {
      Expr *key = starTest(row->starTest());
      if (isa<Starred>(key))
        fail(Diagnostic(DiagKind::UnexpectedToken, key->range, "a key of a dict cannot be starred"));
      pairs.push_back({key, test(row->test())});
    } else
      elements.push_back(starTest(row->starTest()));
  }
  if (auto *clauses = items->comprehension()) {
    if (isDict && !pairs[0].key)
      fail(Diagnostic(DiagKind::UnexpectedToken, rangeOf(rows[0]), "`**` cannot stand in a comprehension"));
    return isDict ? comprehension(ComprehensionKind::Dict, pairs[0].key, pairs[0].value, clauses, range)
                  : comprehension(ComprehensionKind::Set, elements[0], nullptr, clauses, range);
  }
  if (isDict) {
    auto *node = make<Dict>(range);
    node->items = context.copy(pairs);
    return node;
  }
  auto *node = make<Set>(range);
  node->elements = context.copy(elements);
  return node;
}

Expr *TreeBuilder::comprehension(ComprehensionKind kind, Expr *element, Expr *value,
                                 JxParser::ComprehensionContext *tree, SourceRange range) {
  if (isa<Starred>(element))
    fail(Diagnostic(DiagKind::UnexpectedToken, element->range, "a comprehension cannot unpack its element")
             .withHint("add another `for` over it"));
  auto *node = make<Comprehension>(range);
  node->comprehension = kind;
  node->element = element;
  node->value = value;
  std::vector<ComprehensionClause> clauses;
  for (auto *row : tree->comprehensionFor()) {
    ComprehensionClause clause;
    clause.range = rangeOf(row);
    clause.target = targetList(row->targetList(), Access::Store);
    clause.iter = operation(row->operation());
    std::vector<Expr *> conditions;
    for (auto *condition : row->comprehensionIf()) conditions.push_back(operation(condition->operation()));
    clause.conditions = context.copy(conditions);
    clauses.push_back(clause);
  }
  node->clauses = context.copy(clauses);
  return node;
}

//===- Strings -----------------------------------------------------------------------------------------===//

Expr *TreeBuilder::strings(JxParser::StringsContext *tree) {
  SourceRange range = rangeOf(tree);
  std::vector<FStringPart> parts;
  std::string joined;
  bool isFormat = false, isBytes = false, isText = false;
  for (Tree *child : tree->children) {
    if (auto *format = dynamic_cast<JxParser::FstringContext *>(child)) {
      isFormat = isText = true;
      if (!joined.empty()) addLiteral(parts, std::exchange(joined, {}));
      formatParts(format->fstringPart(), parts);
      continue;
    }
    const Token &token = tokens.tokens[indexOf(static_cast<antlr4::tree::TerminalNode *>(child))];
    (token.isBytes ? isBytes : isText) = true;
    joined += tokens.strings[token.literal];
  }
  if (isBytes && isText)
    fail(Diagnostic(DiagKind::BadLiteral, range, "bytes and text literals cannot be joined"));
  if (isFormat) {
    if (!joined.empty()) addLiteral(parts, joined);
    auto *node = make<FString>(range);
    node->parts = context.copy(parts);
    return node;
  }
  if (isBytes) {
    auto *node = make<BytesConst>(range);
    node->value = context.copy(joined);
    return node;
  }
  auto *node = make<StringConst>(range);
  node->value = context.copy(joined);
  return node;
}

/// Appends literal text, joining it to literal text before it.
void TreeBuilder::addLiteral(std::vector<FStringPart> &parts, std::string_view literal) {
  if (!parts.empty() && !parts.back().value)
    parts.back().literal = context.copy(std::string(parts.back().literal) + std::string(literal));
  else
    parts.push_back({context.copy(literal)});
}

void TreeBuilder::formatParts(const std::vector<JxParser::FstringPartContext *> &trees,
                              std::vector<FStringPart> &parts) {
  for (auto *tree : trees) {
    if (auto *child = tree->field())
      formatField(child, parts);
    else
      addLiteral(parts, tokens.strings[tokens.tokens[firstToken(tree)].literal]);
  }
}

void TreeBuilder::formatField(JxParser::FieldContext *tree, std::vector<FStringPart> &parts) {
  FStringPart part;
  part.value = rhs(tree->rhs());
  if (auto *name = tree->NAME()) part.conversion = textOf(indexOf(name))[0];
  if (auto *equal = tree->FIELD_EQUAL()) {
    // `{x = }` shows the source text, blanks included.
    uint32_t begin = tokens.tokens[firstToken(tree)].end;
    uint32_t end = tokens.tokens[indexOf(equal) + 1].begin;
    addLiteral(parts, text.substr(begin, end - begin));
    if (!part.conversion && !tree->fieldSpec()) part.conversion = 'r';
  }
  if (auto *spec = tree->fieldSpec()) {
    std::vector<FStringPart> specParts;
    formatParts(spec->fstringPart(), specParts);
    part.spec = make<FString>(rangeOf(spec));
    part.spec->parts = context.copy(specParts);
  }
  parts.push_back(part);
}

} // namespace jx
