// The files of a journal.
#include "journal.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "../../backend/log.h"
#include "../io/atomic_file.h"
#include "state_files.h"

namespace cornu {
namespace fs = std::filesystem;

namespace {

constexpr std::string_view prefix = "state-", magic = "CORNUJ2\n";
// Steps are written about every tenth of a second, by this many at most.
constexpr size_t largest_flush = 1 << 14;  // words
constexpr double seconds_between = 0.1;
// How much of the time that states may take the steps may wait for: to copy it, to start a thread.
constexpr double blocked_fraction = 0.1;

fs::path steps_file(const std::string& folder) { return fs::path(folder) / "steps.bin"; }

bool before(const JournalStep& a, const JournalStep& b) {
  return std::pair(a.epoch, a.step) < std::pair(b.epoch, b.step);
}

}  // namespace

// The steps of a file, and where the words of each end.
struct Journal::Reading {
  std::vector<JournalStep> steps;
  std::vector<size_t> ends;  // in bytes
};

Journal::Reading Journal::read(const std::string& folder) {
  const fs::path path = steps_file(folder);
  const std::vector<std::byte> bytes = io::read_file(path, std::numeric_limits<uint64_t>::max());
  if (bytes.size() < magic.size() || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    throw FileError(fmt::format("'{}' is not the journal of a training run.", path.string()));
  // What a run that was killed wrote last may be there in part.
  std::vector<uint32_t> words((bytes.size() - magic.size()) / sizeof(uint32_t));
  if (!words.empty())
    std::memcpy(words.data(), bytes.data() + magic.size(), words.size() * sizeof(uint32_t));
  Reading reading;
  int64_t epoch = 0, step = 0;
  for (size_t i = 0; i < words.size();) {
    const uint32_t word = words[i];
    const size_t next = i + (word == wide || word == jump ? 3 : 1);
    if (next > words.size()) break;
    if (word == jump) {
      epoch = words[i + 1];
      step = words[i + 2];
    } else {
      double loss = std::bit_cast<float>(word);
      if (word == wide) std::memcpy(&loss, &words[i + 1], sizeof(loss));
      reading.steps.push_back({epoch, step++, loss});
      reading.ends.push_back(magic.size() + next * sizeof(uint32_t));
    }
    i = next;
  }
  return reading;
}

// --- writing
// -----------------------------------------------------------------------------------------------

Journal::Journal(JournalOptions options) : options_(std::move(options)) {
  if (options_.folder.empty()) throw ValueError("A journal needs a folder; its name is empty.");
  if (options_.keep < 2)
    throw ValueError(fmt::format("Journal: keep must be at least 2, found {}.", options_.keep));
  if (!(options_.time_fraction > 0 && options_.time_fraction <= 1))
    throw ValueError(
        fmt::format("Journal: time_fraction must be in (0, 1], found {}.", options_.time_fraction));
  std::error_code error;
  fs::create_directories(options_.folder, error);
  if (error || !fs::is_directory(options_.folder))
    throw FileError(fmt::format("Journal: the folder '{}' cannot be made: {}.", options_.folder,
                                error ? error.message() : "a file has this name"));
}

Journal::~Journal() {
  try {
    flush();
  } catch (const Error&) {
  }
}

void Journal::begin() {
  for (const StateFile& file : state_files(options_.folder, prefix)) remove_state_file(file.path);
  file_ = std::ofstream(steps_file(options_.folder), std::ios::binary | std::ios::trunc);
  file_ << magic;
  epoch_ = step_ = -1;
  steps_ = last_state_ = next_look_ = 0;
  any_state_ = false;
  watch_ = {};
  flush();
}

void Journal::resume(int64_t epoch, int64_t step) {
  const fs::path path = steps_file(options_.folder);
  if (std::error_code ignored; !fs::exists(path, ignored)) return begin();
  const auto [steps, ends] = read(options_.folder);
  const JournalStep next{epoch, step, 0};
  steps_ = std::lower_bound(steps.begin(), steps.end(), next, before) - steps.begin();
  const size_t end = steps_ == 0 ? magic.size() : ends[static_cast<size_t>(steps_ - 1)];
  io::shorten_file(path, static_cast<int64_t>(end));
  epoch_ = steps_ == 0 ? -1 : steps[static_cast<size_t>(steps_ - 1)].epoch;
  step_ = steps_ == 0 ? -1 : steps[static_cast<size_t>(steps_ - 1)].step + 1;
  for (const StateFile& other : state_files(options_.folder, prefix))
    if (other.is_after(epoch, step)) remove_state_file(other.path);
  const JournalStep* const last = steps_ == 0 ? nullptr : &steps[static_cast<size_t>(steps_ - 1)];
  const bool whole = last ? (step > 0 ? last->step == step - 1 : last->epoch == epoch - 1)
                          : epoch == 0 && step == 0;
  if (!whole)
    warn_once(
        fmt::format("The journal in '{}' lacks steps before step {} of epoch {}, so the "
                    "numbers of later steps are too small. Steps by epoch are right.",
                    options_.folder, step, epoch + 1));
  file_ = std::ofstream(path, std::ios::binary | std::ios::app);
  last_state_ = next_look_ = steps_;
  any_state_ = !state_files(options_.folder, prefix).empty();
  watch_ = {};
}

bool Journal::due_now() {
  if (!any_state_) {
    asked_ = {};
    return true;
  }
  // The clock is looked at now and then: a step may take less time than that.
  next_look_ = steps_ + 1 + steps_ / 256;
  // As many steps lie between two as the number of states gives, and the time between two pays for
  // the next one.
  if (steps_ - last_state_ <= steps_ / options_.keep || writer_.busy()) return false;
  const double affordable = options_.time_fraction * watch_.seconds();
  asked_ = {};
  return spent_ + longest_ <= affordable &&
         blocked_ + longest_blocked_ <= blocked_fraction * affordable;
}

void Journal::keep(RunState state) {
  any_state_ = true;
  last_state_ = steps_;
  flush();
  const auto kept = std::make_shared<const RunState>(std::move(state));
  writer_.start([this, kept] {
    const Stopwatch watch;
    write(*kept);
    const double seconds = watch.seconds();
    spent_ = spent_ + seconds;
    longest_ = std::max(longest_.load(), seconds);
  });
  const double waited = asked_.seconds();
  blocked_ += waited;
  longest_blocked_ = std::max(longest_blocked_, waited);
}

void Journal::write(const RunState& state) {
  try {
    write_run_state(state_path(options_.folder, prefix, state.epoch, state.step), state);
  } catch (FileError& error) {
    error.prepend("The journal of the training run cannot be written");
    throw;
  }
  thin_out();
}

// The first state stays, as nothing comes before it, and the latest. Of the others goes that which
// leaves the smallest gap.
void Journal::thin_out() {
  std::vector<StateFile> states = state_files(options_.folder, prefix);
  const std::vector<JournalStep> steps = read(options_.folder).steps;
  const auto place = [&](const StateFile& state) {
    const JournalStep at{state.epoch, state.step, 0};
    return std::lower_bound(steps.begin(), steps.end(), at, before) - steps.begin();
  };
  while (static_cast<int64_t>(states.size()) > options_.keep) {
    size_t least = 1;
    const auto gap = [&](size_t i) { return place(states[i + 1]) - place(states[i - 1]); };
    for (size_t i = 2; i + 1 < states.size(); ++i)
      if (gap(i) < gap(least)) least = i;
    remove_state_file(states[least].path);
    states.erase(states.begin() + static_cast<ptrdiff_t>(least));
  }
}

void Journal::jump_to(int64_t epoch, int64_t step) {
  epoch_ = epoch;
  step_ = step;
  words_.insert(words_.end(), {jump, static_cast<uint32_t>(epoch), static_cast<uint32_t>(step)});
}

void Journal::note(int64_t epoch, int64_t step, const Tensor& loss) {
  if (!loss || loss.size() != 1) return note(epoch, step, std::numeric_limits<float>::quiet_NaN());
  begin_step(epoch, step);
  unread_.emplace_back(words_.size() + 1, loss);
  words_.insert(words_.end(), {wide, 0, 0});
}

void Journal::flush_now_and_then() {
  const double seconds = since_flush_.seconds();
  if (seconds < seconds_between / 2)
    words_at_most_ = std::min(2 * words_at_most_, largest_flush);
  else if (seconds > 2 * seconds_between)
    words_at_most_ = std::max<size_t>(words_at_most_ / 2, 1);
  flush();
}

void Journal::flush() {
  if (!file_.is_open()) return;
  for (const auto& [place, loss] : unread_) {
    const double value = loss.item();
    std::memcpy(&words_[place], &value, sizeof(value));
  }
  unread_.clear();
  file_.write(reinterpret_cast<const char*>(words_.data()),
              static_cast<std::streamsize>(words_.size() * sizeof(uint32_t)));
  words_.clear();
  since_flush_ = {};
  file_.flush();
  if (!file_)
    throw FileError(
        fmt::format("The journal '{}' cannot be written.", steps_file(options_.folder).string()));
}

void Journal::finish() {
  flush();
  writer_.wait();
}

// --- reading
// -----------------------------------------------------------------------------------------------

JournalReader::JournalReader(const std::string& folder) : folder_(folder) {
  if (std::error_code ignored; !fs::exists(steps_file(folder), ignored))
    throw FileError(
        fmt::format("'{}' has no journal. A run keeps one when fit is given .journal = \"{}\".",
                    folder, folder));
  steps_ = Journal::read(folder).steps;
}

const JournalStep& JournalReader::operator[](int64_t step) const {
  if (step < 0 || step >= size())
    throw ValueError(
        size() == 0 ? fmt::format("The journal in '{}' has no steps.", folder_)
                    : fmt::format("The journal in '{}' has the steps 0 to {}, there is no step {}.",
                                  folder_, size() - 1, step));
  return steps_[static_cast<size_t>(step)];
}

int64_t JournalReader::find(int64_t epoch, int64_t step) const {
  const JournalStep wanted{epoch, step, 0};
  const auto found = std::lower_bound(steps_.begin(), steps_.end(), wanted, before);
  if (found == steps_.end() || found->epoch != epoch || found->step != step)
    throw ValueError(
        fmt::format("The journal in '{}' has no step {} of epoch {}{}.", folder_, step, epoch + 1,
                    steps_.empty() ? ""
                                   : fmt::format("; the last is step {} of epoch {}",
                                                 steps_.back().step, steps_.back().epoch + 1)));
  return found - steps_.begin();
}

RunState JournalReader::state_before(const JournalStep& step) const {
  std::vector<StateFile> states = state_files(folder_, prefix);
  std::erase_if(states, [&](const StateFile& f) { return f.is_after(step.epoch, step.step); });
  std::string problem;
  for (; !states.empty(); states.pop_back()) {
    try {
      return read_run_state(states.back().path);
    } catch (const FileError& error) {
      problem = error.what();
      warn_once(fmt::format("A state of the journal cannot be read, so an older one is used: {}",
                            problem));
    }
  }
  throw FileError(fmt::format("The journal in '{}' has no state before step {} of epoch {}. {}",
                              folder_, step.step, step.epoch + 1, problem));
}

}  // namespace cornu
