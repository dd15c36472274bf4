// Programs as bytes.
#include <cstdint>

#include "check/order.hpp"

namespace weft::check {
namespace {

template <class F>
void fields(Memory& x, F&& f) {
  f(x.rank), f(x.number);
}
template <class A, class B, class F>
void fields(std::pair<A, B>& x, F&& f) {
  f(x.first), f(x.second);
}
template <class F>
void fields(Region& x, F&& f) {
  f(x.memory), f(x.first), f(x.run), f(x.loops);
}
template <class F>
void fields(Access& x, F&& f) {
  f(x.region), f(x.writes), f(x.part);
}
template <class F>
void fields(Event& x, F&& f) {
  f(x.kind), f(x.of), f(x.tile), f(x.lane), f(x.needs), f(x.accesses);
}
template <class F>
void fields(Wait& x, F&& f) {
  f(x.verb), f(x.tile), f(x.rank), f(x.of), f(x.of_tile), f(x.rounds), f(x.begun);
}
template <class F>
void fields(Touch& x, F&& f) {
  f(x.tile), f(x.from), f(x.to), f(x.access), f(x.until_begun);
}
template <class F>
void fields(Exchange& x, F&& f) {
  f(x.key), f(x.members), f(x.waits), f(x.touches);
}
template <class F>
void fields(Execution& x, F&& f) {
  f(x.name), f(x.events), f(x.exchanges);
}
template <class F>
void fields(Program& x, F&& f) {
  f(x.kinds), f(x.arrays), f(x.lent), f(x.joint), f(x.names);
}

// Most numbers are small: seven bits a byte, the sign in the lowest bit.
struct Pack {
  std::string& to;
  void number(Index x) {
    std::uint64_t rest = static_cast<std::uint64_t>(x) << 1 ^ static_cast<std::uint64_t>(x >> 63);
    for (; rest > 127; rest >>= 7) to.push_back(static_cast<char>(rest | 128));
    to.push_back(static_cast<char>(rest));
  }
  template <class T>
  void operator()(T& x) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      number(static_cast<Index>(x));
    else if constexpr (requires { x.resize(1); }) {
      number(static_cast<Index>(x.size()));
      for (auto& item : x) (*this)(item);
    } else
      fields(x, *this);
  }
};
struct Unpack {
  const char* from;
  Index number() {
    std::uint64_t all = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(*from++);
      all |= static_cast<std::uint64_t>(byte & 127) << shift;
      if (byte < 128) return static_cast<Index>(all >> 1 ^ (0 - (all & 1)));
    }
  }
  template <class T>
  void operator()(T& x) {
    if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
      x = static_cast<T>(number());
    else if constexpr (requires { x.resize(1); }) {
      x.resize(static_cast<std::size_t>(number()));
      for (auto& item : x) (*this)(item);
    } else
      fields(x, *this);
  }
};

}  // namespace

std::string packed(Program program) {
  std::string bytes;
  Pack{bytes}(program);
  return bytes;
}

Program unpacked(const std::string& bytes) {
  Program program;
  Unpack{bytes.data()}(program);
  return program;
}

}  // namespace weft::check
