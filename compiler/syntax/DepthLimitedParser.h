// Base classes of the generated parser that bound how deeply its rules nest, so that ten thousand `lambda:`
// end in an error and not in a stack overflow. Included by generated code: C++17 only.
#pragma once

#include <antlr4-runtime.h>

namespace jx {

/// Thrown out of the parser when rules nest too deeply. Not an ANTLR exception: no rule may catch it.
struct NestingTooDeep {
  size_t tokenIndex;
};

class DepthContext : public antlr4::ParserRuleContext {
public:
  DepthContext() = default;
  DepthContext(antlr4::ParserRuleContext *parent, size_t invokingState)
      : ParserRuleContext(parent, invokingState) {}
  unsigned ruleDepth = 0;
};

class DepthLimitedParser : public antlr4::Parser {
public:
  using antlr4::Parser::Parser;
  /// About 600 bytes of stack a rule: 2 MB at the limit.
  static constexpr unsigned maxRuleDepth = 4000;

  void enterRule(antlr4::ParserRuleContext *context, size_t state, size_t ruleIndex) override {
    auto *entered = static_cast<DepthContext *>(context);
    auto *parent = static_cast<DepthContext *>(context->parent);
    entered->ruleDepth = parent ? parent->ruleDepth + 1 : 0;
    if (entered->ruleDepth > maxRuleDepth) throw NestingTooDeep{getCurrentToken()->getTokenIndex()};
    Parser::enterRule(context, state, ruleIndex);
  }
};

} // namespace jx
