// Strategies whose ranks are late in the middle of an execution: between the verbs of an exchange,
// where what a peer does too early is seen.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <utility>

#include <unistd.h>

#include <weft/exchange.hpp>

#include "support/plans.hpp"

namespace weft {

/// Another strategy under the name "late-NAME": it sleeps now and then before or after any verb,
/// each rank by itself.
class Late final : public Strategy {
 public:
  explicit Late(const Strategy& inner) : inner_(inner), name_("late-" + std::string(inner.name())) {}
  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return "for tests"; }
  std::string declines(const Demand& demand) const override { return inner_.declines(demand); }
  Cost cost(const Demand& demand) const override { return inner_.cost(demand); }
  bool overlaps() const override { return inner_.overlaps(); }
  bool reads_in_place() const override { return inner_.reads_in_place(); }
  bool lands() const override { return inner_.lands(); }
  const Strategy* instead() const override { return inner_.instead(); }
  std::unique_ptr<Exchange> bind(const Demand& demand, MPI_Comm group) const override {
    return std::make_unique<Sleepy>(inner_.bind(demand, group));
  }

 private:
  class Sleepy final : public Exchange {
   public:
    explicit Sleepy(std::unique_ptr<Exchange> inner) : inner_(std::move(inner)) {
      for (int t = 0; t < inner_->tiles(); ++t) tiles_.push_back(inner_->tile(t));
      array_ = inner_->array();
      landing_ = inner_->landing();
      bytes_owned_ = inner_->bytes_owned();
    }
    Traffic traffic() const override { return inner_->traffic(); }
    std::string note() const override { return inner_->note(); }
    std::vector<Type> datatypes() const override { return inner_->datatypes(); }
    Promises promises(int self) const override { return inner_->promises(self); }
    void hold() override { inner_->hold(); }
    void open(int t) override { inner_->open(t), sleep(); }
    void start(int t) override { sleep(), inner_->start(t); }
    bool test() override { return inner_->test(); }
    void finish(int t) override { inner_->finish(t), sleep(); }
    void close(int t) override { sleep(), inner_->close(t); }

   private:
    static void sleep() {
      static std::minstd_rand random(static_cast<unsigned>(rank_of_world()) + 1);
      if (random() % 16 == 0) usleep(random() % 300);
    }
    std::unique_ptr<Exchange> inner_;
  };

  const Strategy& inner_;
  std::string name_;
};

}  // namespace weft
