// Fuzz target: folders of shards, and elements of caches. An input is an index, a zero byte, and a
// file as it is; or, when it begins with "R", the first record, to which the target adds what the
// format asks for around it: made-up bytes would hardly ever have the sums of theirs.
#include <cornu/framework/data/pipeline/stored.h>
#include <cornu/framework/io/crc32c.h>
#include <cornu/framework/io/shards.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "fuzz_support.h"

using namespace cornu;
using fuzz::expect_own_errors;

namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = "/dev/shm/cornu-fuzz-shards-" + std::to_string(::getpid());
  Folder() { fs::create_directories(path); }
  ~Folder() { fs::remove_all(path); }
  void write(const char* name, const std::string& bytes) const {
    std::ofstream(path / name, std::ios::binary | std::ios::trunc) << bytes;
  }
};

template <class T>
std::string bytes_of(const T& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A file with one record.
std::string file_of(const std::string& record) {
  std::string file("CORNUSH1");
  file.resize(64);
  file += record;
  const uint64_t table[] = {64, record.size(), io::crc32c(std::as_bytes(std::span(record)))};
  const uint64_t end[] = {file.size(), 1, io::crc32c(std::as_bytes(std::span(table)))};
  return file + bytes_of(table) + bytes_of(end);
}

constexpr const char* fields =
    R"({"format": "cornu shards 1", "fields": [{"name": "element", "dtype": "uint8"}, )"
    R"({"name": "label", "dtype": "int64"}], "classes": ["a"], "shards": [{"file": "00000.shard", )";

template <class T>
void restore_one(std::span<const std::byte> bytes) {
  expect_own_errors([&] {
    data::ElementReader reader(bytes);
    T element{};
    restore(reader, element);
    reader.finish();
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Folder folder;
  const std::string input(reinterpret_cast<const char*>(data), size);
  if (!input.empty() && input[0] == 'R') {
    const std::string file = file_of(input.substr(1));
    folder.write("index.json",
                 fields + ("\"records\": 1, \"bytes\": " + std::to_string(file.size()) + "}]}"));
    folder.write("00000.shard", file);
  } else {
    const size_t end = std::min(input.find('\0'), input.size());
    folder.write("index.json", input.substr(0, end));
    folder.write("00000.shard", end < input.size() ? input.substr(end + 1) : "");
  }
  expect_own_errors([&] {
    const io::ShardReader reader(folder.path);
    for (int64_t i = 0; i < std::min<int64_t>(reader.size(), 8); ++i)
      expect_own_errors([&] {
        for (const io::ShardArray& array : reader[i]) {
          if (array.data.size() != static_cast<size_t>(array.shape.numel()) * size_of(array.dtype))
            std::abort();
          restore_one<Batch>(array.data);
          restore_one<data::Sample>(array.data);
          restore_one<std::vector<std::pair<std::string, Tensor>>>(array.data);
        }
      });
  });
  return 0;
}
