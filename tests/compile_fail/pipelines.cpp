// Functions that stages of pipelines cannot call; see check.sh.
#include <cornu/framework/data/pipeline.h>

using namespace cornu;

void pipelines() {
  auto text = [](std::string name) { return name; };
  auto batch = [](const Batch& batch) { return batch; };
  auto changes = [n = 0](int64_t i) mutable { return i + n++; };
  (void)data::generate(3, text);     // error: with the element's number, an int64_t
  (void)data::generate(batch);       // error: callable with a const data::Place&
  (void)data::generate(3, changes);  // error: must not be mutable
  (void)data::generate(3, [](int64_t i) { return i; });
  (void)data::generate(3, [n = 0]() mutable { return n++; });
  (void)data::range(3).cache("file");
}
