// The index of a folder of shards.
#include "shards_format.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "../../backend/error.h"
#include "atomic_file.h"

namespace cornu::io::shards {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* format = "cornu shards 1";

}  // namespace

Index read_index(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / index_name;
  const std::vector<std::byte> bytes = read_file(path, uint64_t{1} << 30);
  const auto damaged = [&](const std::string& why) {
    return FileError(fmt::format("'{}' is no index of shards: {}.", path.string(), why));
  };
  try {
    const auto* text = reinterpret_cast<const char*>(bytes.data());
    const Json json = Json::parse(text, text + bytes.size());
    if (json.at("format") != format)
      throw damaged(fmt::format("its format is {}, this version of Cornu reads \"{}\"",
                                json.at("format").dump(), format));
    Index index;
    for (const Json& field : json.at("fields"))
      index.fields.emplace_back(field.at("name").get<std::string>(),
                                dtype_of(field.at("dtype").get<std::string>()));
    index.classes = json.at("classes").get<std::vector<std::string>>();
    for (const Json& file : json.at("shards")) {
      IndexFile one{file.at("file").get<std::string>(), file.at("records").get<int64_t>(),
                    file.at("bytes").get<uint64_t>()};
      if (one.name.find('/') != std::string::npos || one.name.starts_with("."))
        throw damaged(fmt::format("'{}' is no name of a file in it", one.name));
      index.files.push_back(std::move(one));
    }
    return index;
  } catch (const Json::exception& e) {
    throw damaged(e.what());
  } catch (const ValueError& e) {
    throw damaged(e.what());
  }
}

void write_index(const std::filesystem::path& folder, const Index& index) {
  Json json = {{"format", format}, {"fields", Json::array()}, {"classes", index.classes}};
  for (const auto& [name, dtype] : index.fields)
    json["fields"].push_back({{"name", name}, {"dtype", std::string(dtype_name(dtype))}});
  json["shards"] = Json::array();
  for (const IndexFile& file : index.files)
    json["shards"].push_back(
        {{"file", file.name}, {"records", file.records}, {"bytes", file.bytes}});
  const std::string text = json.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
  write_file(folder / index_name, std::as_bytes(std::span(text)));
}

}  // namespace cornu::io::shards
