// Strategies that are another one but for a part, for tests.
#pragma once

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <weft/exchange.hpp>

namespace weft {

/// All as in another exchange.
class WrappedExchange : public Exchange {
 public:
  explicit WrappedExchange(std::unique_ptr<Exchange> inner) : inner_(std::move(inner)) {
    for (int t = 0; t < inner_->tiles(); ++t) tiles_.push_back(inner_->tile(t));
    array_ = inner_->array();
    landing_ = inner_->landing();
    bytes_owned_ = inner_->bytes_owned();
  }
  Traffic traffic() const override { return inner_->traffic(); }
  std::string note() const override { return inner_->note(); }
  std::vector<Type> datatypes() const override { return inner_->datatypes(); }
  Promises promises(int self) const override { return inner_->promises(self); }
  void lend_landing() override { inner_->lend_landing(); }
  void open(int t) override { inner_->open(t); }
  void start(int t) override { inner_->start(t); }
  bool test() override { return inner_->test(); }
  void finish(int t) override { inner_->finish(t); }
  void close(int t) override { inner_->close(t); }

 private:
  std::unique_ptr<Exchange> inner_;
};

/// Another strategy under a name of its own, which makes exchanges of type `Bound` from that one's
/// and from `arguments`.
template <class Bound, class... Arguments>
class Wrapped : public Strategy {
 public:
  Wrapped(const Strategy& inner, std::string name, Arguments... arguments)
      : inner_(inner), name_(std::move(name)), arguments_(arguments...) {}
  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return "for tests"; }
  std::string declines(const Demand& demand) const override { return inner_.declines(demand); }
  Cost cost(const Demand& demand) const override { return inner_.cost(demand); }
  bool overlaps() const override { return inner_.overlaps(); }
  bool reads_in_place() const override { return inner_.reads_in_place(); }
  bool has_landing() const override { return inner_.has_landing(); }
  const Strategy* instead() const override { return inner_.instead(); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::apply(
        [&](const Arguments&... arguments) {
          return std::make_unique<Bound>(inner_.bind(demand, group), arguments...);
        },
        arguments_);
  }

 private:
  const Strategy& inner_;
  std::string name_;
  std::tuple<Arguments...> arguments_;
};

/// Of a verb that does nothing: what it should wait for is not waited for.
class ForgetfulExchange final : public WrappedExchange {
 public:
  /// `promises`: it says nevertheless that it waits.
  ForgetfulExchange(std::unique_ptr<Exchange> inner, Verb forgotten, bool promises)
      : WrappedExchange(std::move(inner)), forgotten_(forgotten), promises_(promises) {}
  Promises promises(int self) const override {
    Promises all = WrappedExchange::promises(self);
    if (!promises_) std::erase_if(all.waits, [this](const Promises::Wait& w) { return w.verb == forgotten_; });
    return all;
  }
  void open(int t) override {
    if (forgotten_ != Verb::open) WrappedExchange::open(t);
  }
  void finish(int t) override {
    if (forgotten_ != Verb::finish) WrappedExchange::finish(t);
  }

 private:
  Verb forgotten_;
  bool promises_;
};
using Forgetful = Wrapped<ForgetfulExchange, Exchange::Verb, bool>;

}  // namespace weft
