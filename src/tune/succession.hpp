// Executions behind one another, each with other data, no barrier between and one rank late at
// random: what one of them hands over to another is seen. Transforms of the same data again and
// again look right even where a result is what an earlier execution left.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <weft/plan.hpp>

#include "mpi/communicator.hpp"

namespace weft {

/// Some of the elements that an array has for data, the same ones each time: all of a small array.
template <class T>
class Sample {
 public:
  /// Elements 0 to `count` one behind the other, or, where `count` is negative, those of the
  /// array's box.
  Sample(const Array<T>& array, Index count) : values_(array.data()) {
    constexpr Index most = 1 << 16;
    const bool boxed = count < 0;
    const Box& box = array.box();
    if (boxed) count = box.volume();
    const Index step = count <= most ? 1 : (count / most) | 1;  // odd, so that no plane is left out
    for (Index k = 0; k < count; k += step) {
      if (!boxed) {
        places_.push_back(k);
        continue;
      }
      Shape p = box.lo;
      Index rest = k;
      for (int a = box.axes() - 1; a >= 0; --a) p[a] += rest % box.extent(a), rest /= box.extent(a);
      places_.push_back(&array[p] - array.data());
    }
  }

  std::size_t size() const { return places_.size(); }
  std::vector<T> taken() const {
    std::vector<T> values(size());
    take(values_, values);
    return values;
  }
  /// Of another array like the one given.
  void take(const T* from, std::vector<T>& values) const {
    for (std::size_t i = 0; i < places_.size(); ++i) values[i] = from[places_[i]];
  }

 private:
  const T* values_;
  std::vector<Index> places_;
};

template <class In, class Out>
class Succession {
 public:
  /// Data times a factor, to be written to an array of real space or of the transformed one.
  using Before = std::function<void(const Array<In>&, double)>;
  using After = std::function<void(const Array<Out>&, double)>;

  Succession(const mpi::Communicator& comm, AnyPlan& plan, const Array<In>& in, const Array<Out>& out)
      : comm_(comm),
        plan_(plan),
        in_(in),
        out_(out),
        before_(in, -1),
        after_(out, plan.problem().waves ? plan.requested().batch * static_cast<Index>(plan.vectors().size()) : -1) {}

  const Sample<In>& before() const { return before_; }
  const Sample<Out>& after() const { return after_; }

  /// Collective: what is wrong, alike on all ranks; empty: nothing. `forward` and `backward` are
  /// samples of what the plan makes of the data alone.
  std::string wrong(const Before& before, const After& after, const std::vector<Out>& forward,
                    const std::vector<In>& backward, double tolerance) {
    constexpr Index roomy = Index{32} << 20;  // bytes an array
    const std::string order = "ffbbf";        // every pair in a row, and no more: the search has little time
    const bool ahead = comm_.max(std::max(bytes_of(in_), bytes_of(out_))) <= roomy;
    std::vector<Execution> executions = comm_.agree([&] { return prepared(order, ahead, before, after); });
    for (Execution& e : executions) {
      if (!e.ready) e.forward ? before(e.in, e.factor) : after(e.out, e.factor);
      sleep();
      if (e.forward)
        plan_.forward(e.in.data(), e.out.data()), after_.take(e.out.data(), e.there);
      else
        plan_.backward(e.out.data(), e.in.data()), before_.take(e.in.data(), e.back);
    }
    double worst = 0;
    bool there = true;
    for (const Execution& e : executions) {
      const double error =
          comm_.max(e.forward ? distance(e.there, forward, e.factor) : distance(e.back, backward, e.factor));
      if (error > worst) worst = error, there = e.forward;
    }
    if (worst <= tolerance) return "";
    return std::string(there ? "forward" : "backward") +
           " is right alone, but of executions behind one another with other data each, one rank late, a result is "
           "wrong by " +
           std::to_string(worst) + " of the largest value: one execution gets what belongs to another";
  }

 private:
  struct Execution {
    bool forward;
    double factor;
    Array<In> in;
    Array<Out> out;
    bool ready;  ///< has its data
    std::vector<Out> there;
    std::vector<In> back;
  };

  /// Every other one with an array of its own to begin with, where there is room; the rest with the
  /// plan's.
  std::vector<Execution> prepared(const std::string& order, bool ahead, const Before& before,
                                  const After& after) const {
    std::vector<Execution> executions;
    for (std::size_t k = 0; k < order.size(); ++k) {
      Execution e{order[k] == 'f',
                  std::ldexp(k % 2 ? -1.0 : 1.0, static_cast<int>(3 * k % 7) - 3),
                  in_,
                  out_,
                  ahead && k % 2 == 0,
                  {},
                  {}};
      if (e.ready) {
        const Index bytes = e.forward ? bytes_of(in_) : bytes_of(out_);
        const std::shared_ptr<std::byte> own(new std::byte[static_cast<std::size_t>(bytes) + 1](),
                                             std::default_delete<std::byte[]>());
        if (e.forward || in_place()) e.in = {own, view_of(in_), in_.size()};
        if (!e.forward || in_place()) e.out = {own, view_of(out_), out_.size()};
        e.forward ? before(e.in, e.factor) : after(e.out, e.factor);
      }
      e.forward ? e.there.resize(after_.size()) : e.back.resize(before_.size());
      executions.push_back(std::move(e));
    }
    return executions;
  }

  template <class T>
  static Index bytes_of(const Array<T>& array) {
    return array.size() * static_cast<Index>(sizeof(T));
  }
  template <class T>
  static View view_of(const Array<T>& array) {
    View view;
    view.box = array.box(), view.strides = array.strides();
    return view;
  }
  bool in_place() const { return plan_.requested().in_place(); }

  /// The largest difference between what is seen and a multiple of what is known, of the largest
  /// such value; NaN counts as much.
  template <class T>
  static double distance(const std::vector<T>& seen, const std::vector<T>& known, double factor) {
    double error = 0, most = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      const std::complex<double> wanted = factor * std::complex<double>(known[i]);
      const double apart = std::abs(std::complex<double>(seen[i]) - wanted);
      if (!(apart <= error)) error = std::isnan(apart) ? 1e300 : apart;
      most = std::max(most, std::abs(wanted));
    }
    return error == 0 ? 0 : error / (most > 0 ? most : 1);
  }

  /// One rank, now and then, up to a millisecond.
  void sleep() {
    const bool here = static_cast<int>(random_() % static_cast<unsigned>(comm_.size())) == comm_.rank(),
               late = random_() % 2;
    const auto microseconds = random_() % 1000;
    if (here && late) std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  }

  const mpi::Communicator& comm_;
  AnyPlan& plan_;
  Array<In> in_;
  Array<Out> out_;
  Sample<In> before_;
  Sample<Out> after_;
  std::minstd_rand random_;
};

}  // namespace weft
