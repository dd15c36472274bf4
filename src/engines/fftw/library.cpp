#include "library.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <sstream>
#include <utility>
#include <vector>

namespace weft::fftw {
namespace {

template <class Real>
std::string wisdom_text() {
  // what fails must not leave through FFTW, which is written in C
  struct Text {
    std::string all;
    std::exception_ptr failure;
  } text;
  const auto add = [](char c, void* to) {
    Text& so_far = *static_cast<Text*>(to);
    try {
      so_far.all.push_back(c);
    } catch (const std::bad_alloc&) {
      so_far.failure = std::current_exception();
    }
  };
  Library<Real>::export_wisdom(add, &text);
  if (text.failure) std::rethrow_exception(text.failure);
  return std::move(text.all);
}

}  // namespace

std::recursive_mutex& planner() {
  static std::recursive_mutex mutex;
  return mutex;
}

template <class Real>
Planner<Real>::~Planner() {
  if (!borrowed_) return;
  Library<Real>::forget_wisdom();
  // the first parenthesis opens the text, others open entries
  if (others_.find('(', 1) != std::string::npos) Library<Real>::import_wisdom(others_.c_str());
}

template <class Real>
bool Planner<Real>::know(const std::string& wisdom) {
  if (!std::exchange(borrowed_, true)) others_ = wisdom_text<Real>();
  Library<Real>::forget_wisdom();
  return wisdom.empty() || Library<Real>::import_wisdom(wisdom.c_str());
}

template <class Real>
std::string Planner<Real>::known() {
  std::istringstream lines(wisdom_text<Real>());
  std::vector<std::string> entries;
  std::string first, all;
  std::getline(lines, first);
  for (std::string line; std::getline(lines, line);) entries.push_back(line + "\n");
  // they are indented, what closes the text is not: it comes last
  std::sort(entries.begin(), entries.end());
  for (const std::string& entry : entries) all += entry;
  return first + "\n" + all;
}

template class Planner<float>;
template class Planner<double>;

}  // namespace weft::fftw
