// The parser's first error, in the user's terms. Internal to compiler/syntax.
#pragma once

#include "compiler/diagnostics/Diagnostic.h"
#include "compiler/syntax/Token.h"

#include <antlr4-runtime.h>

namespace jx {

/// What the parser knew when it stopped. Not an ANTLR exception: no rule may catch it.
struct SyntaxStop {
  size_t token; ///< Index of the token that does not fit; the list's size at the end of the file.
  std::vector<size_t> rules;        ///< Open rules, innermost first.
  std::vector<size_t> ruleStarts;   ///< The first token of each.
  antlr4::misc::IntervalSet wanted; ///< Token types that would have fitted.
};

/// Stops at the first error; never repairs.
class FirstErrorStrategy : public antlr4::DefaultErrorStrategy {
public:
  void recover(antlr4::Parser *parser, std::exception_ptr error) override;
  antlr4::Token *recoverInline(antlr4::Parser *parser) override;
  void sync(antlr4::Parser *) override {}
  void reportError(antlr4::Parser *, const antlr4::RecognitionException &) override {}
};

Diagnostic describeSyntaxError(const SyntaxStop &stop, const TokenList &tokens, const SourceManager &sources,
                               FileId file);

} // namespace jx
