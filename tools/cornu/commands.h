// The commands of the program cornu. Each prints its result and throws cornu::Error when it cannot.
#pragma once
#include <cstdint>
#include <string>

namespace cornu::cli {

struct RunOptions {
  int64_t batch_size = 32;
  bool quiet = false;
};

void summary(const std::string& model_file);
void predict(const std::string& model_file, const std::string& in, const std::string& out,
             const RunOptions& options);
void evaluate(const std::string& model_file, const std::string& data, const RunOptions& options);
/// Whether the file loads; the reasons are printed. `model_file` is the model of a file of weights,
/// or empty.
bool check(const std::string& file, const std::string& model_file);
/// Layers, and weights with shapes and statistics. Also of a file of weights whose model is given.
void inspect(const std::string& file, const std::string& model_file);
/// Whether two models are equal in config, weights and outputs; what differs is printed.
bool diff(const std::string& a, const std::string& b);
/// Writes a model in the form that the name of `out` stands for; `shard_size` is in gigabytes, 0
/// for none.
void convert(const std::string& in, const std::string& out, double shard_size);

}  // namespace cornu::cli
