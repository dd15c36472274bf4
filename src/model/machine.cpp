#include <weft/machine.hpp>

#include <algorithm>
#include <cmath>

namespace weft {

const std::vector<MachineRow>& machine_rows() {
  static const std::vector<MachineRow> rows{
      {"message_seconds", &Machine::message_seconds, "of a call, and of a message within a node"},
      {"bytes_per_second", &Machine::bytes_per_second, "of a rank, in messages within a node"},
      {"copied_per_second", &Machine::copied_per_second, "bytes of a rank, in memory"},
      {"node_message_seconds", &Machine::node_message_seconds, "of a message between nodes"},
      {"node_bytes_per_second", &Machine::node_bytes_per_second, "of a node's link, which its ranks share"},
      {"flops_per_second", &Machine::flops_per_second, "of a thread, in line transforms, at 5 n log2 n each"}};
  return rows;
}

namespace {

template <class Sized>
double between(const std::vector<Sized>& list, double Sized::*value, double at, double otherwise) {
  if (list.empty()) return otherwise;
  const auto above = std::lower_bound(list.begin(), list.end(), at, [](const Sized& s, double v) { return s.at < v; });
  if (above == list.begin()) return (*above).*value;
  if (above == list.end()) return list.back().*value;
  const Sized &low = above[-1], &high = *above;
  const double share = std::log(at / low.at) / std::log(high.at / low.at);
  return low.*value * std::pow(high.*value / low.*value, share);
}

}  // namespace

double rate_at(const std::vector<Rate>& rates, double at, double otherwise) {
  return between(rates, &Rate::per_second, at, otherwise);
}

double ratio_at(const std::vector<Ratio>& ratios, double at) { return between(ratios, &Ratio::ratio, at, 1); }

double ratio_at(const std::vector<ExchangeRatio>& ratios, double ranks, double at) {
  const auto apart = [&](const ExchangeRatio& r) { return std::abs(std::log(r.ranks / ranks)); };
  double nearest = 0;
  for (const ExchangeRatio& r : ratios)
    if (nearest == 0 || apart(r) < apart({nearest})) nearest = r.ranks;
  std::vector<Ratio> list;
  for (const ExchangeRatio& r : ratios)
    if (r.ranks == nearest) list.push_back({r.at, r.ratio});
  return ratio_at(list, at);
}

Machine at_sizes(const MachineProfile& profile, double message_bytes, double node_message_bytes, double array_bytes,
                 double line_points) {
  Machine m = profile.machine;
  m.bytes_per_second = rate_at(profile.messages, message_bytes, m.bytes_per_second);
  m.node_bytes_per_second = rate_at(profile.node_messages, node_message_bytes, m.node_bytes_per_second);
  m.copied_per_second = rate_at(profile.copies, array_bytes, m.copied_per_second);
  m.flops_per_second = rate_at(profile.lines, line_points, m.flops_per_second);
  return m;
}

double overlapped(double work_seconds, double exchange_seconds, double tiles) {
  return tiles > 1 ? std::min(work_seconds, exchange_seconds) * 0.5 * (1 - 1 / tiles) : 0;
}

}  // namespace weft
