// Files, and standard output. Failures are a std::runtime_error with the system's reason.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace weft::cli {

[[nodiscard]] std::string read_whole_file(const std::string& path);
/// Writes the file, or standard output if the path is "-".
void write_whole_file(const std::string& path, const std::string& text);
/// The same for a value as indented JSON.
void write_json(const std::string& path, const nlohmann::ordered_json& value);
/// Fails if the file cannot be written, before the work that would be lost. Leaves the file as it
/// is, or absent.
void require_writable(const std::string& path);
/// Prints, and flushes: the next output may be minutes away.
void print_now(const std::string& text);
/// Flushes standard output; fails if any of it was lost.
void end_output();

} // namespace weft::cli
