// The entries of keras.json, each checked.
#include "keras_json.h"

#include <fmt/core.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "../../backend/error.h"
#include "../../backend/log.h"
#include "config.h"

namespace cornu::config {
namespace {

using Json = nlohmann::json;

// An entry that says something else than it may.
std::string fault(const char* key, const char* expected, const Json& found) {
  return fmt::format("'{}' must be {}, found {}", key, expected, found.dump());
}

// The file's entries, one after the other; what is wrong is noted.
class Entries {
 public:
  explicit Entries(Json file) : file_(std::move(file)) {}

  std::optional<DType> floatx() {
    const Json* found = find("floatx");
    if (!found) return {};
    for (const DType dtype : {DType::float16, DType::bfloat16, DType::float32, DType::float64})
      if (*found == std::string(dtype_name(dtype))) return dtype;
    note(fault("floatx", "'float16', 'bfloat16', 'float32' or 'float64'", *found));
    return {};
  }

  std::optional<bool> channels_first() {
    const Json* found = find("image_data_format");
    if (!found) return {};
    if (*found == "channels_first") return true;
    if (*found == "channels_last") return false;
    note(fault("image_data_format", "'channels_last' or 'channels_first'", *found));
    return {};
  }

  void check_epsilon() {
    const Json* found = find("epsilon");
    if (found && *found != epsilon())
      note(fault("epsilon", "1e-07, for which kernels are compiled", *found));
  }

  const std::string& faults() const { return faults_; }

 private:
  const Json* find(const char* key) const {
    const auto found = file_.find(key);
    return found == file_.end() ? nullptr : &*found;
  }
  void note(const std::string& text) { faults_ += (faults_.empty() ? "" : "; ") + text; }

  Json file_;
  std::string faults_;
};

// Left out as a whole.
KerasJson ignored(const std::string& path, const std::string& why) {
  warn_once(fmt::format("{}: {}. The file is ignored; mend or delete it.", path, why));
  return {};
}

}  // namespace

KerasJson read_keras_json(const std::string& path) {
  std::ifstream stream(path);
  if (!stream) return {};
  Json file = Json::parse(stream, nullptr, false);
  if (file.is_discarded()) return ignored(path, "it is not a JSON text");
  if (!file.is_object()) return ignored(path, "it must hold one JSON object");
  Entries entries(std::move(file));
  const KerasJson result{entries.floatx(), entries.channels_first()};
  entries.check_epsilon();
  if (!entries.faults().empty())
    warn_once(fmt::format("{}: {}. The default holds instead.", path, entries.faults()));
  return result;
}

}  // namespace cornu::config
