// TensorBoard: what it writes, and that a resumed run ends with the same events.
#include <cornu/callbacks/embedding_files.h>
#include <cornu/callbacks/tensorboard.h>
#include <cornu/cornu.h>
#include <cornu/framework/model/call_graph.h>

#include "../framework/saving/python.h"
#include "../support/event_records.h"
#include "../support/stop_after.h"
#include "support.h"

namespace tensorboard_test {

using namespace cornu;
using callbacks::TensorBoard;
using test::count_holding;
using test::event_files;
using test::event_records;

namespace {

namespace fs = std::filesystem;

// sin(i) as float32, which the Python check computes as well.
Tensor waves(const Shape& shape) {
  std::vector<float> values(static_cast<size_t>(shape.numel()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(std::sin(static_cast<double>(i)));
  return Tensor::from(values, shape);
}

// A layer of the user's, whose call does operations itself.
class Scaled : public Layer {
 public:
  void build(const Shape&) override { gain_ = add_weight({.name = "gain", .shape = {}}); }
  Tensor call(const Tensor& x, const Call&) override { return ops::tanh(x) * Tensor(gain_) + x; }
  std::string base_name() const override { return "scaled"; }

 private:
  Variable gain_;
};

class Net : public Model {
 public:
  Tensor call(const Tensor& x, const Call&) override {
    return head_(scaled_->operator()(ops::relu(hidden_(x))) * 0.5) + ops::mean(x, {-1}, true);
  }

 private:
  layers::Dense hidden_ = track("hidden", layers::Dense({.units = 4, .name = "hidden"}));
  std::shared_ptr<Scaled> scaled_ = track("scaled", make<Scaled>());
  layers::Dense head_ = track("head", layers::Dense({.units = 1, .name = "head"}));
};

std::shared_ptr<Sequential> mlp() {
  auto model = std::make_shared<Sequential>(
      std::vector<AnyLayer>{Input({4}),
                            layers::Dense({.units = 6, .activation = "relu", .name = "dense"}),
                            layers::Dropout({.rate = 0.0, .name = "dropout"}),
                            layers::Dense({.units = 1, .name = "dense_1"})},
      Sequential::Options{.name = "net"});
  std::vector<Tensor> weights;
  for (const Tensor& w : model->get_weights()) weights.push_back(waves(w.shape()));
  model->set_weights(weights);
  model->compile(
      {.optimizer = optimizers::SGD({.learning_rate = 0.01}), .loss = "mse", .metrics = {"mae"}});
  return model;
}

const Tensor x = waves({24, 4});
const Tensor y = waves({24, 1});

FitOptions options(Callbacks list) {
  FitOptions o;
  o.batch_size = 4;
  o.epochs = 3;
  o.verbose = Verbose::silent;
  o.shuffle = false;
  o.validation_data = {x, y};
  o.callbacks = std::move(list);
  return o;
}

std::vector<std::string> records_of(const std::string& folder) {
  const auto files = event_files(folder);
  REQUIRE(files.size() == 1);
  return event_records(files[0]);
}

const GraphNode& node(const std::vector<GraphNode>& nodes, const std::string& name) {
  const auto found =
      std::find_if(nodes.begin(), nodes.end(), [&](const GraphNode& n) { return n.name == name; });
  INFO(name);
  REQUIRE(found != nodes.end());
  return *found;
}

}  // namespace

TEST_CASE("figures of epochs are under Keras's tags") {
  test::TemporaryFolder folder;
  mlp()->fit(x, y, options({TensorBoard({.log_dir = folder / "logs", .write_graph = false})}));
  const auto train = records_of(folder / "logs/train");
  for (const char* tag : {"epoch_loss", "epoch_mae", "epoch_learning_rate"})
    CHECK(count_holding(train, tag) == 3);
  CHECK(train.size() == 10);
  const auto validation = records_of(folder / "logs/validation");
  for (const char* tag : {"epoch_loss", "epoch_mae", "evaluation_loss_vs_iterations"})
    CHECK(count_holding(validation, tag) == 3);
}

TEST_CASE("figures of every second batch, weights, images and speed") {
  test::TemporaryFolder folder;
  mlp()->fit(x, y,
             options({TensorBoard({.log_dir = folder / "logs",
                                   .histogram_freq = 2,
                                   .write_images = true,
                                   .write_steps_per_second = true,
                                   .update_freq = 2})}));
  const auto train = records_of(folder / "logs/train");
  for (const char* tag : {"batch_loss", "batch_mae", "batch_steps_per_second"})
    CHECK(count_holding(train, tag) == 9);
  CHECK(count_holding(train, "epoch_steps_per_second") == 3);
  // epochs 0 and 2
  for (const char* tag : {"net/dense/kernel/histogram", "net/dense/bias/image"})
    CHECK(count_holding(train, tag) == 2);
  CHECK(count_holding(train, "graph_keras_model") == 1);
}

TEST_CASE("weights have the paths of the layers around them") {
  test::TemporaryFolder folder;
  const Input input({4, 6});
  const auto attention = [](const char* name) {
    return layers::MultiHeadAttention({.num_heads = 2, .key_dim = 3, .name = name});
  };
  const Tensor a = attention("first")({input, input});
  const Tensor b = attention("second")({a, a});
  Functional model(input, layers::Dense({.units = 1, .name = "head"})(b));
  model.compile({.optimizer = "sgd", .loss = "mse"});
  FitOptions o = options({TensorBoard({.log_dir = folder / "logs", .histogram_freq = 1})});
  o.validation_data = {};
  model.fit(waves({8, 4, 6}), waves({8, 4, 1}), o);
  const auto train = records_of(folder / "logs/train");
  for (const char* tag : {"first/query/kernel/histogram", "second/query/kernel/histogram"})
    CHECK(count_holding(train, tag) == 3);
  CHECK(count_holding(train, "head/bias/histogram") == 3);
}

TEST_CASE("histograms of gradients leave the training as it is") {
  test::TemporaryFolder folder;
  const auto fit = [&](bool gradients) {
    const auto model = mlp();
    model->fit(x, y,
               options({TensorBoard({.log_dir = folder / (gradients ? "with" : "without"),
                                     .histogram_freq = 1,
                                     .write_gradients = gradients})}));
    return model->get_weights();
  };
  const auto with = fit(true), without = fit(false);
  for (size_t i = 0; i < with.size(); ++i)
    CHECK(with[i].to_vector<float>() == without[i].to_vector<float>());
  const std::string tag = "kernel/gradient";
  CHECK(count_holding(records_of(folder / "with/train"), tag) >= 3);
  CHECK(count_holding(records_of(folder / "without/train"), tag) == 0);
}

TEST_CASE("evaluate alone writes figures by the updates done") {
  test::TemporaryFolder folder;
  EvaluateOptions o;
  o.verbose = Verbose::silent;
  o.callbacks = {TensorBoard({.log_dir = folder / "logs"})};
  mlp()->evaluate(x, y, o);
  CHECK(count_holding(records_of(folder / "logs/validation"), "evaluation_mae_vs_iterations") == 1);
  CHECK(!fs::exists(folder / "logs/train"));
}

TEST_CASE("the graph of a subclassed model has its layers and its own operations") {
  Net net;
  net(x);
  const auto nodes = call_graph(net);
  CHECK(node(nodes, "input").op == "Input");
  CHECK(node(nodes, "hidden/kernel").op == "Variable");
  const GraphNode& product = node(nodes, "hidden/matmul");
  CHECK(product.inputs == std::vector<std::string>{"input", "hidden/kernel", "hidden/bias"});
  CHECK(product.shapes == std::vector<Shape>{{1, 4}});
  CHECK(node(nodes, "relu").inputs.size() == 1);
  CHECK(node(nodes, "scaled/tanh").inputs == std::vector<std::string>{"relu"});
  node(nodes, "scaled/gain");
  node(nodes, "head/matmul");
  // Whatever is read is a node.
  for (const GraphNode& n : nodes)
    for (const std::string& input : n.inputs) node(nodes, input);
}

TEST_CASE("the graph of a functional model has all its layers and changes no state") {
  const Input input({.shape = {8, 8, 3}, .name = "picture"});
  const Tensor a =
      layers::Conv2D({.filters = 2, .kernel_size = 3, .padding = "same", .name = "conv"})(input);
  const Tensor b = layers::BatchNormalization({.name = "norm"})(a);
  const Tensor c = layers::Dropout({.rate = 0.5, .name = "drop"})(ops::relu(b) + a);
  const Tensor d = layers::Flatten({.name = "flat"})(c);
  Functional model(input, layers::Dense({.units = 2, .name = "head"})(d));
  const auto before = model.get_weights();
  const auto nodes = call_graph(model);
  CHECK(node(nodes, "picture").shapes == std::vector<Shape>{{1, 8, 8, 3}});
  CHECK(node(nodes, "conv/conv").inputs[0] == "picture");
  node(nodes, "norm/moving_mean");
  CHECK(node(nodes, "drop").op == "dropout");
  CHECK(node(nodes, "flat/reshape").inputs == std::vector<std::string>{"drop"});
  CHECK(node(nodes, "head/matmul").inputs[0] == "flat/reshape");
  const auto after = model.get_weights();
  for (size_t i = 0; i < before.size(); ++i)
    CHECK(before[i].to_vector<float>() == after[i].to_vector<float>());
}

TEST_CASE("a model whose call reads values has a graph, and one that is not built has none") {
  class Reads : public Model {
   public:
    Tensor call(const Tensor& x, const Call&) override {
      return ops::sum(x).item() > 1e9 ? x : x * 2.0;
    }
  };
  Reads reads;
  CHECK_THROWS_AS(call_graph(reads), StateError);
  reads(x);
  CHECK(node(call_graph(reads), "multiply").inputs == std::vector<std::string>{"input"});
}

TEST_CASE("batches are profiled") {
  test::TemporaryFolder folder;
  mlp()->fit(x, y, options({TensorBoard({.log_dir = folder / "logs", .profile_batch = {8, 9}})}));
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "logs/train/plugins/profile"))
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  REQUIRE(files.size() == 1);
  const std::string json = test::slurp(files[0]);
  CHECK_THAT(json, Catch::Contains("train_step") && Catch::Contains("net/dense") &&
                       Catch::Contains("(gradient)"));
}

TEST_CASE("embeddings are written as the projector reads them") {
  test::TemporaryFolder folder;
  Sequential model({Input({3}),
                    layers::Embedding({.input_dim = 5, .output_dim = 2, .name = "words"}),
                    layers::Flatten(), layers::Dense({.units = 1})});
  model.compile({.optimizer = "sgd", .loss = "mse"});
  const auto callback = [&](callbacks::EmbeddingsMetadata metadata) {
    return TensorBoard({.log_dir = folder / "logs",
                        .embeddings_freq = 1,
                        .embeddings_metadata = std::move(metadata)});
  };
  const Tensor ids = ops::zeros({24, 3}), none = ops::zeros({24, 1});
  FitOptions o = options({callback({{"words", "words.labels"}})});
  o.validation_data = {};
  model.fit(ids, none, o);
  const std::string config = test::slurp(folder / "logs/projector_config.pbtxt");
  CHECK_THAT(config, Catch::Contains("tensor_path: \"words.tsv\"") &&
                         Catch::Contains("metadata_path: \"words.labels\""));
  const std::string table = test::slurp(folder / "logs/words.tsv");
  CHECK(std::count(table.begin(), table.end(), '\n') == 5);
  CHECK(std::count(table.begin(), table.end(), '\t') == 5);

  o.callbacks = {callback({{"word", "words.labels"}})};
  CHECK_THROWS_WITH(model.fit(ids, none, o),
                    Catch::Contains("'word'") && Catch::Contains("Did you mean 'words'?"));
  CHECK_THROWS_WITH(callbacks::write_embedding_files(model, "/proc/nowhere", {}),
                    Catch::Contains("the folder '/proc/nowhere' cannot be made"));
}

TEST_CASE("options that make no sense") {
  CHECK_THROWS_AS(TensorBoard({.histogram_freq = -1}), ValueError);
  CHECK_THROWS_AS(TensorBoard({.embeddings_freq = -1}), ValueError);
  CHECK_THROWS_AS(callbacks::UpdateFreq("step"), ValueError);
  CHECK_THROWS_AS(callbacks::UpdateFreq(0), ValueError);
  CHECK_THROWS_AS(callbacks::ProfileBatch(-1), ValueError);
  CHECK_THROWS_AS(callbacks::ProfileBatch(5, 4), ValueError);
  CHECK_THROWS_WITH(mlp()->fit(x, y, options({TensorBoard({.log_dir = "/proc/nowhere"})})),
                    Catch::Contains("/proc/nowhere") && Catch::Contains("TensorBoard"));
}

TEST_CASE("a run that is resumed has the events of one that never ended") {
  const auto board = [](const std::string& at) {
    return TensorBoard({.log_dir = at + "/logs",
                        .histogram_freq = 1,
                        .write_images = true,
                        .write_gradients = true,
                        .update_freq = 1});
  };
  test::TemporaryFolder whole;
  const std::string expected = whole / "run";
  mlp()->fit(x, y, options({board(expected)}));
  for (const int64_t stop : {1, 5, 6, 8, 13, 17}) {
    INFO("stopped after " << stop);
    test::TemporaryFolder folder;
    const std::string at = folder / "run";
    const auto backup = callbacks::BackupAndRestore({.backup_dir = at + "/backup", .save_freq = 4});
    CHECK_THROWS_AS(
        mlp()->fit(x, y, options({board(at), backup, std::make_shared<test::StopAfter>(stop)})),
        test::Stop);
    // The one that crashed keeps its file where no backup was made.
    if (stop < 4) fs::remove_all(at + "/logs");
    mlp()->fit(x, y, options({board(at), backup, std::make_shared<test::StopAfter>(1000)}));
    for (const char* part : {"/logs/train", "/logs/validation"})
      CHECK(records_of(at + part) == records_of(expected + part));
  }
}

TEST_CASE("a resumed run whose events are gone says so") {
  test::TemporaryFolder folder;
  const auto fit = [&](int64_t stop) {
    mlp()->fit(x, y,
               options({TensorBoard({.log_dir = folder / "logs"}),
                        callbacks::BackupAndRestore({.backup_dir = folder / "backup"}),
                        std::make_shared<test::StopAfter>(stop)}));
  };
  CHECK_THROWS_AS(fit(8), test::Stop);
  fs::remove_all(folder / "logs");
  CHECK_THROWS_WITH(fit(1000), Catch::Contains("events.out.tfevents.") &&
                                   Catch::Contains("has lost what it had"));
}

TEST_CASE("TensorBoard's pages show it") {
  const std::string script = test::quote(test::source_path("tools/tensorboard/screenshots.py"));
  const char* wanted = std::getenv("CORNU_PYTHON");
  const std::string python = test::quote(wanted ? wanted : "python3") + " ";
  if (std::system((python + script + " --probe >/dev/null 2>&1").c_str()) != 0) {
    std::cout << "skipped, no Chromium or no Python with TensorBoard (set CORNU_PYTHON to one).\n";
    return;
  }
  test::TemporaryFolder folder;
  mlp()->fit(x, y, options({TensorBoard({.log_dir = folder / "logs", .histogram_freq = 1})}));
  SummaryWriter(folder / "logs").hparams({{"units", 6}});
  const std::string log = folder / "log.txt";
  const int status = std::system((python + script + " " + test::quote(folder / "logs") + " " +
                                  test::quote(folder / "pages") + " >" + test::quote(log) + " 2>&1")
                                     .c_str());
  INFO(test::slurp(log));
  CHECK(status == 0);
  CHECK(fs::exists(folder / "pages/graph.png"));
}

TEST_CASE("TensorBoard reads what Keras's callback writes") {
  const std::string python = test::tensorboard_python();
  if (python.empty()) return;
  test::TemporaryFolder folder;
  mlp()->fit(x, y,
             options({TensorBoard({.log_dir = folder / "cornu",
                                   .histogram_freq = 1,
                                   .write_images = true,
                                   .write_steps_per_second = true,
                                   .update_freq = 2,
                                   .profile_batch = {14, 15}})}));
  {
    SummaryWriter writer(folder / "own");
    writer.text("note", "**bold** text");
    writer.hparams({{"units", 32}, {"rate", 0.5}, {"name", "first"}, {"bias", true}});
    writer.scalar("loss", 0.25, 3);
    writer.image("picture", waves({2, 5, 4, 3}), 1);
    writer.histogram("waves", waves({1000}), 2);
    Net net;
    net(x);
    writer.graph(call_graph(net));
  }
  const std::string log = folder / "log.txt";
  const int status =
      test::run_script(python, "check_tensorboard.py", test::quote(folder / "."), log);
  INFO(test::slurp(log));
  CHECK(status == 0);
}

}  // namespace tensorboard_test
