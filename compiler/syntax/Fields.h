// Every node's fields, stated once. The dump, the encoder and the decoder of embedded trees are archives that
// walk these lists, so a field that is added here is printed and embedded with no further code. Internal to
// compiler/syntax.
//
// An archive has: expr, exprs, block (children); name, names, text, flag, real, number (values; number takes
// integers and enums); range; scope; row(s) for small structs; body for a function's body.
#pragma once

#include "compiler/syntax/Ast.h"

namespace jx::ast {

/// Calls `use` with the node as its own class.
template <typename Use> decltype(auto) withClass(Node &node, Use &&use) {
  switch (node.kind) {
#define JX_EXPR(NODE)                                                                                        \
  case NodeKind::NODE:                                                                                       \
    return use(static_cast<NODE &>(node));
#define JX_STMT(NODE) JX_EXPR(NODE)
#include "compiler/syntax/NodeKinds.def"
  }
  __builtin_unreachable();
}

template <typename A> void bindingFields(A &a, Binding &binding, uint32_t &slot) {
  a.number("binding", binding);
  a.number("slot", slot);
}
template <typename A> void boundFields(A &a, BoundName &bound) {
  a.name("bound", bound.name);
  bindingFields(a, bound.binding, bound.slot);
}

template <typename A> void fields(A &, NoneConst &) {}
template <typename A> void fields(A &, EllipsisConst &) {}
template <typename A> void fields(A &a, BoolConst &n) { a.flag("value", n.value); }
template <typename A> void fields(A &a, IntConst &n) { a.text("digits", n.digits); }
template <typename A> void fields(A &a, FloatConst &n) { a.real("value", n.value); }
template <typename A> void fields(A &a, ImaginaryConst &n) { a.real("value", n.value); }
template <typename A> void fields(A &a, StringConst &n) { a.text("value", n.value); }
template <typename A> void fields(A &a, BytesConst &n) { a.text("value", n.value); }
template <typename A> void fields(A &a, FString &n) {
  a.rows("part", n.parts, [](A &a, FStringPart &part) {
    a.text("literal", part.literal);
    a.expr("value", part.value);
    a.number("conversion", part.conversion);
    a.expr("spec", part.spec);
  });
}
template <typename A> void fields(A &a, NameExpr &n) {
  a.name("name", n.name);
  a.number("access", n.access);
  bindingFields(a, n.binding, n.slot);
}
template <typename A> void fields(A &a, Attribute &n) {
  a.name("name", n.name);
  a.range("nameRange", n.nameRange);
  a.number("access", n.access);
  a.expr("value", n.value);
}
template <typename A> void fields(A &a, Subscript &n) {
  a.number("access", n.access);
  a.expr("value", n.value);
  a.expr("index", n.index);
}
template <typename A> void fields(A &a, Slice &n) {
  a.expr("lower", n.lower);
  a.expr("upper", n.upper);
  a.expr("step", n.step);
}
template <typename A> void keywordRows(A &a, std::span<const Keyword> &keywords) {
  a.rows("keyword", keywords, [](A &a, Keyword &keyword) {
    a.name("name", keyword.name);
    a.range("range", keyword.range);
    a.expr("value", keyword.value);
  });
}
template <typename A> void fields(A &a, Call &n) {
  a.expr("callee", n.callee);
  a.exprs("arg", n.args);
  keywordRows(a, n.keywords);
}
template <typename A> void fields(A &a, Unary &n) {
  a.number("op", n.op);
  a.expr("operand", n.operand);
}
template <typename A> void fields(A &a, Binary &n) {
  a.number("op", n.op);
  a.range("opRange", n.opRange);
  a.expr("lhs", n.lhs);
  a.expr("rhs", n.rhs);
}
template <typename A> void fields(A &a, BoolOp &n) {
  a.flag("and", n.isAnd);
  a.exprs("operand", n.operands);
}
template <typename A> void fields(A &a, Compare &n) {
  a.expr("first", n.first);
  a.rows("op", n.ops, [](A &a, CompareOp &op) { a.number("op", op); });
  a.exprs("rest", n.rest);
}
template <typename A> void fields(A &a, Conditional &n) {
  a.expr("test", n.test);
  a.expr("body", n.body);
  a.expr("orelse", n.orelse);
}
template <typename A> void parameterRows(A &a, ParameterList &params) {
  a.rows("param", params, [](A &a, Parameter &param) {
    a.name("name", param.name);
    a.number("kind", param.kind);
    a.range("range", param.range);
    a.expr("annotation", param.annotation);
    a.expr("default", param.defaultValue);
  });
}
template <typename A> void fields(A &a, Lambda &n) {
  parameterRows(a, n.params);
  a.scope("scope", n.scope);
  a.expr("body", n.body);
}
template <typename A> void fields(A &a, Tuple &n) {
  a.number("access", n.access);
  a.exprs("element", n.elements);
}
template <typename A> void fields(A &a, List &n) {
  a.number("access", n.access);
  a.exprs("element", n.elements);
}
template <typename A> void fields(A &a, Set &n) { a.exprs("element", n.elements); }
template <typename A> void fields(A &a, Dict &n) {
  a.rows("item", n.items, [](A &a, DictItem &item) {
    a.expr("key", item.key);
    a.expr("value", item.value);
  });
}
template <typename A> void fields(A &a, Comprehension &n) {
  a.number("comprehension", n.comprehension);
  a.scope("scope", n.scope);
  a.expr("element", n.element);
  a.expr("value", n.value);
  a.rows("clause", n.clauses, [](A &a, ComprehensionClause &clause) {
    a.range("range", clause.range);
    a.expr("target", clause.target);
    a.expr("iter", clause.iter);
    a.exprs("if", clause.conditions);
  });
}
template <typename A> void fields(A &a, Walrus &n) {
  a.expr("target", n.target);
  a.expr("value", n.value);
}
template <typename A> void fields(A &a, Starred &n) {
  a.number("access", n.access);
  a.expr("value", n.value);
}
template <typename A> void fields(A &a, Yield &n) { a.expr("value", n.value); }
template <typename A> void fields(A &a, YieldFrom &n) { a.expr("value", n.value); }

template <typename A> void fields(A &a, ExprStmt &n) { a.expr("value", n.value); }
template <typename A> void fields(A &a, Assign &n) {
  a.exprs("target", n.targets);
  a.expr("value", n.value);
}
template <typename A> void fields(A &a, AnnAssign &n) {
  a.expr("target", n.target);
  a.expr("annotation", n.annotation);
  a.expr("value", n.value);
}
template <typename A> void fields(A &a, AugAssign &n) {
  a.number("op", n.op);
  a.range("opRange", n.opRange);
  a.expr("target", n.target);
  a.expr("value", n.value);
}
template <typename A> void fields(A &a, If &n) {
  a.expr("test", n.test);
  a.block("body", n.body);
  a.block("orelse", n.orelse);
}
template <typename A> void fields(A &a, For &n) {
  a.names("assigned", n.assigned);
  a.expr("target", n.target);
  a.expr("iter", n.iter);
  a.block("body", n.body);
  a.block("orelse", n.orelse);
}
template <typename A> void fields(A &a, While &n) {
  a.names("assigned", n.assigned);
  a.expr("test", n.test);
  a.block("body", n.body);
  a.block("orelse", n.orelse);
}
template <typename A> void fields(A &a, FunctionDef &n) {
  a.name("name", n.name);
  a.range("nameRange", n.nameRange);
  bindingFields(a, n.binding, n.slot);
  a.exprs("decorator", n.decorators);
  parameterRows(a, n.params);
  a.expr("returns", n.returns);
  a.body(n);
}
template <typename A> void fields(A &a, ClassDef &n) {
  a.name("name", n.name);
  a.range("nameRange", n.nameRange);
  bindingFields(a, n.binding, n.slot);
  a.exprs("decorator", n.decorators);
  a.exprs("base", n.bases);
  keywordRows(a, n.keywords);
  a.scope("scope", n.scope);
  a.block("body", n.body);
}
template <typename A> void fields(A &a, Return &n) { a.expr("value", n.value); }
template <typename A> void fields(A &a, With &n) {
  a.rows("item", n.items, [](A &a, WithItem &item) {
    a.expr("context", item.context);
    a.expr("target", item.target);
  });
  a.block("body", n.body);
}
template <typename A> void fields(A &a, Try &n) {
  a.block("body", n.body);
  a.rows("handler", n.handlers, [](A &a, ExceptHandler &handler) {
    a.range("range", handler.range);
    a.expr("type", handler.type);
    boundFields(a, handler.bound);
    a.block("body", handler.body);
  });
  a.block("orelse", n.orelse);
  a.block("finally", n.finally);
}
template <typename A> void fields(A &a, Raise &n) {
  a.expr("exception", n.exception);
  a.expr("cause", n.cause);
}
template <typename A> void aliasRows(A &a, std::span<const ImportAlias> &aliases) {
  a.rows("alias", aliases, [](A &a, ImportAlias &alias) {
    a.name("path", alias.path);
    a.name("as", alias.asName);
    boundFields(a, alias.bound);
    a.range("range", alias.range);
  });
}
template <typename A> void fields(A &a, Import &n) { aliasRows(a, n.aliases); }
template <typename A> void fields(A &a, ImportFrom &n) {
  a.name("module", n.module);
  a.number("dots", n.dots);
  a.range("moduleRange", n.moduleRange);
  a.flag("star", n.isStar);
  aliasRows(a, n.aliases);
}
template <typename A> void fields(A &a, Global &n) { a.names("names", n.names); }
template <typename A> void fields(A &a, Nonlocal &n) { a.names("names", n.names); }
template <typename A> void fields(A &a, Assert &n) {
  a.expr("test", n.test);
  a.expr("message", n.message);
}
template <typename A> void fields(A &a, Del &n) { a.exprs("target", n.targets); }
template <typename A> void fields(A &, Pass &) {}
template <typename A> void fields(A &, Break &) {}
template <typename A> void fields(A &, Continue &) {}

} // namespace jx::ast
