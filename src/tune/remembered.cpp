#include "tune/remembered.hpp"

#include <weft/error.hpp>

#include "engines/engine.hpp"

namespace weft {

Remembered& Remembered::the_one() {
  static Remembered memory;
  return memory;
}

const Remembered::Copy& Remembered::file(const std::string& name) {
  std::error_code none;
  const auto time = std::filesystem::last_write_time(name, none);
  Copy& copy = files[name];
  if (none) return copy = {};
  const auto bytes = std::filesystem::file_size(name, none);  // none of folders and pipes: reading says what they are
  if (copy.time == time && copy.bytes == bytes) return copy;
  copy = {time, bytes, {}, {}};
  try {
    copy.wisdom = Wisdom::read(name, &copy.notes);
  } catch (const Error& e) {
    copy.notes.emplace_back(e.what());
  }
  return copy;
}

std::string export_wisdom() {
  Remembered& memory = Remembered::the_one();
  const std::lock_guard lock(memory.mutex);
  return memory.own.text();
}

void import_wisdom(const std::string& text) {
  const Wisdom wisdom = Wisdom::parse(text);
  Remembered& memory = Remembered::the_one();
  const std::lock_guard lock(memory.mutex);
  memory.own.merge(wisdom);
}

void forget_wisdom() {
  Remembered& memory = Remembered::the_one();
  const std::lock_guard lock(memory.mutex);
  memory.own = {};
  for (const Engine* e : engines()) e->let_go();
}

}  // namespace weft
