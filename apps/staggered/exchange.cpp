#include "exchange.hpp"

#include <cstring>
#include <vector>

#include <weft/halo.hpp>

#include "faces.hpp"

namespace staggered {
namespace {

/// Of complex numbers with such parts.
int bytes_of(int numbers, MPI_Datatype real) {
  int bytes = 0;
  MPI_Type_size(real, &bytes);
  return 2 * numbers * bytes;
}

/// By a strategy of weft's.
class ByHalo : public Exchange {
 public:
  ByHalo(MPI_Comm comm, const weft::Layout& parts, const weft::Shape& width, int parity, int site_bytes,
         const std::string& strategy)
      : halo_(comm, of_parity(parts, parity),
              checkerboard_ghosts(parts, {.width = width, .corners = false, .periodic = {1, 1, 1, 1}}, parity),
              site_bytes, {.strategy = strategy}) {}
  void start(void* field) override { halo_.start(field); }
  void test() override { halo_.test(); }
  void finish() override { halo_.finish(); }

 private:
  weft::Halo halo_;
};

/// A message a side. What arrives lies together, so it is received where it is read.
class BySides : public Exchange {
 public:
  void start(void* field) override {
    auto* const bytes = static_cast<char*>(field);
    count_ = 0;
    for (int side = 0; side < sides; ++side)
      if (const Face& face = of(side); face.neighbour != MPI_PROC_NULL)
        MPI_Irecv(bytes + face.arrives * site_bytes_, face.count, site_, face.neighbour, side, comm_, next());
    for (int side = 0; side < sides; ++side)
      if (of(side).neighbour != MPI_PROC_NULL) send(bytes, side);
  }
  void test() override {
    int done = 0;
    MPI_Testall(count_, requests_, &done, MPI_STATUSES_IGNORE);
  }
  void finish() override {
    MPI_Waitall(count_, requests_, MPI_STATUSES_IGNORE);
    count_ = 0;
  }

 protected:
  BySides(MPI_Comm comm, int site_bytes) : comm_(comm), site_bytes_(site_bytes) {}
  virtual const Face& of(int side) const = 0;
  virtual void send(const char* field, int side) = 0;
  MPI_Request* next() { return &requests_[count_++]; }
  /// The tag of what leaves on a side is the side on which it arrives.
  static int tag(int side) { return side ^ 1; }

  MPI_Comm comm_;
  std::ptrdiff_t site_bytes_;
  MPI_Datatype site_ = MPI_DATATYPE_NULL;

 private:
  MPI_Request requests_[2 * sides];
  int count_ = 0;
};

class ByHand : public BySides {
 public:
  ByHand(MPI_Comm comm, const weft::Layout& parts, const weft::Shape& width, int parity, int numbers, MPI_Datatype real)
      : BySides(comm, bytes_of(numbers, real)), faces_(faces(comm, parts, width, parity)) {
    MPI_Type_contiguous(2 * numbers, real, &site_);
    MPI_Type_commit(&site_);
    for (int side = 0; side < sides; ++side)
      buffers_[side].resize(of(side).neighbour == MPI_PROC_NULL ? 0 : of(side).leaves.size() * bytes());
  }
  ~ByHand() override { MPI_Type_free(&site_); }

 private:
  std::size_t bytes() const { return static_cast<std::size_t>(site_bytes_); }
  const Face& of(int side) const override { return faces_[static_cast<std::size_t>(side)]; }
  template <std::size_t site_bytes>
  static void pack(const char* field, const std::vector<int>& leaves, char* to) {
    for (const int site : leaves) {
      std::memcpy(to, field + static_cast<std::size_t>(site) * site_bytes, site_bytes);
      to += site_bytes;
    }
  }
  void send(const char* field, int side) override {
    const double before = MPI_Wtime();
    char* const to = buffers_[side].data();
    const Face& face = of(side);
    switch (site_bytes_) {  // copies of a known length are a few instructions
      case 24:
        pack<24>(field, face.leaves, to);
        break;
      case 48:
        pack<48>(field, face.leaves, to);
        break;
      case 96:
        pack<96>(field, face.leaves, to);
        break;
      case 144:
        pack<144>(field, face.leaves, to);
        break;
      default: {
        char* at = to;
        for (const int site : face.leaves) std::memcpy(at, field + site * site_bytes_, bytes()), at += bytes();
      }
    }
    packing_seconds += MPI_Wtime() - before;
    MPI_Isend(to, static_cast<int>(face.leaves.size()), site_, face.neighbour, tag(side), comm_, next());
  }

  std::array<Face, sides> faces_;
  std::vector<char> buffers_[sides];
};

class ByFaces : public BySides {
 public:
  /// Of `object`, an index in `objects`.
  ByFaces(MPI_Comm comm, std::shared_ptr<const FaceTypes> types, int object, int parity)
      : BySides(comm, types->site_bytes(object)), types_(std::move(types)), object_(object), parity_(parity) {
    site_ = types_->site(object_);
  }

 private:
  const Face& of(int side) const override { return types_->face(parity_, side); }
  void send(const char* field, int side) override {
    MPI_Isend(field, 1, types_->leaves(object_, parity_, side), of(side).neighbour, tag(side), comm_, next());
  }

  std::shared_ptr<const FaceTypes> types_;
  int object_, parity_;
};

}  // namespace

Exchanges exchanges(MPI_Comm comm, const weft::Layout& parts, const weft::Shape& width, int numbers,
                    const std::string& way, MPI_Datatype real) {
  Exchanges both;
  std::shared_ptr<const FaceTypes> types;
  int object = 0;
  if (way == by_faces) {
    while (object < static_cast<int>(std::size(objects)) && objects[object].numbers != numbers) ++object;
    if (object == static_cast<int>(std::size(objects)))
      throw weft::Error("sites of " + std::to_string(numbers) +
                        " complex numbers: there are datatypes for objects of 3, 6 and 9");
    types = std::make_shared<FaceTypes>(comm, parts, width, real);
  }
  for (const int parity : {0, 1}) {
    std::shared_ptr<Exchange>& one = both[static_cast<std::size_t>(parity)];
    if (way == by_faces)
      one = std::make_shared<ByFaces>(comm, types, object, parity);
    else if (way == by_hand)
      one = std::make_shared<ByHand>(comm, parts, width, parity, numbers, real);
    else
      one = std::make_shared<ByHalo>(comm, parts, width, parity, bytes_of(numbers, real), way);
  }
  return both;
}

}  // namespace staggered
