// The files of choices.
#include "trial_choices.h"

#include <fstream>
#include <iterator>
#include <system_error>

#include "codegen/kernel_plan.h"
#include "nvrtc_cache.h"

namespace cornu::backend::cuda {

namespace fs = std::filesystem;

namespace {

// A file is its head, which holds the whole key, and a number. Anything else is as good as none.
std::string head_of(const std::string& key, size_t count) {
  return "cornu choice 1\n" + key + "\nof " + std::to_string(count) + ": ";
}

std::optional<size_t> load(const fs::path& file, const std::string& head, size_t count) {
  std::ifstream stream(file, std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(stream)),
                            std::istreambuf_iterator<char>());
  if (!content.starts_with(head)) return std::nullopt;
  const std::string digits = content.substr(head.size());
  if (digits.empty() || digits.size() > 4 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  const auto choice = static_cast<size_t>(std::stoul(digits));
  if (choice >= count) return std::nullopt;
  std::error_code ignored;
  // The time of the last use, by which files are removed.
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
  return choice;
}

}  // namespace

TrialChoices::TrialChoices(Context&) : folder_(usable_kernel_folder(default_kernel_folder())) {}

fs::path TrialChoices::file_of(const std::string& head) const {
  return folder_ / ("trial_" + text_hash(head) + ".choice");
}

std::optional<size_t> TrialChoices::find(const std::string& key, size_t count) const {
  if (folder_.empty()) return std::nullopt;
  const std::string head = head_of(key, count);
  return load(file_of(head), head, count);
}

size_t TrialChoices::keep(const std::string& key, size_t count, size_t choice) const {
  if (folder_.empty()) return choice;
  const std::string head = head_of(key, count);
  const fs::path file = file_of(head);
  const fs::path part = part_of(file);
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
