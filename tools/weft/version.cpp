// Which weft and which MPI this program is made of.
#include <algorithm>

#include "command.hpp"

std::string version() { return "weft " WEFT_VERSION " (" + mpi_version() + ")"; }

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string line(text, static_cast<std::size_t>(length));
  line.erase(std::min(line.size(), line.find_first_of(",\n")));  // what follows is who built it, and how
  std::replace(line.begin(), line.end(), '\t', ' ');
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}
