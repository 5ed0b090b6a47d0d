// Loading, predicting, saving again, and training, against what Keras computed.
#include "check_model.h"

#include <cornu/backend/error.h>
#include <cornu/framework/model/model.h>
#include <cornu/framework/ops/operators.h>
#include <cornu/framework/saving/keras_file.h>

#include <algorithm>
#include <fstream>

#include "folder.h"
#include "report.h"

namespace cornu::zoo {
namespace {

namespace fs = std::filesystem;
using ModelPtr = std::shared_ptr<Model>;

class ModelCheck {
 public:
  ModelCheck(const fs::path& folder, ReportWriter& report, const fs::path& scratch)
      : folder_(folder), report_(report), scratch_(scratch) {
    batch_size_ = static_cast<int64_t>(folder_.number("", "batch_size"));
  }

  void run() {
    check_predictions();
    check_legacy();
    check_saving();
    if (folder_.trained()) check_training();
  }

 private:
  // --- forms ---

  // The archive of the untrained model: Keras 2's has another name.
  std::string archive() const {
    for (const char* name : {"model.keras", "keras2.keras"})
      if (folder_.has_file(name)) return name;
    return "model.keras";
  }

  ModelPtr from_json(const std::string& weights) {
    ModelPtr model = model_from_json(folder_.text("model.json"));
    model->load_weights(folder_.file(weights));
    return model;
  }

  // Predicts in batches as Keras did, and compares with a group of io.h5.
  Difference predicts(Model& model, const std::string& outputs, const Tolerance& tolerance) {
    const Nest y = model.predict(folder_.nest("inputs"),
                                 {.batch_size = batch_size_, .verbose = Verbose::silent});
    return compare(outputs, y, folder_.nest(outputs), tolerance);
  }
  Difference predicts(Model& model, const std::string& outputs = "outputs") {
    return predicts(model, outputs, folder_.predict_tolerance());
  }

  Difference predicts_twice(Model& model) {
    Difference d = predicts(model);
    if (folder_.has("outputs_second_call")) d.merge(predicts(model, "outputs_second_call"));
    return d;
  }

  void check_predictions() {
    report_.check("predict", archive(),
                  [&] { return predicts_twice(*load_model(folder_.file(archive()), false)); });
    if (folder_.has_file("model.json") && !folder_.weights_are_partial()) {
      if (folder_.has_file("model.weights.h5"))
        report_.check("predict", "model.json + model.weights.h5",
                      [&] { return predicts_twice(*from_json("model.weights.h5")); });
      if (folder_.has_file("model.weights.json"))
        report_.check("predict", "model.json + model.weights.json",
                      [&] { return predicts_twice(*from_json("model.weights.json")); });
    }
    if (folder_.has_file("trained.keras"))
      report_.check("predict", "trained.keras", [&] {
        return predicts(*load_model(folder_.file("trained.keras"), false), "train/outputs_after");
      });
  }

  void check_legacy() {
    for (const char* name : {"model.h5", "trained.h5"})
      if (folder_.has_file(name))
        report_.check("legacy", name, [&] {
          const ModelPtr model = load_model(folder_.file(name), false);
          if (std::string(name) == "model.h5") return predicts_twice(*model);
          return predicts(*model, "train/outputs_after");
        });
    if (folder_.has_file("weights_only.h5"))
      report_.check("legacy", "model.json + weights_only.h5",
                    [&] { return predicts_twice(*from_json("weights_only.h5")); });
  }

  // --- saving again ---

  // What Cornu writes of `model` must load, and be the same model.
  Difference same_again(Model& model, const ModelPtr& again, const std::string& outputs) {
    Difference d = predicts(*again, outputs);
    const std::vector<Tensor> before = model.get_weights(), after = again->get_weights();
    if (before.size() != after.size()) d.merge({"the number of weights changed", 0});
    for (size_t i = 0; i < std::min(before.size(), after.size()); ++i)
      d.merge(
          compare("weight " + std::to_string(i) + " after saving", after[i], before[i], {0, 0}));
    if (const std::string a = model.to_json(), b = again->to_json(); a != b) {
      const size_t at = static_cast<size_t>(
          std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
      const size_t from = at < 60 ? 0 : at - 60;
      d.merge({"the config changes when it is saved and loaded: ..." + a.substr(from, 120) +
                   "... became ..." + b.substr(from, 120) + "...",
               0});
    }
    return d;
  }

  // So that the weights take several files, each of which has room for the largest of them.
  static double shard_gigabytes(const Model& model) {
    size_t largest = 0, all = 0;
    for (const Tensor& weight : model.get_weights()) {
      largest = std::max(largest, weight.bytes());
      all += weight.bytes();
    }
    return static_cast<double>(std::max({largest + 1, all / 3, size_t{1024}})) * 1e-9;
  }

  void check_saving() {
    const std::string first = archive();
    auto original = [&] { return load_model(folder_.file(first)); };
    auto written = [&](const char* name) { return (scratch_ / name).string(); };
    auto resave = [&](const std::string& name, const std::function<ModelPtr(Model&)>& round_trip,
                      const char* kind = "resave") {
      report_.check(kind, first + " as " + name, [&] {
        const ModelPtr model = original();
        return same_again(*model, round_trip(*model), "outputs");
      });
    };
    resave(".keras", [&](Model& model) {
      model.save(written("model.keras"));
      return load_model(written("model.keras"));
    });
    if (!folder_.weights_are_partial())
      resave(".json and .weights.h5", [&](Model& model) {
        std::ofstream(written("model.json")) << model.to_json();
        model.save_weights(written("model.weights.h5"));
        ModelPtr again = model_from_json(model.to_json());
        again->load_weights(written("model.weights.h5"));
        return again;
      });
    resave("a folder", [&](Model& model) {
      saving::save_model(model, written("folder.keras"), {.zipped = false});
      return load_model(written("folder.keras"));
    });
    if (!folder_.weights_are_partial())
      resave(".weights.json", [&](Model& model) {
        saving::save_weights(model, written("shards.weights.json"),
                             {.max_shard_size = shard_gigabytes(model)});
        ModelPtr again = model_from_json(model.to_json());
        again->load_weights(written("shards.weights.json"));
        return again;
      });
    // Not every model fits the legacy form: those that Keras wrote in it do.
    if (folder_.has_file("model.h5"))
      resave(
          ".h5",
          [&](Model& model) {
            saving::save_model(model, written("model.h5"));
            return load_model(written("model.h5"));
          },
          "legacy");
    if (folder_.has_file("trained.keras"))
      report_.check("resave", "trained.keras as .keras", [&] {
        const ModelPtr model = load_model(folder_.file("trained.keras"));
        model->save(written("trained.keras"));
        const ModelPtr again = load_model(written("trained.keras"));
        Difference d = same_again(*model, again, "train/outputs_after");
        if (d.ok()) d.merge(resumes(*again));
        return d;
      });
  }

  // --- training ---

  Nest sample_weight() const {
    return folder_.has("train/sample_weight") ? folder_.nest("train/sample_weight") : Nest();
  }

  Difference evaluates(Model& model, const std::string& group, const std::string& stage) {
    const Logs logs = model.evaluate(folder_.nest("train/x"), folder_.nest("train/y"),
                                     {.batch_size = train_batch_size(),
                                      .verbose = Verbose::silent,
                                      .sample_weight = sample_weight()});
    Figures found;
    for (const auto& [name, value] : logs) found[name] = {value};
    return compare(group, found, folder_.figures("train/" + group),
                   folder_.train_tolerance(stage, group));
  }

  Difference fits(Model& model, int64_t epochs, const std::string& group,
                  const std::string& stage) {
    const History history = model.fit(folder_.nest("train/x"), folder_.nest("train/y"),
                                      {.batch_size = train_batch_size(),
                                       .epochs = epochs,
                                       .verbose = Verbose::silent,
                                       .shuffle = folder_.number("train", "shuffle") != 0,
                                       .sample_weight = sample_weight()});
    return compare(group, history.history, folder_.figures("train/" + group),
                   folder_.train_tolerance(stage, "history"));
  }

  // Healthy trainings: diagnose finds nothing, and what follows is as if it had not looked.
  Difference diagnoses(Model& model) {
    Difference d;
    for (const Finding& f : model.diagnose(folder_.nest("train/x"), folder_.nest("train/y"),
                                           {.batch_size = train_batch_size(),
                                           .shuffle = folder_.number("train", "shuffle") != 0,
                                           .sample_weight = sample_weight()}))
      d.merge({"diagnose finds " + f.str(), 0});
    return d;
  }

  int64_t train_batch_size() const {
    return static_cast<int64_t>(folder_.number("train", "batch_size"));
  }

  Difference resumes(Model& model) {
    Difference d = diagnoses(model);
    d.merge(evaluates(model, "evaluate_after", "resume"));
    d.merge(fits(model, 1, "history_resume", "resume"));
    if (folder_.has("train/weights_after_resume"))
      d.merge(compare("weights_after_resume", model.get_weights(),
                      folder_.list("train/weights_after_resume"),
                      folder_.train_tolerance("resume", "weights"), true));
    return d;
  }

  Difference trains(const std::string& file) {
    const ModelPtr model = load_model(folder_.file(file));
    if (!model->compiled()) return {"the model is not compiled", 0};
    Difference d = diagnoses(*model);
    d.merge(evaluates(*model, "evaluate_before", "train"));
    d.merge(
        fits(*model, static_cast<int64_t>(folder_.number("train", "epochs")), "history", "train"));
    d.merge(compare("weights_after", model->get_weights(), folder_.list("train/weights_after"),
                    folder_.train_tolerance("train", "weights_after"), true));
    if (folder_.has("train/optimizer_after")) {
      std::vector<Tensor> state;
      for (const Variable& v : model->optimizer()->variables()) state.push_back(v.value());
      d.merge(compare("optimizer_after", state, folder_.list("train/optimizer_after"),
                      folder_.train_tolerance("train", "optimizer_after"), false));
    }
    if (folder_.has("train/outputs_after"))
      d.merge(predicts(*model, "train/outputs_after",
                       folder_.train_tolerance("train", "outputs_after")));
    return d;
  }

  void check_training() {
    report_.check("train", archive(), [&] { return trains(archive()); });
    if (folder_.has_file("trained.keras"))
      report_.check("train", "trained.keras goes on",
                    [&] { return resumes(*load_model(folder_.file("trained.keras"))); });
    if (folder_.has_file("model.h5"))
      report_.check("legacy", "model.h5 trains", [&] { return trains("model.h5"); });
    if (folder_.has_file("trained.h5"))
      report_.check("legacy", "trained.h5 goes on",
                    [&] { return resumes(*load_model(folder_.file("trained.h5"))); });
  }

  ModelFolder folder_;
  ReportWriter& report_;
  fs::path scratch_;
  int64_t batch_size_ = 32;
};

}  // namespace

void check_model(const fs::path& folder, const fs::path& report, const fs::path& scratch) {
  ReportWriter writer(report);
  std::unique_ptr<ModelCheck> check;
  writer.check("predict", "io.h5", [&]() -> Difference {
    check = std::make_unique<ModelCheck>(folder, writer, scratch);
    return {};
  });
  if (check) check->run();
}

}  // namespace cornu::zoo
