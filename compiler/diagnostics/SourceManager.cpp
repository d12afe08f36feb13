// Texts of files and the arithmetic from byte offsets to lines and columns.
#include "compiler/diagnostics/SourceManager.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sys/stat.h>

namespace jx {

SourceRange SourceRange::cover(SourceRange a, SourceRange b) {
  if (!a.isValid()) return b;
  if (!b.isValid() || a.file != b.file) return a;
  return {a.file, std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

FileId SourceManager::addFile(std::string displayName, std::string text) {
  Entry &added = entries.emplace_back();
  added.name = std::move(displayName);
  added.storage = std::move(text);
  added.view = added.storage;
  return static_cast<FileId>(entries.size());
}

FileId SourceManager::addStaticFile(std::string displayName, std::string_view text, bool isLibrary) {
  Entry &added = entries.emplace_back();
  added.name = std::move(displayName);
  added.view = text;
  added.library = isLibrary;
  return static_cast<FileId>(entries.size());
}

/// Source files beyond this are refused before they are read: offsets are 32 bits, and no program is that
/// long.
static constexpr long long maxFileBytes = 64ll << 20;

std::optional<FileId> SourceManager::loadFile(const std::string &path, std::string &error) {
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  struct stat info{};
  if (!file || fstat(fileno(file.get()), &info) != 0) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  if (S_ISDIR(info.st_mode)) {
    error = "is a directory";
    return std::nullopt;
  }
  std::string text;
  char buffer[1 << 16];
  while (size_t count = std::fread(buffer, 1, sizeof buffer, file.get())) {
    text.append(buffer, count);
    if (static_cast<long long>(text.size()) > maxFileBytes) {
      error = "is larger than 64 MiB";
      return std::nullopt;
    }
  }
  if (std::ferror(file.get())) {
    error = std::strerror(errno);
    return std::nullopt;
  }
  return addFile(path, std::move(text));
}

FileId SourceManager::find(std::string_view displayName) const {
  for (FileId file = 1; file <= entries.size(); ++file)
    if (entry(file).name == displayName) return file;
  return 0;
}

std::string_view SourceManager::text(SourceRange range) const {
  if (!range.isValid()) return {};
  std::string_view whole = text(range.file);
  size_t begin = std::min<size_t>(range.begin, whole.size());
  size_t end = std::clamp<size_t>(range.end, begin, whole.size());
  return whole.substr(begin, end - begin);
}

const std::vector<uint32_t> &SourceManager::lineStarts(FileId file) const {
  const Entry &source = entry(file);
  if (source.lineStarts.empty()) {
    source.lineStarts.push_back(0);
    for (size_t i = 0; i < source.view.size(); ++i) {
      char c = source.view[i];
      if (c == '\r' && i + 1 < source.view.size() && source.view[i + 1] == '\n') continue;
      if (c == '\n' || c == '\r') source.lineStarts.push_back(static_cast<uint32_t>(i + 1));
    }
  }
  return source.lineStarts;
}

LineColumn SourceManager::position(FileId file, uint32_t offset) const {
  if (file == 0) return {};
  const std::vector<uint32_t> &starts = lineStarts(file);
  auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  LineColumn result;
  result.line = static_cast<uint32_t>(next - starts.begin());
  result.column = 1;
  std::string_view whole = entry(file).view;
  for (size_t i = *(next - 1); i < std::min<size_t>(offset, whole.size()); ++i)
    if ((whole[i] & 0xC0) != 0x80) ++result.column;
  return result;
}

uint32_t SourceManager::lineCount(FileId file) const {
  return static_cast<uint32_t>(lineStarts(file).size());
}

uint32_t SourceManager::lineStart(FileId file, uint32_t line) const { return lineStarts(file).at(line - 1); }

std::string_view SourceManager::lineText(FileId file, uint32_t line) const {
  const std::vector<uint32_t> &starts = lineStarts(file);
  if (line == 0 || line > starts.size()) return {};
  std::string_view whole = entry(file).view;
  size_t end = line < starts.size() ? starts[line] : whole.size();
  std::string_view text = whole.substr(starts[line - 1], end - starts[line - 1]);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

std::string SourceManager::place(SourceRange range) const {
  if (!range.isValid()) return "<unknown>";
  return std::string(displayName(range.file)) + ":" + std::to_string(line(range));
}

} // namespace jx
