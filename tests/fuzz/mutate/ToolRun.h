// Runs the jx tool on one program in a process of its own, under limits of time and memory.
#pragma once

#include <string>

namespace jx::fuzz {

/// What went wrong, or empty: a signal, a hang, an internal error, a failure without a coded message.
std::string toolFailure(const std::string &jx, const std::string &program, const std::string &scratch);

} // namespace jx::fuzz
