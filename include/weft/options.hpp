// Options: how a problem is to be solved, and the one table of them by name. Command lines, files,
// comparisons among ranks, descriptions and other languages go by the table.
//
//     weft::Options options{.strategy = "alltoallv", .batch = 60};
//     weft::set(options, "threads", "auto");
//     for (const weft::Option& row : weft::options()) std::cout << row.name << " = " << row.text(options) << "\n";
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <weft/layout.hpp>

#pragma GCC visibility push(default)
namespace weft {

/// Name and one line of every engine in this build; the first is the default.
std::vector<std::pair<std::string, std::string>> engine_list();

/// A number that is left open, as "auto" is where options are words: .threads = automatic, .grid =
/// {automatic}.
inline constexpr int automatic = 0;

/// How exchanges are cut and overlapped.
struct ScheduleOptions {
  /// "one" tile; tiles of the "gathered" axis (distributed before, local after); of the "kept" axis
  /// (local before and after); "auto": with a strategy that is open, and nothing else of the
  /// schedule given, wisdom, tuning or the size of a batch decides; else one tile.
  std::string tiles = "one";
  Index tile = 1;    ///< planes a tile; larger than the extent: one tile (reported)
  Index window = 1;  ///< most tiles on their way at once; 0: all
  Index test = 0;    ///< let outstanding tiles progress after every so many blocks of work; 0: never
  /// Who does the exchanges: the "caller", between blocks of work; or a "thread" that does nothing
  /// else (the caller's: call from the thread that initialised MPI), while the others of at least
  /// two compute. Then tiles progress whenever that thread waits, and `test` counts for nothing.
  std::string communicate = "caller";
  bool operator==(const ScheduleOptions&) const = default;
};

/// "one tile", "gathered axis, 8 planes a tile, window 2, test every 4".
std::string to_string(const ScheduleOptions& schedule);

/// How a problem is to be solved. Every name that is unknown is an error; nothing requested is
/// silently changed: `Plan::effective()` tells what is done. docs/options.md has the table of all
/// of them.
struct Options {
  // ---- what changes only speed and memory; with another engine, effort or number of ranks the
  // last bits, too ----

  /// A name of `strategies()`; or "auto": what wisdom has of this problem, else the cheapest by
  /// cost that does not decline; or "tune": the fastest that `tune` finds in `tune_seconds`, kept
  /// as wisdom. With + between them one for every exchange in the order of forward, the last for
  /// all that follow: "direct+deposit". "auto" and "tune" choose what else is open, too: the
  /// schedules, grid, groups, threads and effort.
  std::string strategy = "auto";
  double tune_seconds = 10;  ///< how long "tune" may measure; a candidate that is being measured is not interrupted
  bool wisdom = true;        ///< "auto" may use wisdom, and "tune" keeps what it finds
  std::string engine = engine_list().front().first;  ///< a name of the list of engines
  /// How long the engine may search: "estimate", "measure", "patient" or "exhaustive"; "auto": as
  /// wisdom or tuning says, else "measure".
  std::string effort = "measure";
  ScheduleOptions schedule = ScheduleOptions{.tiles = "auto"};
  /// Of backward: of plane waves its tiles are sticks where forward's are planes (empty:
  /// `schedule`).
  std::optional<ScheduleOptions> backward_schedule = std::nullopt;
  /// Threads a rank; the caller's thread is one of them and the only one in MPI. automatic: as
  /// wisdom or tuning says, else 1.
  int threads = 1;
  /// A number for every rank: those with different ones share no memory (empty: as MPI says; see
  /// weft::nodes).
  std::vector<int> nodes = std::vector<int>();

  // ---- what changes results, or where they are ----

  /// "same"; or "single": doubles travel as floats: half the bytes, at a relative error of up to
  /// 6e-8 an exchange; numbers beyond 3.4e38 become infinite.
  std::string wire = "same";
  /// Process grid over the leading axes ({P}: slab, {P1, P2}: pencils), by which the input is cut
  /// or, with an `input`, the first transform works. Empty: slab, or pencils where ranks outnumber
  /// planes, or another grid where those would leave a third of the ranks idle. {automatic}: as
  /// wisdom or tuning says, else as empty.
  Few<int> grid = Few<int>();
  Split split = Split::even();                  ///< how an axis is cut among ranks
  std::optional<Layout> input = std::nullopt;   ///< who owns what before forward (empty: from `grid`)
  std::optional<Layout> output = std::nullopt;  ///< who owns what after forward (empty: the cheapest, "transposed")
  bool natural_output = false;                  ///< output distributed as the input
  Index batch = 1;                              ///< transforms a call, each array behind the other
  /// Plane waves with a batch only: groups of ranks among which the batch is shared (task groups).
  /// Each transforms its own fields on its ranks, rank r belonging to group r % groups;
  /// coefficients stay where they are. 1: every field on all ranks; as many as ranks: whole fields
  /// on each; automatic: as wisdom or tuning says, else 1.
  int groups = 1;
  Index components = 1;  ///< interleaved fields: the fastest axis of every array
  /// "preserve": input and output are two arrays, and a transform leaves its input alone;
  /// "overwrite": it may not, and saves memory and time; "in_place": both are the same memory (real
  /// arrays of r2c are padded to 2 (n/2+1)). Where a plan may overwrite, every execution may also
  /// leave garbage in the plan's own `input()` and `output()`.
  std::string placement = "preserve";
  std::string scale = "none";  ///< "none", "full" (forward divides by n), "symmetric" (both by sqrt n)

  bool in_place() const { return placement == "in_place"; }
  bool overwrites_input() const { return placement == "overwrite"; }
};

/// What kind of value an option has.
enum class OptionType {
  text,      ///< one of some words, or of another form that is described
  integer,   ///< a whole number, or a word that stands for one
  number,    ///< any number
  boolean,   ///< "true" or "false"
  integers,  ///< whole numbers, as text "2,3" or "2x3"; or a word that stands for some
  layout     ///< a Layout, which only a program can give
};
/// "text", "integer", ...
std::string_view to_string(OptionType type);

/// What an option changes: only speed and memory; or results, layouts or the memory that the caller
/// gives.
enum class OptionGroup { speed, results };
/// "speed", "results".
std::string_view to_string(OptionGroup group);

/// A value as its type has it; of an integer or of integers also a word that stands for one, as
/// "auto".
using OptionValue = std::variant<std::string, Index, double, bool, std::vector<Index>>;

/// An option as one row of the table. The default is what `Options()` has.
struct Option {
  std::string_view name;  ///< in lower case, with _ between words: as members of `Options` are called
  OptionType type;
  OptionGroup group;
  std::string_view help;  ///< one line
  /// Words that are allowed; of numbers those that stand for a value. "auto" is always what is left
  /// open.
  std::vector<std::string> words;
  /// More words, which are names of a list that may grow: "strategies", "engines" (empty: there are
  /// none).
  std::string_view list;
  std::function<std::vector<std::string>()> names;
  /// Of text: what else may be given, and whether a text is that (empty: nothing).
  std::string_view form;
  std::function<bool(const std::string&)> takes;
  double least = 0, most = 0;                               ///< of integer, integers and number
  std::function<OptionValue(const Options&)> value;         ///< what it is now
  std::function<void(Options&, const OptionValue&)> store;  ///< of what `checked` returned

  /// `value` as text: "auto", "8", "true", "2,3". Of layouts what tells them from all others.
  std::string text(const Options& options) const;
  /// All words that are allowed: `words`, and the list's names.
  std::vector<std::string> known() const;
  /// What may be given: `"auto" or 0 to 1024`. In short a list is named rather than spelt out.
  std::string allowed(bool in_short = false) const;
  /// The value as the option's type has it: a text is read. Throws Error that says what is allowed.
  OptionValue checked(const OptionValue& given) const;
};

/// All options, in the order of `Options`. A schedule's settings are called tiles, tile, window,
/// test and communicate, and backward_tiles, ... for backward's own.
const std::vector<Option>& options();
/// The row of that name. Throws Error listing all names where there is none.
const Option& option(std::string_view name);

/// Sets an option by name; a text is read as its type says: set(o, "threads", "4"), set(o,
/// "threads", 4). Throws Error for unknown names and for what is not allowed. Backward's schedule
/// begins as forward's is at that moment, so set that first: the order of `options()` will do.
void set(Options& options, std::string_view name, const OptionValue& value);
/// An option by name, as text.
std::string get(const Options& options, std::string_view name);

/// Throws Error where an option has a value that is not allowed. What options mean together, and to
/// a problem, is checked when a plan is made.
void check_options(const Options& options);

/// What differs from the default: "strategy isend, threads 2". Long values are shortened.
std::string to_string(const Options& options);

}  // namespace weft
#pragma GCC visibility pop
