// Uninitialised memory that starts on a cache line.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace weft {

class Aligned {
 public:
  static constexpr std::size_t alignment = 64;

  Aligned() = default;
  explicit Aligned(std::size_t bytes)
      : data_(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{alignment}))), bytes_(bytes) {}
  std::byte* data() const { return data_.get(); }
  std::size_t bytes() const { return bytes_; }

  /// `bytes` rounded up so that what follows starts on a cache line too.
  static constexpr std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

 private:
  struct Free {
    void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{alignment}); }
  };
  std::unique_ptr<std::byte, Free> data_;
  std::size_t bytes_ = 0;
};

}  // namespace weft
