// The program of docs/callbacks.md.
#include <cornu/cornu.h>

#include <cstdio>
#include <filesystem>

using namespace cornu;

// Counts the batches of all epochs.
class Counter : public Callback {
 public:
  void on_train_batch_end(int64_t, Logs&) override { ++batches; }
  bool wants_batch_logs() const override { return false; }
  int64_t batches = 0;
};

// The loop of fit by hand.
void train(Model& model, Dataset& data, int64_t epochs, const std::string& table) {
  CallbackList callbacks({callbacks::CSVLogger({.filename = table}), callbacks::ProgbarLogger()},
                         model, {.epochs = epochs, .steps = data.size()});
  Logs logs;
  callbacks.on_train_begin(logs);
  for (int64_t epoch = 0; epoch < epochs && !model.stop_training; ++epoch) {
    callbacks.on_epoch_begin(epoch, logs);
    for (int64_t step = 0; step < data.size(); ++step) {
      callbacks.on_train_batch_begin(step, logs);
      const Batch batch = data.batch(step);
      logs = model.train_on_batch(batch.x, batch.y);
      callbacks.on_train_batch_end(step, logs);
    }
    callbacks.on_epoch_end(epoch, logs);
  }
  callbacks.on_train_end(logs);
}

int main() {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / "cornu-docs-callbacks";
  const auto data = datasets::gaussians(512);

  Sequential model({Input({20}), layers::Dense({.units = 8, .activation = "relu"}),
                    layers::Dense({.units = 1})});
  model.compile({.optimizer = "adam", .loss = "mse", .metrics = {"mae"}});

  const auto counter = std::make_shared<Counter>();
  const callbacks::EarlyStopping early_stopping({.patience = 3, .restore_best_weights = true});
  model.fit(data.x, data.y,
            {.epochs = 5,
             .callbacks = {early_stopping, counter,
                           callbacks::ModelCheckpoint(
                               {.filepath = folder / "{epoch:02d}-{val_loss:.2f}.keras",
                                .save_best_only = true}),
                           callbacks::CSVLogger({.filename = folder / "history.csv"}),
                           callbacks::LambdaCallback({.on_epoch_end =
                                                          [](int64_t epoch, Logs& logs) {
                                                            if (epoch == 4)
                                                              std::printf(
                                                                  "loss of the fifth epoch: %.3f\n",
                                                                  logs["loss"]);
                                                          }})},
             .validation_split = 0.25});
  std::printf("%lld batches, best validation loss %.3f\n", static_cast<long long>(counter->batches),
              early_stopping->best().value_or(0));

  TensorDataset batches(data.x, data.y, {}, {.batch_size = 64});
  train(model, batches, 3, folder / "loop.csv");
  std::filesystem::remove_all(folder);
}
