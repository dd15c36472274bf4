// Machines as predictions know them: the constants of `Machine`, how they change with sizes, and
// where they are from. A profile can be measured, or written by hand for a machine that is not
// here.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <weft/model.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// A constant of a machine by name. Wisdom, tuning's JSON and profiles iterate these rows.
struct MachineRow {
  std::string_view name;  ///< as in `Machine`, with its unit
  double Machine::*value;
  std::string_view help;
};
const std::vector<MachineRow>& machine_rows();

/// So much a second at this size.
struct Rate {
  double at = 0, per_second = 0;
};

/// So many seconds at this size.
struct Time {
  double at = 0, seconds = 0;
};

/// What was measured over what the constants and rates say, at this size.
struct Ratio {
  double at = 0, ratio = 1;
};

/// The same of an exchange among so many ranks.
struct ExchangeRatio {
  double ranks = 0, at = 0, ratio = 1;
};

struct MachineProfile {
  Machine machine;  ///< what "auto" reckons with

  /// How the machine's rates change with sizes, by ascending size; empty: they do not.
  std::vector<Rate> messages;       ///< by bytes of a message within a node: bytes a second of a rank
  std::vector<Rate> node_messages;  ///< by bytes of a message between nodes: bytes a second of a link
  std::vector<Rate> copies;         ///< by bytes of the array: bytes a second of a rank
  std::vector<Rate> lines;          ///< by points of a line: flops a second of a thread, at 5 n log2 n each
  std::vector<Rate> real_lines;     ///< of r2c and c2r, at 2.5 n log2 n each; empty: as `lines`

  /// By bytes of a message between nodes: seconds that processors are busy with it, half of them the
  /// sender's and half the receiver's. Simulations need it; for forecasts it is in `exchanges`.
  std::vector<Time> node_processor;

  /// What cubes took over what constants, rates and costs say, by ascending size; empty: they are
  /// right.
  std::vector<Ratio> work;       ///< by bytes of a rank's array: lines and passes over memory
  std::vector<Ratio> real_work;  ///< of r2c, by bytes of a rank's spectrum; empty: as `work`
  /// Of a strategy, by ranks that exchange with one another, and then by bytes of a rank's array for
  /// each of them.
  std::map<std::string, std::vector<ExchangeRatio>> exchanges;

  /// What all forecasts are multiplied by; 1 where cubes were measured.
  double correction = 1;
  /// 95 of 100 plans take no more than a prediction times 1 + this, and no less than it by 1 +
  /// this.
  double relative_error = 1;

  int ranks = 0, nodes = 0;  ///< that it was measured on; 0: written by hand
  std::string host, processor, mpi, date;
};

/// A rate between its neighbours, linear in the logarithms of both; beyond the ends as at them.
/// `otherwise`: there is none.
double rate_at(const std::vector<Rate>& rates, double at, double otherwise);
/// The same of ratios; 1 where there is none.
double ratio_at(const std::vector<Ratio>& ratios, double at);
/// The same of those of the number of ranks that is next to this one.
double ratio_at(const std::vector<ExchangeRatio>& ratios, double ranks, double at);

/// The constants at these sizes: bytes of a message, within a node and between nodes, bytes of an
/// array, points of a line.
Machine at_sizes(const MachineProfile& profile, double message_bytes, double node_message_bytes, double array_bytes,
                 double line_points);

/// Of work and an exchange in so many tiles what may happen at the same time, in seconds: what
/// tiles save, as a first guess.
double overlapped(double work_seconds, double exchange_seconds, double tiles);

}  // namespace weft
#pragma GCC visibility pop
