// The registry of kinds, and the sink with its speculation brackets.
#include "compiler/diagnostics/Diagnostic.h"

#include <algorithm>
#include <cassert>
#include <cstdio>
#include <iterator>

namespace jx {

static std::string codeText(unsigned number) {
  char buffer[16];
  std::snprintf(buffer, sizeof buffer, "JX%04u", number);
  return buffer;
}

const std::vector<KindInfo> &allKinds() {
  static const std::vector<KindInfo> kinds = [] {
    std::vector<KindInfo> rows = {
#define JX_DIAGNOSTIC(NAME, CODE, PYCLASS, TITLE) {DiagKind::NAME, #NAME, codeText(CODE), PYCLASS, TITLE},
#include "compiler/diagnostics/Kinds.def"
    };
    std::sort(rows.begin(), rows.end(), [](const KindInfo &a, const KindInfo &b) { return a.kind < b.kind; });
    return rows;
  }();
  return kinds;
}

const KindInfo &kindInfo(DiagKind kind) {
  const std::vector<KindInfo> &kinds = allKinds();
  auto found = std::lower_bound(kinds.begin(), kinds.end(), kind,
                                [](const KindInfo &row, DiagKind wanted) { return row.kind < wanted; });
  assert(found != kinds.end() && found->kind == kind && "every enumerator has a row");
  return *found;
}

const KindInfo *findKind(std::string_view code) {
  std::string upper(code);
  for (char &c : upper)
    if (c >= 'a' && c <= 'z') c -= 'a' - 'A';
  for (const KindInfo &row : allKinds())
    if (row.code == upper) return &row;
  return nullptr;
}

void DiagnosticSink::report(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::Error) ++errors;
  reported.push_back(std::move(diagnostic));
}

DiagnosticSink::Checkpoint DiagnosticSink::begin() {
  ++depth;
  return reported.size();
}

void DiagnosticSink::commit(Checkpoint checkpoint) {
  assert(depth != 0 && checkpoint <= reported.size() && "commit without begin");
  --depth;
}

std::vector<Diagnostic> DiagnosticSink::rollback(Checkpoint checkpoint) {
  assert(depth != 0 && checkpoint <= reported.size() && "rollback without begin");
  --depth;
  std::vector<Diagnostic> dropped(std::make_move_iterator(reported.begin() + checkpoint),
                                  std::make_move_iterator(reported.end()));
  reported.resize(checkpoint);
  for (const Diagnostic &diagnostic : dropped)
    if (diagnostic.severity == Severity::Error) --errors;
  return dropped;
}

std::vector<Diagnostic> DiagnosticSink::take() {
  std::vector<Diagnostic> result = std::move(reported);
  reported.clear();
  errors = 0;
  return result;
}

} // namespace jx
