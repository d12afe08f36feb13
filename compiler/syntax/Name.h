// Interned identifiers. Two names are equal exactly when they point to the same entry of the one NameTable of
// a compilation, so scopes and attribute tables compare and hash pointers.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace jx {

/// An interned identifier; a default name is "no name".
class Name {
public:
  Name() = default;
  std::string_view str() const { return entry ? std::string_view(*entry) : std::string_view(); }
  explicit operator bool() const { return entry != nullptr; }
  bool operator==(const Name &) const = default;
  /// Opaque identity for hash tables. Its order differs from run to run: never iterate in it.
  const void *opaque() const { return entry; }

private:
  friend class NameTable;
  explicit Name(const std::string *entry) : entry(entry) {}
  const std::string *entry = nullptr;
};

/// Owns the text of all names. Entries never move.
class NameTable {
public:
  Name intern(std::string_view text) {
    auto found = entries.find(text);
    return Name(found != entries.end() ? &*found : &*entries.emplace(text).first);
  }

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::unordered_set<std::string, Hash, std::equal_to<>> entries;
};

} // namespace jx

template <> struct std::hash<jx::Name> {
  size_t operator()(jx::Name name) const { return std::hash<const void *>{}(name.opaque()); }
};
