#include "place.hpp"

#include <unistd.h>

#include <ctime>
#include <fstream>
#include <string>
#include <thread>

nlohmann::ordered_json place() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  std::string processor = "unknown processor";
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.starts_with("model name") && line.find(':') + 2 < line.size()) {
      processor = line.substr(line.find(':') + 2);
      break;
    }
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char date[32] = "";
  std::strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {{"host", host},
          {"processor", processor + " x " + std::to_string(std::thread::hardware_concurrency())},
          {"date", date}};
}
