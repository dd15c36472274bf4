#include "plan/step.hpp"

#include "mpi/watch.hpp"

namespace weft {
namespace {

const char* verb(Step::Kind kind) {
  static constexpr const char* names[] = {"work", "open", "start", "test", "finish", "close"};
  return names[static_cast<int>(kind)];
}

}  // namespace

void take(Exchange& exchange, const Step& step) {
  const mpi::Wait wait(verb(step.kind), step.of, step.first);
  switch (step.kind) {
    case Step::Kind::open:
      return exchange.open(step.first);
    case Step::Kind::start:
      return exchange.start(step.first);
    case Step::Kind::test:
      return static_cast<void>(exchange.test());
    case Step::Kind::finish:
      return exchange.finish(step.first);
    case Step::Kind::close:
      return exchange.close(step.first);
    case Step::Kind::work:
      return;
  }
}

std::string to_string(const Step& step) {
  const std::string name = verb(step.kind);
  if (step.kind == Step::Kind::work)
    return name + " stage " + std::to_string(step.of) + " blocks " + std::to_string(step.first) + ".." +
           std::to_string(step.last - 1);
  return name + " exchange " + std::to_string(step.of) + " tile " + std::to_string(step.first);
}

}  // namespace weft
