// Source texts and positions in them. Every syntax node and diagnostic carries a SourceRange (file and byte
// offsets); lines and columns are computed only when something is printed. Stands apart from the syntax tree
// because the elaborator, the lowering (debug information) and the runtime's error slots need positions too.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jx {

/// Index of a file in the SourceManager; 0 is "no file".
using FileId = uint32_t;

/// A half-open range of byte offsets in one file. A default range points nowhere.
struct SourceRange {
  FileId file = 0;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool isValid() const { return file != 0; }
  /// The smallest range that covers both; an invalid side is ignored.
  static SourceRange cover(SourceRange a, SourceRange b);
  bool operator==(const SourceRange &) const = default;
};

/// A one-based line and a one-based column, counted in code points.
struct LineColumn {
  uint32_t line = 0;
  uint32_t column = 0;
};

/// Owns or refers to the texts of all files of a compilation. File texts never move.
class SourceManager {
public:
  /// Adds a text under the name that diagnostics print (a path, `<stdin>`, `<jax.numpy>`).
  FileId addFile(std::string displayName, std::string text);
  /// Adds a text that outlives the manager (embedded standard library); `isLibrary` marks frames that
  /// diagnostics may fold away.
  FileId addStaticFile(std::string displayName, std::string_view text, bool isLibrary);
  /// Reads a file from disk. On failure returns nothing and sets `error` to the reason.
  std::optional<FileId> loadFile(const std::string &path, std::string &error);

  /// The file of this display name, or 0.
  FileId find(std::string_view displayName) const;
  std::string_view displayName(FileId file) const { return entry(file).name; }
  std::string_view text(FileId file) const { return entry(file).view; }
  bool isLibrary(FileId file) const { return entry(file).library; }
  std::string_view text(SourceRange range) const;

  LineColumn position(FileId file, uint32_t offset) const;
  LineColumn begin(SourceRange range) const { return position(range.file, range.begin); }
  uint32_t line(SourceRange range) const { return begin(range).line; }
  /// Text of a one-based line without its line end.
  std::string_view lineText(FileId file, uint32_t line) const;
  uint32_t lineCount(FileId file) const;
  /// Byte offset of the first character of a one-based line.
  uint32_t lineStart(FileId file, uint32_t line) const;
  /// `file.jx:12`, as call chains and messages print a place.
  std::string place(SourceRange range) const;

private:
  struct Entry {
    std::string name;
    std::string storage;
    std::string_view view;
    bool library = false;
    mutable std::vector<uint32_t> lineStarts;
  };
  const Entry &entry(FileId file) const { return entries.at(file - 1); }
  const std::vector<uint32_t> &lineStarts(FileId file) const;

  std::deque<Entry> entries;
};

} // namespace jx
