// Tests of CSVLogger's table.
#include "support.h"

#include <cornu/callbacks/csv_logger.h>

namespace csv_logger_test {

using namespace cornu;
using callbacks::CSVLogger;

namespace {

void log_epochs(const CSVLogger& callback, const std::vector<Logs>& epochs) {
  Logs none;
  callback->on_train_begin(none);
  for (size_t epoch = 0; epoch < epochs.size(); ++epoch) {
    Logs logs = epochs[epoch];
    callback->on_epoch_end(static_cast<int64_t>(epoch), logs);
  }
  callback->on_train_end(none);
}

}  // namespace

TEST_CASE("a row for each epoch") {
  test::TemporaryFolder folder;
  const std::string path = folder / "out/history.csv";
  log_epochs(CSVLogger({.filename = path}),
             {{{"loss", 0.5}, {"val_loss", 1.0}}, {{"loss", 1e-7}, {"val_loss", 0.1}}});
  CHECK(test::slurp(path) == "epoch,loss,val_loss\r\n0,0.5,1.0\r\n1,1e-07,0.1\r\n");
  log_epochs(CSVLogger({.filename = path}), {{{"loss", 2}, {"val_loss", 3}}});
  CHECK(test::slurp(path) == "epoch,loss,val_loss\r\n0,2.0,3.0\r\n");
}

TEST_CASE("validation may begin later") {
  test::TemporaryFolder folder;
  const std::string path = folder / "history.csv";
  log_epochs(CSVLogger({.filename = path, .separator = ";"}),
             {{{"loss", 1}}, {{"loss", 2}, {"val_loss", 3}}});
  CHECK(test::slurp(path) == "epoch;loss;val_loss\r\n0;1.0;NA\r\n1;2.0;3.0\r\n");
}

TEST_CASE("rows are appended below one header") {
  test::TemporaryFolder folder;
  const std::string path = folder / "history.csv";
  const CSVLogger callback({.filename = path, .append = true});
  log_epochs(callback, {{{"loss", 1}, {"val_loss", 1}}});
  log_epochs(callback, {{{"loss", 2}, {"val_loss", 2}}});
  CHECK(test::slurp(path) == "epoch,loss,val_loss\r\n0,1.0,1.0\r\n0,2.0,2.0\r\n");
}

TEST_CASE("names with separators are quoted") {
  test::TemporaryFolder folder;
  const std::string path = folder / "history.csv";
  log_epochs(CSVLogger({.filename = path}), {{{"a,\"b\"", 1}, {"val_x", 2}}});
  CHECK(test::slurp(path) == "epoch,\"a,\"\"b\"\"\",val_x\r\n0,1.0,2.0\r\n");
}

TEST_CASE("a file that cannot be written") {
  Logs logs;
  CHECK_THROWS_WITH(CSVLogger({.filename = "/proc/nowhere/history.csv"})->on_train_begin(logs),
                    Catch::Contains("'/proc/nowhere/history.csv'") &&
                        Catch::Contains("the folder '/proc/nowhere' cannot be made"));
  const test::TemporaryFolder folder;
  CHECK_THROWS_AS(CSVLogger({.filename = folder / "."})->on_train_begin(logs), FileError);
}

TEST_CASE("arrays are written as lists in quotes, as by Keras") {
  test::TemporaryFolder folder;
  const std::string path = folder / "history.csv";
  Logs logs{{"val_f1", 0.5}};
  logs.set("f1", Tensor::from({0.0f, 1.0f / 3}, {2}));
  log_epochs(CSVLogger({.filename = path}), {logs});
  CHECK(test::slurp(path) == "epoch,f1,val_f1\r\n0,\"\"\"[0.0, 0.33333334]\"\"\",0.5\r\n");
}

}  // namespace csv_logger_test
