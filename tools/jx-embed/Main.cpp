// jx-embed OUT ROOT FILE...: parses .jx files (paths relative to ROOT) and packs trees and texts into one
// file, which stdlib/Library.S takes into the compiler. Form, in 32-bit words of the machine: the number of
// modules, then for each, sorted by name: length of name, of source, of tree, is-package, followed by these
// three texts. A file that does not parse stops the build with its diagnostics.
#include "compiler/syntax/Blob.h"
#include "compiler/syntax/Parse.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

namespace {

struct Packed {
  std::string name, source, blob;
  bool isPackage;
};

/// `jax/numpy.jx` is `jax.numpy`, `jax/numpy/__init__.jx` as well.
Packed named(std::string path) {
  Packed result;
  path.resize(path.size() - 3);
  constexpr std::string_view package = "/__init__";
  result.isPackage = path.ends_with(package);
  if (result.isPackage) path.resize(path.size() - package.size());
  std::replace(path.begin(), path.end(), '/', '.');
  result.name = path;
  return result;
}

void putWord(std::string &out, size_t value) {
  auto word = static_cast<uint32_t>(value);
  out.append(reinterpret_cast<const char *>(&word), sizeof word);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: jx-embed OUT ROOT FILE...\n");
    return 2;
  }
  std::vector<Packed> modules;
  bool failed = false;
  for (int i = 3; i < argc; ++i) {
    jx::SourceManager sources;
    jx::AstContext context;
    jx::DiagnosticSink sink;
    std::string error, path = std::string(argv[2]) + "/" + argv[i];
    auto file = sources.loadFile(path, error);
    if (!file) {
      std::fprintf(stderr, "%s: %s\n", path.c_str(), error.c_str());
      return 1;
    }
    Packed module = named(argv[i]);
    jx::ParseResult parsed = jx::parse(sources, *file, context, sink, module.name);
    std::fputs(jx::render(sink.diagnostics(), sources).c_str(), stderr);
    if (!parsed) {
      failed = true;
      continue;
    }
    module.source = sources.text(*file);
    module.blob = jx::encodeModule(*parsed.module);
    modules.push_back(std::move(module));
  }
  if (failed) return 1;
  std::sort(modules.begin(), modules.end(), [](const Packed &a, const Packed &b) { return a.name < b.name; });
  for (size_t i = 1; i < modules.size(); ++i)
    if (modules[i].name == modules[i - 1].name) {
      std::fprintf(stderr, "jx-embed: two files for module %s\n", modules[i].name.c_str());
      return 1;
    }
  std::string out;
  putWord(out, modules.size());
  for (const Packed &module : modules) {
    for (size_t value :
         {module.name.size(), module.source.size(), module.blob.size(), size_t{module.isPackage}})
      putWord(out, value);
    out += module.name + module.source + module.blob;
  }
  std::ofstream stream(argv[1], std::ios::binary);
  stream << out;
  stream.close();
  if (!stream) {
    std::fprintf(stderr, "jx-embed: cannot write %s\n", argv[1]);
    return 1;
  }
  return 0;
}
