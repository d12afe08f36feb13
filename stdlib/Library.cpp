// Finds modules in the bytes that jx-embed packed (tools/jx-embed/Main.cpp describes the form).
#include "compiler/syntax/Blob.h"
#include "compiler/syntax/Stdlib.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

extern "C" const char jxStdlibBegin[];
extern "C" const char jxStdlibEnd[];

namespace jx {

static const std::vector<StdlibEntry> &library() {
  static const std::vector<StdlibEntry> entries = [] {
    std::string_view bytes(jxStdlibBegin, static_cast<size_t>(jxStdlibEnd - jxStdlibBegin));
    size_t pos = 0;
    auto word = [&] {
      uint32_t value;
      std::memcpy(&value, bytes.data() + pos, sizeof value);
      pos += sizeof value;
      return value;
    };
    auto text = [&](size_t length) {
      std::string_view result = bytes.substr(pos, length);
      pos += length;
      return result;
    };
    std::vector<StdlibEntry> list(word());
    for (StdlibEntry &entry : list) {
      uint32_t name = word(), source = word(), blob = word();
      entry.isPackage = word() != 0;
      entry.name = text(name);
      entry.source = text(source);
      entry.blob = text(blob);
    }
    return list;
  }();
  return entries;
}

const StdlibEntry *findStdlibModule(std::string_view name) {
  const std::vector<StdlibEntry> &entries = library();
  auto found =
      std::lower_bound(entries.begin(), entries.end(), name,
                       [](const StdlibEntry &entry, std::string_view wanted) { return entry.name < wanted; });
  return found != entries.end() && found->name == name ? &*found : nullptr;
}

std::vector<std::string_view> stdlibModuleNames() {
  std::vector<std::string_view> names;
  for (const StdlibEntry &entry : library()) names.push_back(entry.name);
  return names;
}

const ast::Module *loadStdlibModule(const StdlibEntry &entry, SourceManager &sources, AstContext &context) {
  FileId file = sources.addStaticFile("<" + std::string(entry.name) + ">", entry.source, true);
  return decodeModule(entry.blob, file, entry.name, context);
}

} // namespace jx
