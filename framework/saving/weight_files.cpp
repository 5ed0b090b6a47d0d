// Weight trees in one file and in shards.
#include "weight_files.h"

#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "../../backend/error.h"
#include "../config/json.h"
#include "../io/atomic_file.h"
#include "dict.h"

namespace cornu::saving {
namespace {

namespace fs = std::filesystem;

// A map has a line per variable; more is no map, and would only fill the memory.
constexpr uint64_t map_limit = uint64_t{64} << 20;
/// A dataset over this size may not be larger than `inflation` times what it takes in the file.
constexpr uint64_t free_inflation = uint64_t{64} << 20;
constexpr uint64_t inflation = 1000;

/// The group, and the names that it has in files of other versions.
std::vector<std::string> candidates(const std::string& object) {
  std::vector<std::string> result = {object};
  // MultiHeadAttention kept its layers under private names.
  static constexpr const char* members[] = {"query_dense", "key_dense", "value_dense",
                                            "output_dense"};
  for (const char* member : members) {
    const std::string open = std::string("/") + member, hidden = std::string("/_") + member;
    if (const size_t at = object.find(open); at != object.npos)
      result.push_back(object.substr(0, at) + hidden + object.substr(at + open.size()));
    else if (const size_t place = object.find(hidden); place != object.npos)
      result.push_back(object.substr(0, place) + open + object.substr(place + hidden.size()));
  }
  return result;
}

}  // namespace

struct WeightTree::Impl {
  std::string name;
  std::vector<std::unique_ptr<io::H5Reader>> files;

  // Of shards.
  bool sharded = false;
  fs::path folder;
  std::map<std::string, std::vector<std::string>> groups;  ///< group to files
  std::map<std::string, const io::H5Reader*> opened;

  const io::H5Reader& open(const std::string& file) {
    const auto found = opened.find(file);
    if (found != opened.end()) return *found->second;
    const fs::path path = folder / file;
    if (!fs::exists(path))
      throw FileError(
          fmt::format("'{}': the shard '{}' that it lists is not beside it.", name, file));
    files.push_back(std::make_unique<io::H5Reader>(path));
    opened.emplace(file, files.back().get());
    return *files.back();
  }

  void add(const io::H5Reader& file, const std::string& group, std::map<std::string, Place>& into) {
    if (!file.is_group(group)) return;
    for (const std::string& child : file.children(group)) {
      const auto [place, first] = into.emplace(child, Place{&file, group + "/" + child});
      if (!first)
        throw FileError(fmt::format("'{}': two shards hold '/{}/{}'.", name, group, child));
    }
  }
};

WeightTree::WeightTree(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WeightTree::~WeightTree() = default;
WeightTree::WeightTree(WeightTree&&) noexcept = default;

WeightTree::WeightTree(io::H5Reader file) : impl_(std::make_unique<Impl>()) {
  impl_->name = file.name();
  impl_->files.push_back(std::make_unique<io::H5Reader>(std::move(file)));
}

WeightTree WeightTree::of_shards(const fs::path& path) {
  auto impl = std::make_unique<Impl>();
  impl->name = path.string();
  impl->sharded = true;
  impl->folder = path.parent_path();
  const std::vector<std::byte> bytes = io::read_file(path, map_limit);
  const Value map =
      parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, impl->name);
  const Value::Dict* groups =
      map.is<Value::Dict>() ? dict::find_dict(map.get<Value::Dict>(), "weight_map") : nullptr;
  if (!groups)
    throw FileError(
        fmt::format("'{}' is no map of weights: it has no dictionary 'weight_map'.", impl->name));
  for (const auto& [group, value] : *groups) {
    std::vector<std::string> files;
    const Value::List names =
        value.is<Value::List>() ? value.get<Value::List>() : Value::List{value};
    for (const Value& v : names) {
      if (!v.is<std::string>())
        throw FileError(
            fmt::format("'{}': the shards of '{}' are not given by name.", impl->name, group));
      const std::string& file = v.get<std::string>();
      // Nothing outside the map's folder is read, whatever the map says.
      if (file.empty() || file.find('/') != file.npos || file.find('\\') != file.npos ||
          file == "." || file == ".." || file.find('\0') != file.npos)
        throw FileError(fmt::format(
            "'{}': the shard '{}' is refused: it is no plain name of a file beside the map.",
            impl->name, file));
      if (fs::is_symlink(fs::symlink_status(impl->folder / file)))
        throw FileError(
            fmt::format("'{}': the shard '{}' is refused: it is a link.", impl->name, file));
      if (std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
    }
    const size_t start = group.find_first_not_of('/');
    impl->groups[start == group.npos ? "" : group.substr(start)] = std::move(files);
  }
  return WeightTree(std::move(impl));
}

const std::string& WeightTree::name() const { return impl_->name; }

std::map<std::string, Place> WeightTree::variables(const std::string& object) const {
  std::map<std::string, Place> result;
  for (const std::string& candidate : candidates(object)) {
    const std::string group = candidate.empty() ? "vars" : candidate + "/vars";
    if (impl_->sharded) {
      const auto found = impl_->groups.find(group);
      if (found == impl_->groups.end()) continue;
      for (const std::string& file : found->second) impl_->add(impl_->open(file), group, result);
    } else {
      const io::H5Reader& file = *impl_->files[0];
      impl_->add(file, group, result);
      // TensorFlow 2.13 has another name for the list of layers.
      static constexpr std::string_view old_name = "_layer_checkpoint_dependencies";
      if (result.empty() &&
          (group.starts_with("layers/") || group.find("/layers/") != group.npos) &&
          file.is_group(old_name)) {
        std::string renamed;
        size_t from = 0;
        while (from < group.size()) {
          const size_t end = std::min(group.find('/', from), group.size());
          const std::string step = group.substr(from, end - from);
          renamed +=
              (renamed.empty() ? "" : "/") + (step == "layers" ? std::string(old_name) : step);
          from = end + 1;
        }
        impl_->add(file, renamed, result);
      }
    }
    if (!result.empty()) break;
  }
  return result;
}

// --- Writing ------------------------------------------------------------------------------------

namespace {

void write_array(io::H5Writer& file, const std::string& path, const Tensor& v) {
  if (v.dtype() == DType::string)
    throw UnsupportedError(fmt::format(
        "'{}' is an array of strings, which files of weights do not hold. Keep it by save_assets.",
        path));
  file.write(path, v.dtype(), v.shape(), v.host_data());
}

// The text of a map of shards; "" when none can be read.
std::string map_text(const fs::path& map) {
  try {
    const std::vector<std::byte> bytes = io::read_file(map, map_limit);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  } catch (const FileError&) {
    return {};
  }
}

std::string shard_name(const std::string& base, size_t number) {
  return fmt::format("{}_{:05}.weights.h5", base, number);
}

std::string interim_name(const std::string& base, int number) {
  return fmt::format(".cornu-{}-{}", number, base);
}

}  // namespace

void SingleSink::write(const std::string& object, const std::string& name,
                       const VariableStore& store) {
  const std::string group = object.empty() ? "vars" : object + "/vars";
  file_.create_group(group);
  file_.set_attribute(group, "name", name);
  for (const std::string& key : store.keys()) write_array(file_, group + "/" + key, store.get(key));
}

ShardSink::ShardSink(const fs::path& map, uint64_t limit) : map_(map), limit_(limit) {
  base_ = map.filename().string();
  base_.resize(base_.size() - std::string(".weights.json").size());
  interim_ = base_;
  std::error_code ignored;
  if (fs::exists(map, ignored)) {
    old_map_ = map_text(map);
    interim_ = interim_name(base_, 1);
    if (old_map_.find(interim_name("", 1)) != old_map_.npos) interim_ = interim_name(base_, 2);
  }
  next();
}

ShardSink::~ShardSink() {
  std::error_code ignored;
  for (size_t i = 0; i < written_; ++i)
    fs::remove(map_.parent_path() / shard_name(interim_, i), ignored);
}

void ShardSink::next() {
  const fs::path file = map_.parent_path() / shard_name(interim_, shards_.size());
  shards_.push_back(std::make_unique<io::H5Writer>(file, std::min(limit_, uint64_t{1} << 20)));
  used_ = 0;
}

void ShardSink::write(const std::string& object, const std::string& name,
                      const VariableStore& store) {
  const std::string group = object.empty() ? "vars" : object + "/vars";
  std::vector<size_t> files;
  for (const std::string& key : store.keys()) {
    const Tensor value = store.get(key);
    const uint64_t bytes = value.bytes();
    if (bytes > limit_)
      throw ValueError(fmt::format(
          "save_weights: variable '{}/{}' has {} bytes, more than a shard may have ({}). Give a "
          "larger max_shard_size.",
          name, key, bytes, limit_));
    if (used_ + bytes > limit_) next();
    io::H5Writer& shard = *shards_.back();
    if (files.empty() || files.back() != shards_.size() - 1) {
      files.push_back(shards_.size() - 1);
      shard.create_group(group);
      shard.set_attribute(group, "name", name);
    }
    write_array(shard, group + "/" + key, value);
    used_ += bytes;
    total_ += bytes;
  }
  if (!files.empty()) objects_.emplace_back("/" + group, std::move(files));
}

void ShardSink::write_map(const std::string& base) const {
  Value::Dict map;
  for (const auto& [group, numbers] : objects_) {
    std::vector<std::string> files;
    for (size_t number : numbers) files.push_back(shard_name(base, number));
    map.emplace_back(group, files);
  }
  const Value text =
      Value::Dict{{"metadata", Value::Dict{{"total_size", static_cast<double>(total_)}}},
                  {"weight_map", std::move(map)}};
  const std::string json = to_json(text, 4);
  io::write_file(map_, std::as_bytes(std::span(json.data(), json.size())));
}

void ShardSink::finish() {
  for (const auto& shard : shards_) {
    shard->finish();
    ++written_;
  }
  write_map(interim_);
  written_ = 0;
  if (interim_ == base_) return;
  // The new shards take over the usual names, which Keras wants whatever the map lists. The map can
  // change in between, as they are whole under both names.
  std::error_code error;
  for (size_t i = 0; i < shards_.size(); ++i) {
    const fs::path target = map_.parent_path() / shard_name(base_, i);
    const io::ScratchFolder scratch(target);
    fs::create_hard_link(map_.parent_path() / shard_name(interim_, i), scratch.path() / "shard",
                         error);
    if (!error) fs::rename(scratch.path() / "shard", target, error);
    if (error) return;  // No links on this file system: the map lists the names that there are.
  }
  write_map(base_);
  const auto remove = [&](const std::string& base, size_t number) {
    return fs::remove(map_.parent_path() / shard_name(base, number), error);
  };
  for (int n : {1, 2})
    for (size_t i = 0; remove(interim_name(base_, n), i);) ++i;
  for (size_t i = shards_.size();
       old_map_.find("\"" + shard_name(base_, i) + "\"") != old_map_.npos;)
    remove(base_, i++);
}

// --- Values -------------------------------------------------------------------------------------

namespace {
// Why a dataset of this size cannot be genuine; "" when it can.
std::string inflated(const Place& place, const io::H5Info& info) {
  const uint64_t bytes = static_cast<uint64_t>(info.shape.numel()) * size_of(info.dtype);
  if (bytes > free_inflation && bytes / inflation > info.stored)
    return fmt::format("'/{}' declares {} bytes and stores {}", place.path, bytes, info.stored);
  return {};
}
}  // namespace

std::string mismatch(const Variable& variable, const Place& place) {
  const io::H5Info info = place.file->info(place.path);
  if (info.shape != variable.shape())
    return fmt::format("variable '{}' has shape {}, '/{}' has {}", variable.name(),
                       variable.shape().str(), place.path, info.shape.str());
  return inflated(place, info);
}

Tensor read_array(const Place& place) {
  const io::H5Info info = place.file->info(place.path);
  if (const std::string problem = inflated(place, info); !problem.empty()) throw FileError(problem);
  return Tensor::written(info.shape, info.dtype, [&](void* to) {
    place.file->read(place.path, to, info.dtype, info.shape);
  });
}

void dry_run(const std::vector<Transfer>& transfers) {
  std::vector<std::byte> scratch;
  for (const Transfer& t : transfers) {
    scratch.resize(std::max<size_t>(scratch.size(), t.variable.value().bytes()));
    t.place.file->read(t.place.path, scratch.data(), t.variable.dtype(), t.variable.shape());
  }
}

void transfer(const std::vector<Transfer>& transfers, bool fresh) {
  if (!fresh) dry_run(transfers);
  for (const Transfer& t : transfers) {
    const DeviceScope scope(t.variable.value().device());
    Variable(t.variable)
        .assign(Tensor::written(t.variable.shape(), t.variable.dtype(), [&](void* to) {
          t.place.file->read(t.place.path, to, t.variable.dtype(), t.variable.shape());
        }));
  }
}

}  // namespace cornu::saving
