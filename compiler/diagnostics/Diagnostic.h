// A diagnostic as data: its kind (a row of Kinds.def), message, spans with labels, notes, call chain and
// hint. Whoever finds an error fills one in and reports it to a DiagnosticSink; how it looks is decided in
// Render.cpp.
#pragma once

#include "compiler/diagnostics/SourceManager.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jx {

enum class Severity : uint8_t { Error, Warning };

/// One enumerator for each row of Kinds.def.
enum class DiagKind : uint16_t {
#define JX_DIAGNOSTIC(NAME, CODE, PYCLASS, TITLE) NAME = CODE,
#include "compiler/diagnostics/Kinds.def"
};

/// The registry's row of a kind.
struct KindInfo {
  DiagKind kind;
  const char *name;        ///< The enumerator's name.
  std::string code;        ///< `JX0103`.
  const char *pythonClass; ///< The class that `except` catches: `TypeError`, `ValueError`, ...
  const char *title;       ///< One line, lower case, no full stop.
};

/// All kinds in order of their codes.
const std::vector<KindInfo> &allKinds();
const KindInfo &kindInfo(DiagKind kind);
/// The kind of a code such as `JX0103` (case ignored), or null.
const KindInfo *findKind(std::string_view code);
/// The long explanation of a kind (Markdown), embedded at build; empty when there is none.
std::string_view explanation(DiagKind kind);

struct Label {
  SourceRange range;
  std::string text;
};

/// One step of the call chain, innermost first.
struct CallFrame {
  SourceRange site;
  std::string what; ///< What was called there, e.g. "`loss`" or "the target of `grad`"; may be empty.
};

/// Messages are lower case without a full stop, with code in backticks.
struct Diagnostic {
  DiagKind kind{};
  Severity severity = Severity::Error;
  std::string message;
  Label primary;
  std::vector<Label> secondary;
  std::vector<std::string> notes;
  std::vector<CallFrame> calls;
  std::string hint;

  Diagnostic() = default;
  Diagnostic(DiagKind kind, SourceRange range, std::string message, std::string label = {})
      : kind(kind), message(std::move(message)), primary{range, std::move(label)} {}

  Diagnostic &span(SourceRange range, std::string label) {
    secondary.push_back({range, std::move(label)});
    return *this;
  }
  Diagnostic &note(std::string text) {
    notes.push_back(std::move(text));
    return *this;
  }
  Diagnostic &called(SourceRange site, std::string what = {}) {
    calls.push_back({site, std::move(what)});
    return *this;
  }
  Diagnostic &withHint(std::string text) {
    hint = std::move(text);
    return *this;
  }
  Diagnostic &asWarning() {
    severity = Severity::Warning;
    return *this;
  }
};

/// Collects diagnostics. Speculative work brackets itself with `begin` and `commit` or `rollback`; brackets
/// nest.
class DiagnosticSink {
public:
  /// A position in the list of diagnostics, returned by `begin`.
  using Checkpoint = size_t;

  void report(Diagnostic diagnostic);

  Checkpoint begin();
  /// Keeps what was reported since the checkpoint.
  void commit(Checkpoint checkpoint);
  /// Forgets what was reported since the checkpoint and returns it, so that a reason can be quoted.
  std::vector<Diagnostic> rollback(Checkpoint checkpoint);
  bool isSpeculating() const { return depth != 0; }

  const std::vector<Diagnostic> &diagnostics() const { return reported; }
  size_t errorCount() const { return errors; }
  bool hasErrors() const { return errors != 0; }
  /// Takes what was reported so far and leaves the sink empty.
  std::vector<Diagnostic> take();

private:
  std::vector<Diagnostic> reported;
  size_t errors = 0;
  unsigned depth = 0;
};

struct RenderOptions {
  bool color = false;
  /// Call frames beyond this number are folded into one line.
  unsigned maxFrames = 8;
};

/// The diagnostic as text, ending in a newline.
std::string render(const Diagnostic &diagnostic, const SourceManager &sources,
                   const RenderOptions &options = {});
/// All of them, one empty line between two.
std::string render(const std::vector<Diagnostic> &diagnostics, const SourceManager &sources,
                   const RenderOptions &options = {});
/// The place `file.jx:12` of an error of the running program with the line's text, or alone where no such
/// line is known.
std::string renderPlace(std::string_view place, const SourceManager &sources,
                        const RenderOptions &options = {});
/// Whether standard error is a terminal that wants colour (`NO_COLOR` is honoured).
bool stderrWantsColor();

} // namespace jx
