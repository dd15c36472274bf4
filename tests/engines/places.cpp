// Where lines lie: contiguous, side by side, in rows anywhere, near and far apart, past the caches.
// Everywhere the results are the same, and nothing beside them is written.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "cases.hpp"

namespace weft {
namespace {

class Places : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(All, Places, testing::ValuesIn(cases()), name_of);

// Columns of a panel, left as columns too, in place and not, and lines that are left apart: the
// same transform wherever the points lie, and nothing written between them.
TEST_P(Places, StridedColumnsAndLinesApart) {
  const auto& [engine, kind, direction, precision] = GetParam();
  enum class Form { lines, columns_to_lines, columns, columns_in_place };
  for (const Index n : {Index{1}, Index{6}, Index{64}, Index{131}})
    for (const Index count : {Index{3}, Index{8}, Index{19}})
      for (const Form form : {Form::lines, Form::columns_to_lines, Form::columns, Form::columns_in_place}) {
        if (!GetParam().defined(n) || (kind != Kind::c2c && form != Form::lines)) continue;
        const LineSpec plain = GetParam().spec(n);
        LineSpec spec = plain;
        spec.out_distance = plain.out_length() + 3;
        if (form != Form::lines)
          spec.in_stride = count + 5, spec.in_distance = 1, spec.out_distance += spec.out_distance % 2;
        if (form >= Form::columns) spec.out_stride = spec.in_stride, spec.out_distance = 1;
        const auto values = random_lines(plain, count);
        const auto expected = transform(*engine->plan(plain, "estimate"), values);
        const auto lines = engine->plan(spec, "estimate");
        const std::size_t in_point = plain.in_bytes() / static_cast<std::size_t>(plain.in_length()),
                          out_point = plain.out_bytes() / static_cast<std::size_t>(plain.out_length());
        const auto at = [](const Storage& memory, Index line, Index step, Index point, Index stride,
                           std::size_t bytes) {
          return memory.begin + static_cast<std::size_t>(line * step + point * stride) * bytes;
        };
        const Storage packed(static_cast<std::size_t>(count) * plain.in_bytes(), 0),
            result(static_cast<std::size_t>(count) * plain.out_bytes(), 0);
        const Storage in(static_cast<std::size_t>(spec.in_span(count)) * in_point, 0),
            apart(static_cast<std::size_t>(spec.out_span(count)) * out_point, 0);
        const Storage& out = form == Form::columns_in_place ? in : apart;
        store(values, plain, packed.begin);
        std::memset(in.begin, 0x5a, in.bytes);
        std::memset(apart.begin, 0x5a, apart.bytes);
        for (Index k = 0; k < count; ++k)
          for (Index j = 0; j < plain.in_length(); ++j)
            std::memcpy(at(in, k, spec.in_step(), j, spec.in_stride, in_point),
                        at(packed, k, plain.in_length(), j, 1, in_point), in_point);
        (*lines)(in.begin, out.begin, count);
        for (Index k = 0; k < count; ++k)
          for (Index j = 0; j < plain.out_length(); ++j) {
            std::byte* const point = at(out, k, spec.out_step(), j, spec.out_stride, out_point);
            std::memcpy(at(result, k, plain.out_length(), j, 1, out_point), point, out_point);
            std::memset(point, 0x5a, out_point);
          }
        for (std::size_t byte = 0; byte < out.bytes; ++byte)
          ASSERT_EQ(out.begin[byte], std::byte{0x5a}) << to_string(spec) << " writes between lines";
        EXPECT_LT(distance(load(result.begin, result.bytes, plain), expected), tolerance(plain))
            << to_string(spec) << ", " << count << " lines";
      }
}

// Rows in any order and of any alignment, of fewer columns than lanes and more, in place, every
// second in place and not, past the caches, all or some, and not: the bits of the columns where
// they were planned, and nothing written beside them.
TEST_P(Places, RowsThatLieAnywhere) {
  if (GetParam().kind != Kind::c2c) return;
  for (const Index n : {Index{6}, Index{32}, Index{64}, Index{67}, Index{68}, Index{74}, Index{120}, Index{192}})
    for (const Index columns : {Index{3}, Index{8}, Index{16}, Index{43}}) {
      if (!GetParam().defined(n)) continue;
      LineSpec spec = GetParam().spec(n);
      spec.in_stride = spec.out_stride = columns + 5, spec.in_distance = spec.out_distance = 1;
      const auto lines = GetParam().engine->plan(spec, "estimate");
      if (!lines->takes_rows()) continue;
      const std::size_t point = spec.in_bytes() / static_cast<std::size_t>(n),
                        row = static_cast<std::size_t>(columns) * point;
      const Storage planned(static_cast<std::size_t>(spec.in_span(columns)) * point, 0), expected(planned.bytes, 0);
      std::memset(planned.begin, 0, planned.bytes);
      store(random_lines(GetParam().spec(n), columns), GetParam().spec(n), planned.begin);
      (*lines)(planned.begin, expected.begin, columns);
      for (const bool aligned : {true, false})
        for (const Index every : {0, 1, 2})
          for (const bool streams : {true, false})
            for (const double scale : {1.0, 0.3}) {
              // What is asked for meanwhile changes nothing: many rows, one, none
              const Index asked = streams ? 1 : scale == 1 ? n : 0;
              const std::size_t apart = (row + 63) / 64 * 64 + (aligned ? 64 : point), shift = aligned ? 0 : point;
              const Storage in(static_cast<std::size_t>(n) * apart, shift), out(in.bytes, shift);
              std::vector<const std::byte*> from;
              std::vector<std::byte*> to;
              std::memset(out.begin, 0x5a, out.bytes);
              for (Index k = 0; k < n; ++k) {
                from.push_back(in.begin + static_cast<std::size_t>(k * (n % 7 ? 7 : 11) % n) * apart);
                const bool in_place = every > 0 && k % every == 0;
                to.push_back(in_place ? in.begin + (from.back() - in.begin)
                                      : out.begin + static_cast<std::size_t>(n - 1 - k) * apart);
                std::memcpy(in.begin + (from.back() - in.begin),
                            planned.begin + static_cast<std::size_t>(k * spec.in_stride) * point, row);
              }
              const std::vector<const std::byte*> ahead(static_cast<std::size_t>(asked), in.begin);
              const std::pair<Index, Index> kept(every, every * n / 2);
              lines->rows({from.data(),
                           to.data(),
                           columns,
                           scale,
                           streams,
                           kept,
                           {ahead.data(), asked, 100, aligned},
                           every == 1 ? Lines::Ahead() : Lines::Ahead{ahead.data(), asked, 100}});
              for (Index k = 0; k < n; ++k) {
                std::vector<std::byte> want(
                    expected.begin + static_cast<std::size_t>(k * spec.out_stride) * point,
                    expected.begin + static_cast<std::size_t>(k * spec.out_stride) * point + row);
                const auto times = [&](auto* values, auto by) {
                  for (std::size_t v = 0; v < row / sizeof(*values); ++v) values[v] *= by;
                };
                spec.precision == Precision::double_
                    ? times(reinterpret_cast<double*>(want.data()), scale)
                    : times(reinterpret_cast<float*>(want.data()), static_cast<float>(scale));
                ASSERT_EQ(std::memcmp(to[static_cast<std::size_t>(k)], want.data(), row), 0)
                    << to_string(spec) << ", " << columns << " columns, row " << k;
                std::memset(to[static_cast<std::size_t>(k)], 0x5a, row);
              }
              for (std::size_t byte = 0; byte < out.bytes; ++byte)
                ASSERT_EQ(out.begin[byte], std::byte{0x5a}) << to_string(spec) << " writes beside rows";
            }
    }
}

// Contiguous lines past the caches, where they begin cache lines and where not, one, a few and
// many: the same bits, and nothing written between them.
TEST_P(Places, LinesPastTheCaches) {
  for (const Index n : {Index{16}, Index{64}, Index{66}, Index{67}, Index{96}, Index{128}, Index{135}, Index{192}})
    for (const Index apart : {Index{0}, Index{8}, Index{3}, Index{1}}) {
      if (!GetParam().defined(n)) continue;
      LineSpec spec = GetParam().spec(n);
      spec.out_distance = spec.out_length() + apart;
      const auto lines = GetParam().engine->plan(spec, "estimate");
      if (!lines->streams()) continue;
      const std::size_t point = spec.out_bytes() / static_cast<std::size_t>(spec.out_length());
      for (const Index count : {Index{1}, Index{3}, Index{17}})
        for (const std::size_t shift : {std::size_t{0}, point}) {
          const std::size_t bytes = static_cast<std::size_t>(spec.out_span(count)) * point;
          const Storage in(static_cast<std::size_t>(count) * spec.in_bytes(), 0), expected(bytes, 0), out(bytes, shift);
          store(random_lines(GetParam().spec(n), count), GetParam().spec(n), in.begin);
          std::memset(expected.begin, 0x5a, bytes), std::memset(out.begin, 0x5a, bytes);
          (*lines)(in.begin, expected.begin, count);
          lines->stream(in.begin, out.begin, count);
          ASSERT_EQ(std::memcmp(out.begin, expected.begin, bytes), 0) << to_string(spec) << ", " << count << " lines";
          if (apart > 0 || !spec.in_place()) continue;
          std::memcpy(out.begin, in.begin, bytes);
          lines->stream(out.begin, out.begin, count);
          ASSERT_EQ(std::memcmp(out.begin, expected.begin, bytes), 0)
              << to_string(spec) << ", " << count << " lines in place";
        }
    }
}

// Lines that lie farther apart, on either side, than where they were planned, past the caches and
// not, whatever memory is asked for: the same bits, nothing else read, and nothing written between
// them. In place where steps are equal.
TEST_P(Places, LinesAnyDistanceApart) {
  for (const Index n : {Index{16}, Index{60}, Index{64}, Index{67}, Index{74}, Index{96}, Index{128}}) {
    if (!GetParam().defined(n)) continue;
    const LineSpec spec = GetParam().spec(n);
    const auto lines = GetParam().engine->plan(spec, "estimate");
    if (!lines->takes_steps()) continue;
    const auto in_bytes = static_cast<Index>(spec.in_bytes()), out_bytes = static_cast<Index>(spec.out_bytes());
    for (const Index count : {Index{1}, Index{8}, Index{17}})
      for (const auto& [in_step, out_step] : {std::pair(in_bytes + 64, out_bytes), std::pair(in_bytes, out_bytes + 128),
                                              std::pair(8 * in_bytes, 3 * out_bytes + 48)})
        for (const bool streams : {false, true}) {
          const auto room = [&](Index step) { return static_cast<std::size_t>(count * step); };
          const Storage packed(room(in_bytes), 0), dense(room(out_bytes), 0), in(room(in_step), 0),
              out(room(out_step), 0), expected(room(out_step), 0);
          store(random_lines(spec, count), spec, packed.begin);
          (*lines)(packed.begin, dense.begin, count);
          // 0xff..: no number
          std::memset(in.begin, 0xff, in.bytes), std::memset(out.begin, 0x5a, out.bytes),
              std::memset(expected.begin, 0x5a, out.bytes);
          for (Index k = 0; k < count; ++k) {
            std::memcpy(in.begin + k * in_step, packed.begin + k * in_bytes, static_cast<std::size_t>(in_bytes));
            std::memcpy(expected.begin + k * out_step, dense.begin + k * out_bytes,
                        static_cast<std::size_t>(out_bytes));
          }
          const std::vector<const std::byte*> rows(static_cast<std::size_t>(streams ? 1 : count), in.begin);
          const Lines::Ahead asked{rows.data(), static_cast<Index>(rows.size()), streams ? 4096 : 100, streams};
          for (const bool writes : {false, true}) {
            std::memset(out.begin, 0x5a, out.bytes);
            lines->apart({in.begin, in_step, out.begin, out_step, count, streams, count == 8 ? Lines::Ahead() : asked,
                          writes ? asked : Lines::Ahead()});
            ASSERT_EQ(std::memcmp(out.begin, expected.begin, out.bytes), 0)
                << to_string(spec) << ", " << count << " lines " << in_step << " and " << out_step << " bytes apart";
          }
          if (!spec.in_place() || in_step < out_step) continue;
          lines->apart({in.begin, in_step, in.begin, in_step, count, false, asked, asked});
          for (Index k = 0; k < count; ++k)
            ASSERT_EQ(
                std::memcmp(in.begin + k * in_step, dense.begin + k * out_bytes, static_cast<std::size_t>(out_bytes)),
                0)
                << to_string(spec) << " in place, line " << k << " of " << count;
        }
  }
}

}  // namespace
}  // namespace weft
