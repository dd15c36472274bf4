// Texts that the C interface copies out.
#pragma once

#include <weft/weft.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

/// The whole text that f(text, room, length) copies out.
template <class F>
std::string told(F&& f) {
  int64_t length = -1;
  const int status = f(nullptr, 0, &length);
  EXPECT_EQ(status, WEFT_OK) << weft_error();
  if (status != WEFT_OK) return "";
  std::string text(static_cast<std::size_t>(length + 1), '?');
  EXPECT_EQ(f(text.data(), length + 1, nullptr), WEFT_OK) << weft_error();
  EXPECT_EQ(text.back(), '\0');
  text.pop_back();
  return text;
}
