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
struct ParityOptions {
  std::string python = "python3";
  int64_t batch_size = 2;
  uint64_t seed = 1;
  double tolerance = 1e-4;  ///< relative to the largest value of an output
};
/// Whether the model's layers compute here what they compute in Python's Keras; a table is printed,
/// and the first layer that does not.
bool parity(const std::string& model_file, const ParityOptions& options);
/// Writes a model in the form that the name of `out` stands for; `shard_size` is in gigabytes, 0
/// for none.
void convert(const std::string& in, const std::string& out, double shard_size);

/// Prints the devices of this machine, and why others cannot be used.
void devices();

}  // namespace cornu::cli
