// Writing texts on: GPT-2's smallest model, with 124 M random weights.
#include <algorithm>

#include "workloads.h"

namespace cornu::bench {

// Tokens behind a prompt of 32, greedily and with the cache, for one text or for eight at a time.
void measure_generation(const Workload& workload, const std::string& mode,
                        const Settings& settings) {
  constexpr int64_t known = 32, fresh = 64;
  const size_t texts = mode == "generate" ? 1 : 8;
  applications::GPT2CausalLM model;
  std::vector<std::vector<int64_t>> prompts(texts);
  for (size_t i = 0; i < texts; ++i)
    for (int64_t place = 0; place < known; ++place)
      prompts[i].push_back((7919 * place + 104729 * static_cast<int64_t>(i)) % 50257);
  const auto write = [&](int64_t length) { model.generate_batch(prompts, {.max_length = length}); };
  Report report(workload.name, mode, static_cast<int64_t>(texts));
  write(known + 1);
  report.first_step();
  write(known + fresh);  // the step is compiled here
  const auto whole = repeat([&] { write(known + fresh); }, settings.effort);
  report.rate("tokens", whole, static_cast<double>(texts) * fresh, "tokens/s");
  const auto first = repeat([&] { write(known + 1); }, settings.effort);
  report.latency("first_token", first, "ms");
  const double later =
      *std::min_element(whole.begin(), whole.end()) - *std::min_element(first.begin(), first.end());
  report.value("later_tokens", static_cast<double>(texts) * (fresh - 1) / later, "tokens/s");
  report.finish();
}

}  // namespace cornu::bench
