// Makes wrong programs out of right ones: takes some lines of a program and removes, repeats, swaps, replaces
// or inserts pieces. Everything follows from one seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace jx::fuzz {

class Mutator {
public:
  Mutator(const std::vector<std::string> &programs, uint64_t seed) : programs(programs), random(seed) {}
  /// `whole` keeps the program's length, so that a mutation often survives parsing and reaches later phases.
  std::string next(bool whole);

private:
  size_t below(size_t limit) { return static_cast<size_t>(random() % limit); }
  std::string excerpt(const std::string &program);
  void mutate(std::vector<std::string> &pieces);

  const std::vector<std::string> &programs;
  std::mt19937_64 random;
};

} // namespace jx::fuzz
