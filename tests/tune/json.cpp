#include "tune/json.hpp"

#include <gtest/gtest.h>

#include <string>

#include <weft/error.hpp>

namespace weft {
namespace {

TEST(Json, TinyReadsWhatItWrites) {
  const Json value = Json::Members{{"a", Json::List{1, -2.5e-7, true, Json(), "tab\tquote\"back\\slash\nline\x01"}},
                                   {"empty", Json::Members{}},
                                   {"long", std::string(200, 'x')}};
  EXPECT_EQ(Json::parse(value.dump()).dump(), value.dump());
  EXPECT_EQ(Json::parse("[\"\\u00e9\\u20ac\"]").list().front().text(), "\u00e9\u20ac");
  for (const char* wrong :
       {"", "{", "[1,", "{\"a\"}", "\"\\", "\"\\u12", "nul", "1 2", "{\"a\":1,}", "[1e999]", "\"open"})
    EXPECT_THROW(Json::parse(wrong), Error) << wrong;
  EXPECT_THROW(Json::parse(std::string(100, '[')), Error);
}

}  // namespace
}  // namespace weft
