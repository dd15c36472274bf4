// The files of wisdom: the user's own, and those of a site's folders.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <weft/wisdom.hpp>

namespace weft {
namespace {

/// A site's files: those of its folders whose names end in .json, in the order of their names.
std::vector<std::string> site_files(const std::vector<std::string>& folders) {
  std::vector<std::string> files;
  for (const std::string& folder : folders) {
    std::vector<std::string> here;
    std::error_code none;  // of a folder that is not there, or may not be read: none
    for (std::filesystem::directory_iterator at(folder, none), end; !none && at != end; at.increment(none))
      if (at->path().extension() == ".json") here.push_back(at->path().string());
    std::sort(here.begin(), here.end());
    files.insert(files.end(), here.begin(), here.end());
  }
  return files;
}

}  // namespace

std::vector<std::string> wisdom_files() {
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value ? value : "";
  };
  const auto parted = [](const std::string& names) {
    std::vector<std::string> parts(1);
    for (const char c : names)
      if (c == ':')
        parts.emplace_back();
      else
        parts.back() += c;
    return parts;
  };
  const std::string names = variable("WEFT_WISDOM"), site = variable("WEFT_SITE_WISDOM");
  if (names == "none") return {};
  std::vector<std::string> files = parted(names);  // the first may be empty: then nothing is written
  if (names.empty()) {
    std::string state = variable("XDG_STATE_HOME");
    if (state.empty() && !variable("HOME").empty()) state = variable("HOME") + "/.local/state";
    if (!state.empty()) files.front() = state + "/weft/wisdom.json";
  }
  std::vector<std::string> folders;
  if (!site.empty() && site != "none") folders = parted(site);
  if (site.empty() && names.empty()) folders = parted(WEFT_SITE_WISDOM);
  for (const std::string& file : site_files(folders)) files.push_back(file);
  return files;
}

}  // namespace weft
