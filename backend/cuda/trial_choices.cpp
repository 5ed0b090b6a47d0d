// The files of choices.
#include "trial_choices.h"

#include <unistd.h>

#include <atomic>
#include <fstream>
#include <iterator>
#include <system_error>

#include "codegen/kernel_plan.h"
#include "nvrtc_cache.h"

namespace cornu::backend::cuda {

namespace fs = std::filesystem;

TrialChoices::TrialChoices(Context&) : folder_(default_kernel_folder()) {}

// A file is its head, which holds the whole key, and a number. Anything else is as good as none.
std::optional<size_t> TrialChoices::load(const fs::path& file, const std::string& head,
                                         size_t count) const {
  std::ifstream stream(file, std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(stream)),
                            std::istreambuf_iterator<char>());
  if (!content.starts_with(head)) return std::nullopt;
  const std::string digits = content.substr(head.size());
  if (digits.empty() || digits.size() > 4 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  const auto choice = static_cast<size_t>(std::stoul(digits));
  return choice < count ? std::optional(choice) : std::nullopt;
}

size_t TrialChoices::get(const std::string& key, size_t count,
                         const std::function<size_t()>& choose) const {
  if (folder_.empty()) return choose();
  const std::string head = "cornu choice 1\n" + key + "\nof " + std::to_string(count) + ": ";
  const fs::path file = folder_ / ("trial_" + text_hash(head) + ".choice");
  if (const auto kept = load(file, head, count)) return *kept;
  const size_t choice = choose();
  static std::atomic<uint64_t> number = 0;
  fs::path part = file;
  part += "." + std::to_string(getpid()) + "." + std::to_string(number++) + ".part";
  {
    std::ofstream stream(part, std::ios::binary);
    stream << head << choice;
  }
  // A link, unlike a rename, leaves what another process has written meanwhile: both then take
  // that.
  std::error_code error, ignored;
  fs::create_hard_link(part, file, error);
  std::optional<size_t> kept = error ? load(file, head, count) : choice;
  if (!kept) {  // damaged, or links are not to be had here
    fs::rename(part, file, ignored);
    kept = choice;
  }
  fs::remove(part, ignored);
  return *kept;
}

}  // namespace cornu::backend::cuda
