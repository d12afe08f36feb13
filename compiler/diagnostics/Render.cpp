// How a diagnostic looks: header, place, excerpt with marked spans, notes, call chain, hint; the layout of
// rustc. Spans of one line share one row of markers; the rightmost label stands beside it, the others hang
// below.
#include "compiler/diagnostics/Diagnostic.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <tuple>
#include <unistd.h>

namespace jx {
namespace {

constexpr size_t tabWidth = 4;
/// Columns of a source line that an excerpt shows, and how many of them stand before the first mark.
constexpr size_t maxExcerpt = 140, leadIn = 40;

/// One marked stretch of a line, in display columns from zero.
struct Mark {
  size_t begin;
  size_t end;
  bool primary;
  std::string label;
};

class Renderer {
public:
  Renderer(const SourceManager &sources, const RenderOptions &options) : sources(sources), options(options) {}

  std::string run(const Diagnostic &diagnostic) {
    header(diagnostic);
    if (diagnostic.primary.range.isValid()) excerpts(diagnostic);
    for (const std::string &note : diagnostic.notes) trailer("note", note);
    if (!diagnostic.hint.empty()) trailer("hint", diagnostic.hint);
    callChain(diagnostic.calls);
    return std::move(out);
  }

  /// A line without marks under its place.
  std::string line(FileId file, uint32_t number) {
    gutter = std::to_string(number).size();
    std::vector<Mark> marks;
    std::string text = window(expandTabs(sources.lineText(file, number)), marks);
    arrow("-->", std::string(sources.displayName(file)) + ":" + std::to_string(number));
    margin("", "");
    margin(std::to_string(number), text);
    margin("", "");
    return std::move(out);
  }

private:
  using Marks = std::map<uint32_t, std::vector<Mark>>; // by line

  std::string paint(const char *code, const std::string &text) const {
    return options.color ? std::string("\x1b[") + code + "m" + text + "\x1b[0m" : text;
  }

  void header(const Diagnostic &diagnostic) {
    bool isError = diagnostic.severity == Severity::Error;
    out += paint(isError ? "1;31" : "1;33",
                 std::string(isError ? "error" : "warning") + "[" + kindInfo(diagnostic.kind).code + "]");
    out += paint("1", ": " + diagnostic.message) + "\n";
  }

  void addMark(std::map<FileId, Marks> &files, const Label &label, bool primary) {
    if (!label.range.isValid()) return;
    LineColumn start = sources.begin(label.range);
    std::string_view line = sources.lineText(label.range.file, start.line);
    size_t offset = label.range.begin - sources.lineStart(label.range.file, start.line);
    size_t length = label.range.end > label.range.begin ? label.range.end - label.range.begin : 0;
    size_t begin = displayWidth(line.substr(0, std::min(offset, line.size())));
    size_t stop = displayWidth(line.substr(0, std::min(offset + length, line.size())));
    files[label.range.file][start.line].push_back({begin, std::max(stop, begin + 1), primary, label.text});
  }

  void excerpts(const Diagnostic &diagnostic) {
    std::map<FileId, Marks> files;
    addMark(files, diagnostic.primary, true);
    for (const Label &label : diagnostic.secondary) addMark(files, label, false);
    uint32_t last = 0;
    for (const auto &[file, marks] : files) last = std::max(last, marks.rbegin()->first);
    gutter = std::to_string(last).size();

    FileId main = diagnostic.primary.range.file;
    excerpt(main, files[main], "-->", sources.begin(diagnostic.primary.range));
    files.erase(main);
    for (const auto &[file, marks] : files)
      excerpt(file, marks,
              ":::", {marks.begin()->first, static_cast<uint32_t>(marks.begin()->second.front().begin + 1)});
  }

  void arrow(const char *kind, const std::string &place) {
    out += std::string(gutter, ' ') + paint("1;34", kind) + " " + place + "\n";
  }

  void excerpt(FileId file, const Marks &marks, const char *kind, LineColumn at) {
    arrow(kind, std::string(sources.displayName(file)) + ":" + std::to_string(at.line) + ":" +
                    std::to_string(at.column));
    margin("", "");
    uint32_t previous = 0;
    for (const auto &[line, lineMarks] : marks) {
      if (previous && line > previous + 1) out += paint("1;34", "...") + "\n";
      std::vector<Mark> shown = lineMarks;
      margin(std::to_string(line), window(expandTabs(sources.lineText(file, line)), shown));
      markers(std::move(shown));
      previous = line;
    }
  }

  /// Cuts a line that is too long to show down to the part around the first mark, and moves the marks with
  /// it.
  static std::string window(const std::string &text, std::vector<Mark> &marks) {
    size_t width = displayWidth(text);
    if (width <= maxExcerpt) return text;
    size_t first = width;
    for (const Mark &mark : marks) first = std::min(first, mark.begin);
    size_t from = first > leadIn ? first - leadIn : 0, to = std::min(from + maxExcerpt, width);
    std::string lead = from > 0 ? "..." : "", shown = lead;
    size_t column = 0;
    for (char c : text) {
      if ((c & 0xC0) != 0x80) ++column;
      if (column > from && column <= to) shown += c;
    }
    if (to < width) shown += "...";
    for (Mark &mark : marks) {
      mark.begin = std::min(mark.begin, to) - from + lead.size();
      mark.end = std::max(std::min(mark.end, to) - from + lead.size(), mark.begin + 1);
    }
    return shown;
  }

  /// One row: line number or blank, bar, text.
  void margin(const std::string &number, const std::string &text) {
    out += paint("1;34", std::string(gutter - number.size(), ' ') + number + " |");
    out += text.empty() ? "\n" : " " + text + "\n";
  }

  void markers(std::vector<Mark> marks) {
    std::sort(marks.begin(), marks.end(), [](const Mark &a, const Mark &b) {
      return std::tie(a.begin, a.end, a.label) < std::tie(b.begin, b.end, b.label);
    });
    std::string row;
    for (bool primary : {false, true}) // the primary span wins where two overlap
      for (const Mark &mark : marks) {
        if (mark.primary != primary) continue;
        if (row.size() < mark.end) row.resize(mark.end, ' ');
        std::fill(row.begin() + mark.begin, row.begin() + mark.end, primary ? '^' : '-');
      }
    size_t beside = marks.size() - 1;
    bool fits = marks[beside].end >= row.size();
    std::string text = row;
    if (fits && !marks[beside].label.empty()) text += " " + marks[beside].label;
    margin("", paint(marks[beside].primary ? "1;31" : "1;34", text));
    // Labels that did not fit hang below their first column, rightmost first.
    for (size_t i = marks.size(); i-- > 0;) {
      if (marks[i].label.empty() || (i == beside && fits)) continue;
      std::string hanging;
      for (size_t j = 0; j < i; ++j)
        if (!marks[j].label.empty() && marks[j].begin >= hanging.size() && marks[j].begin < marks[i].begin)
          hanging += std::string(marks[j].begin - hanging.size(), ' ') + "|";
      if (marks[i].begin > hanging.size()) hanging += std::string(marks[i].begin - hanging.size(), ' ');
      margin("", paint(marks[i].primary ? "1;31" : "1;34", hanging + marks[i].label));
    }
  }

  /// `= note: text`, continuation lines aligned.
  void trailer(const std::string &kind, const std::string &text) {
    std::string lead = std::string(gutter, ' ') + " = " + kind + ": ";
    out += std::string(gutter, ' ') + " " + paint("1;34", "=") + " " + paint("1", kind) + ": ";
    for (char c : text) {
      out += c;
      if (c == '\n') out += std::string(lead.size(), ' ');
    }
    out += "\n";
  }

  void callChain(const std::vector<CallFrame> &calls) {
    size_t shown = calls.size() <= options.maxFrames ? calls.size() : options.maxFrames;
    for (size_t i = 0; i < calls.size(); ++i) {
      // A long chain (a recursion) keeps its innermost and its outermost frames.
      if (shown < calls.size() && i == shown / 2) {
        size_t hidden = calls.size() - shown;
        out += std::string(gutter, ' ') + " = " + std::to_string(hidden) + " more calls\n";
        i += hidden;
      }
      out += std::string(gutter, ' ') + " = called from " + sources.place(calls[i].site);
      if (!calls[i].what.empty()) out += ": " + calls[i].what;
      out += "\n";
    }
  }

  static size_t displayWidth(std::string_view text) {
    size_t width = 0;
    for (char c : text)
      if (c == '\t')
        width += tabWidth - width % tabWidth;
      else if ((c & 0xC0) != 0x80)
        ++width;
    return width;
  }

  /// Tabs become blanks and control characters dots, so that an excerpt cannot move the cursor.
  static std::string expandTabs(std::string_view text) {
    std::string result;
    size_t width = 0;
    for (char c : text) {
      if (c == '\t') {
        size_t blanks = tabWidth - width % tabWidth;
        result.append(blanks, ' ');
        width += blanks;
        continue;
      }
      unsigned char byte = static_cast<unsigned char>(c);
      result += byte < 0x20 || byte == 0x7F ? '.' : c;
      if ((c & 0xC0) != 0x80) ++width;
    }
    return result;
  }

  const SourceManager &sources;
  const RenderOptions &options;
  std::string out;
  size_t gutter = 1;
};

} // namespace

std::string render(const Diagnostic &diagnostic, const SourceManager &sources, const RenderOptions &options) {
  return Renderer(sources, options).run(diagnostic);
}

std::string renderPlace(std::string_view place, const SourceManager &sources, const RenderOptions &options) {
  size_t colon = place.rfind(':');
  uint32_t line = 0;
  if (colon != place.npos) std::from_chars(place.data() + colon + 1, place.data() + place.size(), line);
  FileId file = sources.find(place.substr(0, colon));
  if (file && line > 0 && line <= sources.lineCount(file)) return Renderer(sources, options).line(file, line);
  return place.empty() ? "" : " --> " + std::string(place) + "\n";
}

std::string render(const std::vector<Diagnostic> &diagnostics, const SourceManager &sources,
                   const RenderOptions &options) {
  std::string result;
  for (const Diagnostic &diagnostic : diagnostics) {
    if (!result.empty()) result += "\n";
    result += render(diagnostic, sources, options);
  }
  return result;
}

bool stderrWantsColor() {
  const char *noColor = std::getenv("NO_COLOR");
  return (!noColor || !*noColor) && isatty(2);
}

} // namespace jx
