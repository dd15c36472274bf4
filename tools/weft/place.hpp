// Where and when something was measured, for the files that tell of it.
#pragma once

#include <nlohmann/json.hpp>

/// Of this process: "host", "processor" and "date" (of now, as ISO 8601 has it).
nlohmann::ordered_json place();
