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
/// Whether the file loads; the reasons are printed.
bool check(const std::string& model_file);

}  // namespace cornu::cli
