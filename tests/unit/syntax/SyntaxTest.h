// A parse of a text, with what it needs to stay alive.
#pragma once

#include "compiler/syntax/Parse.h"

#include <string>

namespace jx::test {

struct Parsed {
  explicit Parsed(std::string text) {
    file = sources.addFile("test.jx", std::move(text));
    result = parse(sources, file, context, sink);
  }
  /// The first error as a user sees it; empty when there is none.
  std::string error() const {
    return sink.diagnostics().empty() ? "" : render(sink.diagnostics().front(), sources);
  }
  std::string dumped() const { return result ? dump(*result.module) : error(); }

  SourceManager sources;
  AstContext context;
  DiagnosticSink sink;
  FileId file;
  ParseResult result;
};

} // namespace jx::test
