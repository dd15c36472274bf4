// What moves data without a transform: redistributions, halos, files.
#include "arrays.hpp"

namespace {

/// A redistribution that can be ended before Python lets go of it.
class Redistribution {
 public:
  Redistribution(int comm, const weft::Layout& from, const weft::Layout& to, const Element& element,
                 const weft::RedistributionOptions& options) {
    const MPI_Comm c = communicator_of(comm);
    body_.emplace(c, from, to, element.bytes, options);
    int rank = 0;
    MPI_Comm_rank(c, &rank);
    from_ = {element, from, rank}, to_ = {element, to, rank};
  }
  void execute(nb::handle from, nb::handle to) {
    check_mpi();
    weft::Redistribution& moved = body();
    const Buffer in(from, from_, false, "the array to redistribute", "its layout"),
        out(to, to_, true, "the array for the result", "its layout");
    const nb::gil_scoped_release unlocked;
    moved(in.data(), out.data());
  }
  weft::Redistribution& body() {
    if (!body_) throw weft::Error("this redistribution has been destroyed; make another one");
    return *body_;
  }
  void destroy() { body_.reset(); }

 private:
  Side from_, to_;
  std::optional<weft::Redistribution> body_;
};

/// A halo exchange that can be ended before Python lets go of it, and holds the arrays that it
/// works on.
class Halo {
 public:
  Halo(int comm, const weft::Layout& layout, const std::optional<weft::Layout>& ghosts, const Element& element,
       const Numbers& numbers, const weft::HaloOptions& options)
      : element_(element) {
    const MPI_Comm c = communicator_of(comm);
    Index count = 1;
    for (const Index n : numbers) count *= n;
    if (ghosts)
      body_.emplace(c, layout, *ghosts, element.bytes * count, options);
    else
      body_.emplace(c, layout, element.bytes * count, options);
    weft::View all;
    if (ghosts) {
      all.box = weft::Box{{0}, {body_->elements()}};
      all.strides = {1};
      inside_ = layout.elements(rank_of(c));
    } else {
      const weft::View own = body_->inside();
      all.strides = own.strides, all.box = own.box;
      inside_ = own.offset;
      const Shape &before = options.width, &behind = options.behind.empty() ? before : options.behind;
      if (!own.box.empty())
        for (int a = 0; a < own.box.axes(); ++a) all.box.lo[a] -= before[a], all.box.hi[a] += behind[a];
    }
    for (Index& stride : all.strides) stride *= count;
    side_ = {element, all, body_->elements() * count};
    box_ = all.box;
    for (Index stride = count * element.bytes; const Index n : numbers) {
      side_.shape.push_back(n);
      side_.strides.push_back(stride /= n);
    }
  }

  void start(const nb::list& arrays, bool adds) {
    check_mpi();
    weft::Halo& halo = body();
    if (!held_.empty()) throw weft::Error("a halo is started that has been started before: call finish between");
    std::vector<std::unique_ptr<Buffer>> held;
    std::vector<void*> addresses;
    for (const nb::handle array : arrays) {
      held.push_back(std::make_unique<Buffer>(array, side_, true, "the array of a halo", "this halo"));
      addresses.push_back(held.back()->data());
    }
    {
      const nb::gil_scoped_release unlocked;
      adds ? start_add(halo, addresses) : halo.start(addresses);
    }
    held_ = std::move(held);
  }
  bool test() {
    check_mpi();
    return body().test();
  }
  void finish() {
    check_mpi();
    weft::Halo& halo = body();
    const auto held = std::move(held_);
    held_.clear();
    const nb::gil_scoped_release unlocked;
    halo.finish();
  }
  void destroy() {
    if (!held_.empty()) throw weft::Error("a halo is destroyed that has been started: call finish first");
    const nb::gil_scoped_release unlocked;
    body_.reset();
  }
  weft::Halo& body() {
    if (!body_) throw weft::Error("this halo has been destroyed; make another one");
    return *body_;
  }
  const Side& side() const { return side_; }
  const weft::Box& box() const { return box_; }
  Index inside() const { return inside_; }

 private:
  static int rank_of(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
  }
  void start_add(weft::Halo& halo, const std::vector<void*>& addresses) const {
    // Sums of integers without a sign are those of integers with one, bit by bit.
    const Index bytes = element_.kind == 'c' ? element_.bytes / 2 : element_.bytes;
    const bool is_real = element_.kind == 'f' || element_.kind == 'c';
    if (is_real && bytes == 8) return halo.start_add<double>(addresses);
    if (is_real && bytes == 4) return halo.start_add<float>(addresses);
    if (element_.kind == 'b' || is_real)
      throw weft::Error("a halo is to add elements of type " + element_.name() +
                        "; allowed: integers, float32, float64, complex64, complex128");
    if (bytes == 8) return halo.start_add<std::uint64_t>(addresses);
    if (bytes == 4) return halo.start_add<std::uint32_t>(addresses);
    if (bytes == 2) return halo.start_add<std::uint16_t>(addresses);
    halo.start_add<std::uint8_t>(addresses);
  }

  Element element_;
  Side side_;
  weft::Box box_;     // of the array with its ghost points; of lists their numbers
  Index inside_ = 0;  // where own points begin; of lists how many there are
  std::optional<weft::Halo> body_;
  std::vector<std::unique_ptr<Buffer>> held_;  // from start to finish
};

weft::HaloOptions halo_options(const Numbers& width, const Numbers& behind, bool corners, const Numbers& periodic,
                               int fields, bool adds, const std::string& strategy, const std::vector<int>& nodes,
                               bool wisdom) {
  return {.width = few(width),
          .behind = few(behind),
          .corners = corners,
          .periodic = ints(periodic),
          .fields = fields,
          .adds = adds,
          .strategy = strategy,
          .nodes = nodes,
          .wisdom = wisdom};
}

/// This rank's part of a layout, in a file's array.
Side part(MPI_Comm comm, const weft::Layout& layout, const std::string& type) {
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank), MPI_Comm_size(comm, &ranks);
  if (layout.ranks() != ranks)
    throw weft::Error("the layout is for " + std::to_string(layout.ranks()) + " ranks, and the communicator has " +
                      std::to_string(ranks) + "; give one for as many");
  return {Element(type), layout, rank};
}

}  // namespace

void bind_moves(nb::module_& m) {
  nb::class_<Redistribution>(m, "Redistribution", nb::is_weak_referenceable())
      .def("__init__",
           [](Redistribution* self, int comm, const weft::Layout& from, const weft::Layout& to, const std::string& type,
              const std::string& strategy, const Numbers& periodic) {
             const Element element(type);
             const weft::RedistributionOptions options{.strategy = strategy, .periodic = ints(periodic)};
             const nb::gil_scoped_release unlocked;
             new (self) Redistribution(comm, from, to, element, options);
           })
      .def("execute", &Redistribution::execute)
      .def("record", [](Redistribution& r, weft::Trace& trace) { r.body().record(trace); })
      .def(
          "describe", [](Redistribution& r) { return r.body().describe(); }, Unlocked())
      .def("destroy", &Redistribution::destroy, Unlocked())
      .def_prop_ro("strategy", [](Redistribution& r) { return r.body().strategy(); });

  nb::class_<Halo>(m, "Halo", nb::is_weak_referenceable())
      .def("__init__",
           [](Halo* self, int comm, const weft::Layout& layout, const std::optional<weft::Layout>& ghosts,
              const std::string& type, const Numbers& numbers, const Numbers& width, const Numbers& behind,
              bool corners, const Numbers& periodic, int fields, bool adds, const std::string& strategy,
              const std::vector<int>& nodes, bool wisdom) {
             const Element element(type);
             const weft::HaloOptions options =
                 halo_options(width, behind, corners, periodic, fields, adds, strategy, nodes, wisdom);
             const nb::gil_scoped_release unlocked;
             new (self) Halo(comm, layout, ghosts, element, numbers, options);
           })
      .def("start", &Halo::start)
      .def("test", &Halo::test, Unlocked())
      .def("finish", &Halo::finish)
      .def("record", [](Halo& h, weft::Trace& trace) { h.body().record(trace); })
      .def(
          "describe", [](Halo& h) { return h.body().describe(); }, Unlocked())
      .def("destroy", &Halo::destroy)
      .def_prop_ro("strategy", [](Halo& h) { return h.body().strategy(); })
      .def_prop_ro("box", [](Halo& h) { return pair_of(h.box()); })
      .def_prop_ro("inside", &Halo::inside)
      .def_prop_ro("elements", [](Halo& h) { return h.side().reach; })
      .def_prop_ro("memory", [](Halo& h) { return std::pair(h.side().shape, h.side().strides); });
  m.def(
      "checkerboard_ghosts",
      [](const weft::Layout& layout, const Numbers& width, int parity, const Numbers& behind, bool corners,
         const Numbers& periodic) {
        return weft::checkerboard_ghosts(
            layout, halo_options(width, behind, corners, periodic, 1, false, "auto", {}, true), parity);
      },
      nb::arg("layout"), nb::arg("width"), nb::arg("parity") = -1, nb::arg("behind") = Numbers(),
      nb::arg("corners") = true, nb::arg("periodic") = Numbers(),
      "Ghost points of boxes as lists, for a Halo beside Layout.checkerboard: even ones, then odd ones; or of one "
      "parity.");

  m.def("file_type", [](int comm, const std::string& path) {
    const MPI_Comm c = communicator_of(comm);
    const weft::FileType file = [&] {
      const nb::gil_scoped_release unlocked;
      return weft::inspect(c, path);
    }();
    return std::pair(tuple_of(file.shape), file.type);
  });
  // All ranks have made sure that their arrays fit.
  m.def("check_part", [](int comm, const weft::Layout& layout, const std::string& type, nb::handle array, bool writes) {
    const Buffer checked(array, part(communicator_of(comm), layout, type), writes, "the array of a file", "its layout");
  });
  m.def("read_file", [](int comm, const std::string& path, const weft::Layout& layout, const std::string& file_type,
                        const std::string& type, nb::handle array) {
    const MPI_Comm c = communicator_of(comm);
    const Buffer buffer(array, part(c, layout, type), true, "the array of a file", "its layout");
    const nb::gil_scoped_release unlocked;
    weft::read(c, path, layout, file_type, buffer.data(), type);
  });
  m.def("write_file", [](int comm, const std::string& path, const weft::Layout& layout, const std::string& file_type,
                         const std::string& type, nb::handle array) {
    const MPI_Comm c = communicator_of(comm);
    const Buffer buffer(array, part(c, layout, type), false, "the array of a file", "its layout");
    const nb::gil_scoped_release unlocked;
    weft::write(c, path, layout, file_type, buffer.data(), type);
  });
}
