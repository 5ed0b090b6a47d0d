// CallbackList: the order of calls, errors that name the callback, and what they leave.
#include <cornu/cornu.h>
#include <cornu/framework/model/callback_list.h>

#include "../../catch.h"
#include "../../support/contract.h"

namespace callback_list_test {

using namespace cornu;

namespace {

class Noting : public Callback {
 public:
  Noting(std::string name, std::vector<std::string>& notes)
      : name_(std::move(name)), notes_(notes) {}
  void on_train_begin(Logs&) override { notes_.push_back(name_ + " train"); }
  void on_batch_begin(int64_t batch, Logs&) override {
    notes_.push_back(name_ + " begin " + std::to_string(batch));
  }
  void on_batch_end(int64_t batch, Logs& logs) override {
    notes_.push_back(name_ + " end " + std::to_string(batch));
    logs["from " + name_] = 1;
  }

 private:
  std::string name_;
  std::vector<std::string>& notes_;
};

class ThrowingCallback : public Callback {
 public:
  explicit ThrowingCallback(bool own) : own_(own) {}
  void on_epoch_end(int64_t, Logs&) override {
    if (own_) throw std::out_of_range("mine");
    throw ValueError("a bad value.");
  }

 private:
  bool own_;
};

}  // namespace

TEST_CASE("a list calls its callbacks in order, on_batch hooks too, in a loop of one's own") {
  std::vector<std::string> notes;
  Sequential model({Input({2}), layers::Dense({.units = 1})});
  CallbackList list({std::make_shared<Noting>("a", notes)}, model, {.epochs = 2, .steps = 3});
  list.append(std::make_shared<Noting>("b", notes));
  CHECK(list.callbacks().size() == 2);
  CHECK(list.callbacks()[1]->params().steps == 3);
  CHECK(list.callbacks()[1]->model() == &model);
  Logs logs;
  list.on_train_begin(logs);
  list.on_train_batch_begin(4, logs);
  logs.close();  // as those of train_on_batch are
  list.on_batch_end(4, logs);
  CHECK(notes == std::vector<std::string>{"a train", "b train", "a begin 4", "b begin 4", "a end 4",
                                          "b end 4"});
  CHECK(logs.size() == 2);
  CHECK_THROWS_AS(CallbackList({nullptr}, model), ValueError);
}

TEST_CASE("an error in a callback names it, and the model can be used afterwards") {
  Sequential model({Input({2}), layers::Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const Tensor x = ops::ones({4, 2}), y = ops::ones({4, 1});
  const auto fit = [&](bool own) {
    model.fit(x, y,
              {.verbose = Verbose::silent, .callbacks = {std::make_shared<ThrowingCallback>(own)}});
  };
  CHECK(test::error_of([&] { fit(false); }) == "Callback Throwing, on_epoch_end: a bad value.");
  CHECK_THROWS_AS(fit(false), ValueError);
  show_warnings(false);
  CHECK_THROWS_AS(fit(true), std::out_of_range);
  CHECK(test::error_of([&] { fit(true); }) == "mine");
  show_warnings(true);
  CHECK_NOTHROW(model.fit(x, y, {.verbose = Verbose::silent}));
  CHECK(model.predict(x, {.verbose = Verbose::silent}).tensor().shape() == Shape{4, 1});
}

TEST_CASE("a callback's name is its class's without the namespace and 'Callback'") {
  std::vector<std::string> notes;
  CHECK(Noting("a", notes).name() == "Noting");
  CHECK(callbacks::EarlyStopping()->name() == "EarlyStopping");
  CHECK(callbacks::BackupAndRestore({.backup_dir = "b"})->name() == "BackupAndRestore");
}

TEST_CASE("lists of callbacks are made of handles, pointers and lists") {
  std::vector<std::string> notes;
  const auto noting = std::make_shared<Noting>("a", notes);
  const callbacks::EarlyStopping stopping({.monitor = "loss"});
  const Callbacks braces = {noting, stopping};
  CHECK(braces.size() == 2);
  CHECK(braces[0] == noting);
  const std::vector<std::shared_ptr<Noting>> pointers = {noting, noting};
  CHECK(Callbacks(pointers).size() == 2);
  const std::vector<std::shared_ptr<Callback>> bases = {noting};
  FitOptions options{.callbacks = bases};
  options.callbacks.push_back(stopping);
  CHECK(options.callbacks.size() == 2);
}

namespace {
struct HidesItsHook : Callback {
  void on_epoch_end(int, const Logs&) {}
};
template <class T>
constexpr bool overrides_epoch_end = std::is_convertible_v<
    decltype(&T::on_epoch_end),
    typename cornu::detail::HookOf<T, decltype(&Callback::on_epoch_end)>::type>;
}  // namespace

TEST_CASE("a hook that would never be called is told from one that is") {
  // AnyCallback refuses the former by a static_assert.
  STATIC_REQUIRE(!overrides_epoch_end<HidesItsHook>);
  STATIC_REQUIRE(overrides_epoch_end<Noting>);
  STATIC_REQUIRE(overrides_epoch_end<callbacks::EarlyStopping::Object>);
}

TEST_CASE("a list adds what keeps the history and what draws a bar, as Keras's options say") {
  Sequential model({Input({2}), layers::Dense({.units = 1})});
  CallbackList list({}, {.add_history = true,
                         .add_progbar = true,
                         .model = &model,
                         .params = {.epochs = 2, .steps = 3, .verbose = 0}});
  REQUIRE(list.callbacks().size() == 2);
  CHECK(list.callbacks()[0]->name() == "History");
  CHECK(list.callbacks()[1]->name() == "Progbar");
  CHECK(list.callbacks()[1]->params().steps == 3);
  CHECK(list.model() == &model);
  for (int run = 0; run < 2; ++run) {
    Logs none, first{{"loss", 0.5}}, second{{"loss", 0.25}, {"accuracy", 1}};
    list.on_train_begin(none);
    list.on_epoch_begin(0, none);
    list.on_epoch_end(0, first);
    list.on_epoch_begin(1, none);
    list.on_epoch_end(1, second);
    list.on_train_end(second);
    CHECK(list.history().epoch == std::vector<int64_t>{0, 1});
    CHECK(list.history()["loss"] == std::vector<double>{0.5, 0.25});
    CHECK(list.history()["accuracy"] == std::vector<double>{1});
  }
}

TEST_CASE("a list of Keras's arguments in its order, whose model and parameters may follow") {
  Sequential model({Input({2}), layers::Dense({.units = 1})});
  CallbackList list({callbacks::ProgbarLogger()}, false, true);
  CHECK(list.callbacks().size() == 1);  // there was a bar already
  CHECK(list.model() == nullptr);
  list.set_model(&model);
  list.set_params({.epochs = 4});
  CHECK(list.callbacks()[0]->model() == &model);
  CHECK(list.callbacks()[0]->params().epochs == 4);
  CHECK(list.params().epochs == 4);
  CHECK_THROWS_WITH(list.history(),
                    "CallbackList: it keeps no history; make it with "
                    "{.add_history = true}.");
  CHECK(CallbackList().empty());
}

}  // namespace callback_list_test
