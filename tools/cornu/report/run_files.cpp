// Finding and reading the files of a run.
#include "run_files.h"

#include <cornu/backend/error.h>
#include <cornu/framework/config/json.h>
#include <cornu/framework/io/atomic_file.h>
#include <cornu/framework/io/csv.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace cornu::cli {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t largest_text = uint64_t{1} << 30;

std::string text_of(const fs::path& path) {
  const std::vector<std::byte> bytes = io::read_file(path, largest_text);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A number, or the mean of "[0.5, 0.25]" or "[0.5 0.25]"; nothing for other texts.
std::optional<double> number_of_cell(std::string cell) {
  const bool array = cell.find('[') != std::string::npos;
  std::replace_if(
      cell.begin(), cell.end(), [](char c) { return c == '[' || c == ']' || c == ',' || c == '"'; },
      ' ');
  const char* at = cell.c_str();
  double sum = 0;
  int count = 0;
  for (char* end = nullptr;; at = end, ++count) {
    const double value = std::strtod(at, &end);
    if (end == at) break;
    sum += value;
  }
  while (*at == ' ') ++at;
  if (*at != 0 || count == 0 || (count > 1 && !array)) return {};
  return sum / count;
}

bool is_missing(const std::string& cell) { return cell.empty() || cell == "NA"; }

std::map<std::string, plot::Figure> parse_history_json(const std::string& text,
                                                       const std::string& source) {
  const Value value = cornu::parse_json(text, source, cornu::NonNumbers::allow);
  if (!value.is<Value::Dict>())
    throw FileError("'" + source + "' is no history: it holds " + value.kind() +
                    " instead of a list of numbers by name.");
  History history;
  for (const auto& [name, list] : value.get<Value::Dict>()) {
    if (!list.is<Value::List>()) throw FileError("'" + source + "': '" + name + "' is no list.");
    for (const Value& v : list.get<Value::List>()) {
      if (!v.is_number())
        throw FileError("'" + source + "': '" + name + "' holds " + v.kind() + ".");
      history.history[name].push_back(v.number());
    }
    const size_t epochs = std::max(history.epoch.size(), history.history[name].size());
    for (size_t e = history.epoch.size(); e < epochs; ++e)
      history.epoch.push_back(static_cast<int64_t>(e));
  }
  return plot::figures_of(history);
}

// The file of the usual name, or the only one that ends so; "" without one.
std::string pick(const fs::path& folder, const char* usual, const char* ending, RunFiles& run) {
  if (fs::is_regular_file(folder / usual)) return (folder / usual).string();
  std::vector<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ending)
      found.push_back(entry.path().string());
  std::sort(found.begin(), found.end());
  if (found.size() > 1)
    run.notes.push_back("there are several " + std::string(ending) + " files and none is named '" +
                        usual + "'; '" + fs::path(found[0]).filename().string() + "' is used");
  return found.empty() ? "" : found[0];
}

// What a run has beside the broken file is shown still. Whether it could be read.
template <class F>
bool attempt(RunFiles& run, F&& read) {
  try {
    read();
    return true;
  } catch (const Error& e) {
    run.notes.push_back(e.what());
    return false;
  }
}

void read_facts(RunFiles& run, const std::string& file) {
  const Value value = cornu::parse_json(text_of(file), file, cornu::NonNumbers::allow);
  if (!value.is<Value::Dict>())
    throw FileError("'" + file + "' holds " + value.kind() + " instead of facts by name.");
  run.facts = value.get<Value::Dict>();
}

void read_folder(RunFiles& run, const fs::path& folder) {
  const std::string table = pick(folder, "history.csv", ".csv", run);
  const std::string json = (folder / "history.json").string(),
                    facts = (folder / "run.json").string();
  run.model_file = pick(folder, "model.keras", ".keras", run);
  const bool has_json = fs::is_regular_file(json), has_facts = fs::is_regular_file(facts);
  if (table.empty() && !has_json && !has_facts && run.model_file.empty())
    throw FileError("'" + folder.string() +
                    "' has nothing of a training: no history (history.csv, as callbacks::CSVLogger "
                    "writes it, or history.json), no model (*.keras), no run.json.");
  bool found = !run.model_file.empty();
  if (!table.empty())
    found |= attempt(run, [&] { run.figures = parse_history_csv(text_of(table), table); });
  else if (has_json)
    found |= attempt(run, [&] { run.figures = parse_history_json(text_of(json), json); });
  if (has_facts) found |= attempt(run, [&] { read_facts(run, facts); });
  if (!found)
    throw FileError(fmt::format("'{}' has nothing of a training that can be read: {}",
                                folder.string(), fmt::join(run.notes, " ")));
}

}  // namespace

std::map<std::string, plot::Figure> parse_history_csv(const std::string& text,
                                                      const std::string& source) {
  const std::vector<io::CsvRow> rows = io::csv_rows(text, source);
  if (rows.empty()) throw FileError("'" + source + "' is empty; CSVLogger's tables have a header.");
  const std::vector<std::string>& names = rows[0].cells;
  if (names[0] != "epoch")
    throw FileError("'" + source + "' is no table of CSVLogger: its first column is '" + names[0] +
                    "' instead of 'epoch'.");
  std::map<std::string, plot::Figure> figures;
  double shift = 1, last = 0;  // a second training that was appended to the first counts on
  for (size_t r = 1; r < rows.size(); ++r) {
    const std::vector<std::string>& cells = rows[r].cells;
    const auto fail = [&](const std::string& what) {
      throw FileError("'" + source + "', line " + std::to_string(rows[r].line) + ": " + what);
    };
    if (cells.size() != names.size())
      fail(std::to_string(cells.size()) + " cells in place of " + std::to_string(names.size()) +
           ".");
    const std::optional<double> epoch = number_of_cell(cells[0]);
    if (!epoch || !std::isfinite(*epoch)) fail("'" + cells[0] + "' is no epoch.");
    if (*epoch + shift <= last) shift = last + 1 - *epoch;
    last = *epoch + shift;
    for (size_t c = 1; c < names.size(); ++c) {
      if (is_missing(cells[c])) continue;
      const std::optional<double> value = number_of_cell(cells[c]);
      if (!value) fail("'" + cells[c] + "' in column '" + names[c] + "' is no number.");
      figures[names[c]].epochs.push_back(last);
      figures[names[c]].values.push_back(*value);
    }
  }
  return figures;
}

RunFiles read_run(const std::string& path) {
  const fs::path place(path);
  if (!fs::exists(place)) throw FileError("'" + path + "' does not exist.");
  RunFiles run;
  const fs::path whole = fs::weakly_canonical(place);
  run.name = whole.filename().string();
  if (fs::is_directory(place)) {
    read_folder(run, place);
    return run;
  }
  run.name = whole.stem().string();
  const std::string ending = place.extension().string();
  if (ending == ".csv")
    run.figures = parse_history_csv(text_of(place), path);
  else if (ending == ".json")
    run.figures = parse_history_json(text_of(place), path);
  else if (ending == ".keras")
    run.model_file = path;
  else
    throw FileError("'" + path +
                    "' is no run: give a folder, a history (.csv, .json) or a .keras "
                    "file.");
  return run;
}

}  // namespace cornu::cli
