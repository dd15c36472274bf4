// Wisdom: what tuning has found, remembered from job to job in a file that people can read.
//
// Plans with strategy "auto" look it up: what this process has tuned or imported, then the files of
// `wisdom_files()`. What is there is never trusted: an entry counts only for the same problem,
// ranks, nodes, MPI and machine, when its hash is right, and when it can be planned.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <weft/tune.hpp>

#pragma GCC visibility push(default)
namespace weft {

class [[gnu::visibility("hidden")]] Recollection;

class Wisdom {
 public:
  struct Entry {
    std::string id;  ///< 16 hexadecimal digits, of its key
    std::string problem, choice, date, version;
    int ranks = 0;
    double seconds = 0;  ///< measured, forward and backward; 0: the model's choice
    std::string json;    ///< all of it: key, choice, what was measured of others, the engine's own wisdom
    std::string text;    ///< the same for people
  };

  /// Entries that are no entries, or whose hash is wrong, are skipped, and `notes` says so. Throws
  /// Error for text that is no wisdom or of another version.
  static Wisdom parse(const std::string& text, std::vector<std::string>* notes = nullptr);
  /// Of a file that is not there: none. Throws Error, naming the file, for one that cannot be read
  /// or is no regular file, and as `parse`.
  static Wisdom read(const std::string& file, std::vector<std::string>* notes = nullptr);
  /// Changes a file, made with its folders where it is not there: read, changed and replaced in
  /// one, under a lock on the file beside it named .lock. Whoever reads meanwhile, and whatever
  /// ends the process, finds the old or the new one. Of a link the file that it points to is
  /// changed. A file of wisdom that is damaged is kept beside it, named .broken. Throws Error,
  /// naming the file, when it is a folder, a pipe, or a file that is no wisdom, and when it cannot
  /// be read or written; then it is as it was.
  static void update(const std::string& file, const std::function<void(Wisdom&)>& change,
                     std::vector<std::string>* notes = nullptr);

  std::vector<Entry> entries() const;
  bool empty() const { return entries_.empty(); }
  /// Takes the other's entries over; of two with one key the later stays.
  void merge(const Wisdom& other);
  /// Forgets the entries whose ids begin so; how many.
  int forget(const std::string& id);
  std::string text() const;

 private:
  friend class Recollection;
  std::map<std::string, std::string> entries_;  // JSON by id
};

/// The files of wisdom: the user's own, which tuning writes, then those that are only read.
/// WEFT_WISDOM in the environment names them, with : between them; "none": there are none, not even
/// a site's. Unset: the own one is $XDG_STATE_HOME/weft/wisdom.json, or
/// ~/.local/state/weft/wisdom.json. Behind them come a site's: all *.json, by name, of the folders
/// in WEFT_SITE_WISDOM, with : between them ("none": no folder). Where neither variable is set
/// these are the folders that weft was built for (CMake's WEFT_SITE_WISDOM), by default etc/weft of
/// its prefix and /etc/weft.
std::vector<std::string> wisdom_files();

/// Collective: keeps what `tune` found, in this process and in the user's own file. Says where, or
/// why not; the same on all ranks.
std::string remember(MPI_Comm comm, const AnyProblem& problem, const Options& options, const Tuning& found);

/// What this process has tuned and imported, as the text of a file; and the way back. Local; throws
/// Error for text that is no wisdom.
std::string export_wisdom();
void import_wisdom(const std::string& text);
/// Forgets it. Files stay as they are. Also lets go of the line transforms that engines hold for
/// plans to come: call it when all plans are gone and before fftw_cleanup.
void forget_wisdom();

}  // namespace weft
#pragma GCC visibility pop
