// ProgbarLogger in a loop of one's own.
#include <cornu/callbacks/progbar_logger.h>
#include <cornu/framework/model/callback_list.h>

#include <iostream>
#include <sstream>

#include "support.h"

namespace progbar_logger_test {

using namespace cornu;

namespace {

// What is printed to the standard output while it lives.
class Captured {
 public:
  Captured() : before_(std::cout.rdbuf(text_.rdbuf())) {}
  ~Captured() { std::cout.rdbuf(before_); }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::streambuf* before_;
};

std::string run(Verbose verbose, bool validates) {
  const Captured captured;
  test::OneWeight model;
  CallbackList list({callbacks::ProgbarLogger()}, model,
                    {.epochs = 2, .steps = 3, .verbose = static_cast<int>(verbose)});
  Logs logs = {{"loss", 0.5}};
  list.on_train_begin(logs);
  for (int64_t epoch = 0; epoch < 2; ++epoch) {
    list.on_epoch_begin(epoch, logs);
    for (int64_t batch = 0; batch < 3; ++batch) {
      list.on_train_batch_begin(batch, logs);
      list.on_train_batch_end(batch, logs);
    }
    if (validates) {
      list.on_test_begin(logs);
      list.on_test_batch_end(0, logs);
      list.on_test_end(logs);
    }
    list.on_epoch_end(epoch, logs);
  }
  list.on_train_end(logs);
  return captured.text();
}

}  // namespace

TEST_CASE("a line for each epoch, and none for a validation within") {
  const std::string text = run(Verbose::lines, false);
  CHECK_THAT(text, Catch::Contains("Epoch 1/2") && Catch::Contains("Epoch 2/2"));
  CHECK_THAT(text, Catch::Contains("3/3 - ") && Catch::Contains("loss: 0.5000"));
  const std::string validated = run(Verbose::lines, true);
  CHECK(std::count(text.begin(), text.end(), '\n') ==
        std::count(validated.begin(), validated.end(), '\n'));
}

TEST_CASE("nothing when silent; a pass of its own for evaluate") {
  CHECK(run(Verbose::silent, true).empty());
  const Captured captured;
  test::OneWeight model;
  CallbackList list({callbacks::ProgbarLogger()}, model,
                    {.epochs = 1, .steps = 2, .verbose = static_cast<int>(Verbose::lines)});
  Logs logs = {{"loss", 0.25}};
  list.on_test_begin(logs);
  list.on_test_batch_end(0, logs);
  list.on_test_batch_end(1, logs);
  list.on_test_end(logs);
  CHECK_THAT(captured.text(), Catch::Contains("2/2 - ") && Catch::Contains("loss: 0.2500"));
}

}  // namespace progbar_logger_test
