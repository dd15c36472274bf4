// Options by name, and the lists of names.
#include "c/handles.hpp"

using namespace weft;
using namespace weft::c;

namespace {

std::optional<Layout>& layout_of(Options& options, std::string_view name) {
  if (name == "input") return options.input;
  if (name == "output") return options.output;
  throw Error("option " + std::string(option(name).name) + " is no layout; layouts are: input, output");
}

/// Name and one line of each.
std::vector<std::pair<std::string, std::string>> named(const char* which) {
  const std::string name = text(which, "the name of a list");
  std::vector<std::pair<std::string, std::string>> entries;
  if (name == "engines") return engine_list();
  if (name == "kinds") return kind_list();
  if (name == "strategies") {
    for (const Strategy* s : strategies()) entries.emplace_back(s->name(), s->summary());
  } else if (name == "kernels") {
    for (const Kernel& k : kernels()) entries.emplace_back(k.name, k.summary);
  } else if (name == "options") {
    for (const Option& o : options()) entries.emplace_back(o.name, o.help);
  } else if (name == "fit_forms") {
    for (const FitForm& f : fit_forms())
      entries.emplace_back(f.name, std::string(f.formula) + ": " + std::string(f.summary));
  } else {
    throw Error("no list '" + shown(name) + "'; there are strategies, engines, kinds, kernels, options, fit_forms");
  }
  return entries;
}

int set_value(weft_options* options, const char* name, const auto& value) {
  return guarded(
      [&] { set(given(options, "options").value, text(name, "the name of an option"), OptionValue(value())); });
}

/// What the program has of the struct, and the defaults of what it does not know. `size` is a
/// program's, which may be older or newer than this library.
weft_common_options common_of(const weft_common_options* common) {
  const Index size = given(common, "the common options").size;
  constexpr Index ours = sizeof(weft_common_options);
  if (size < Index{sizeof common->size} || size > 4096)
    throw Error("the common options are of " + std::to_string(size) +
                " bytes; fill them in by weft_common_options_init(&common, sizeof common) first");
  const char* const bytes = reinterpret_cast<const char*>(common);
  if (std::any_of(bytes + std::min(size, ours), bytes + size, [](char byte) { return byte != 0; }))
    throw Error("the common options have members that this library, weft " + std::string(weft_version()) +
                ", does not know; leave those at 0, or use the library that the program was compiled for");
  weft_common_options all;
  weft_common_options_init(&all, ours);
  std::memcpy(&all, common, static_cast<std::size_t>(std::min(size, ours)));
  return all;
}

}  // namespace

extern "C" {

int weft_common_options_init(weft_common_options* common, int64_t size) {
  return guarded([&] {
    weft_common_options defaults = {};
    const Options plain;
    defaults.size = size;
    defaults.batch = plain.batch;
    defaults.components = plain.components;
    defaults.natural_output = plain.natural_output;
    defaults.wisdom = plain.wisdom;
    defaults.threads = plain.threads;
    if (size < Index{sizeof defaults.size} || size > 4096)
      throw Error("common options of " + std::to_string(size) + " bytes are asked for; give sizeof *common");
    std::memset(&given(common, "the common options"), 0, static_cast<std::size_t>(size));
    std::memcpy(common, &defaults, std::min(static_cast<std::size_t>(size), sizeof defaults));
  });
}
int weft_options_create_common(weft_options** options, const weft_common_options* common) {
  return made(options, [&] {
    const weft_common_options all = common_of(common);
    Options made_of;
    const std::pair<const char*, const char*> texts[] = {
        {"strategy", all.strategy},   {"engine", all.engine}, {"effort", all.effort}, {"wire", all.wire},
        {"placement", all.placement}, {"scale", all.scale},   {"grid", all.grid}};
    for (const auto& [name, value] : texts)
      if (value != nullptr) set(made_of, name, std::string(value));
    set(made_of, "batch", Index{all.batch});
    set(made_of, "components", Index{all.components});
    set(made_of, "natural_output", all.natural_output != 0);
    set(made_of, "wisdom", all.wisdom != 0);
    set(made_of, "threads", Index{all.threads});
    return made_of;
  });
}

int weft_list_count(const char* list, int64_t* count) {
  return guarded([&] { given(count, "count") = static_cast<Index>(named(list).size()); });
}
int weft_list_name(const char* list, int64_t entry, char* to, int64_t room, int64_t* length) {
  return guarded([&] {
    const auto all = named(list);
    copy_out(entry_of(all, entry, list).first, to, room, length);
  });
}
int weft_list_summary(const char* list, int64_t entry, char* to, int64_t room, int64_t* length) {
  return guarded([&] {
    const auto all = named(list);
    copy_out(entry_of(all, entry, list).second, to, room, length);
  });
}

int weft_options_create(weft_options** options) {
  return made(options, [] { return Options(); });
}
int weft_options_copy(weft_options** copy, const weft_options* options) {
  return made(copy, [&] { return given(options, "options").value; });
}
void weft_options_destroy(weft_options** options) { destroyed(options); }

int weft_options_set(weft_options* options, const char* name, const char* value) {
  return set_value(options, name, [&] { return text(value, "the value of an option"); });
}
int weft_options_set_integer(weft_options* options, const char* name, int64_t value) {
  return set_value(options, name, [&] { return Index(value); });
}
int weft_options_set_number(weft_options* options, const char* name, double value) {
  return set_value(options, name, [&] { return value; });
}
int weft_options_set_flag(weft_options* options, const char* name, int value) {
  return set_value(options, name, [&] {
    if (value != 0 && value != 1) throw Error("a flag is " + std::to_string(value) + "; allowed: 0 or 1");
    return value == 1;
  });
}
int weft_options_set_integers(weft_options* options, const char* name, int64_t count, const int64_t* values) {
  return set_value(options, name, [&] {
    list(values, count, "values");
    return std::vector<Index>(values, values + count);
  });
}
int weft_options_set_layout(weft_options* options, const char* name, const weft_layout* layout) {
  return guarded([&] {
    auto& place = layout_of(given(options, "options").value, text(name, "the name of an option"));
    if (layout == nullptr)
      place.reset();
    else
      place = given(layout, "layout").value;
  });
}
int weft_options_set_kernel(weft_options* options, const char* name) {
  return guarded([&] {
    Options& all = given(options, "options").value;
    all = kernel(text(name, "the name of a kernel")).of(all);
  });
}
int weft_options_get(const weft_options* options, const char* name, char* to, int64_t room, int64_t* length) {
  return guarded(
      [&] { copy_out(get(given(options, "options").value, text(name, "the name of an option")), to, room, length); });
}
int weft_options_describe(const weft_options* options, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(to_string(given(options, "options").value), to, room, length); });
}

int weft_option_type(const char* name, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(to_string(option(text(name, "the name of an option")).type), to, room, length); });
}
int weft_option_group(const char* name, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(to_string(option(text(name, "the name of an option")).group), to, room, length); });
}
int weft_option_allowed(const char* name, char* to, int64_t room, int64_t* length) {
  return guarded([&] { copy_out(option(text(name, "the name of an option")).allowed(), to, room, length); });
}

}  // extern "C"
