// Reading .npz files, gzipped IDX files and the pickle files of CIFAR.
#include "images.h"

#include <fmt/core.h>
#include <zlib.h>

#include <cstring>
#include <filesystem>
#include <memory>

#include "../../../backend/error.h"
#include "../../io/atomic_file.h"
#include "../../io/pickle.h"
#include "cache.h"

namespace cornu::datasets {
namespace {

namespace fs = std::filesystem;

constexpr const char* toronto = "https://www.cs.toronto.edu/~kriz/";

void check_counts(const Data& data, const fs::path& file) {
  if (data.x.rank() < 1 || data.y.rank() < 1 || data.x.shape(0) != data.y.shape(0))
    throw FileError(fmt::format("'{}' has images {} and labels {}, which do not belong together.",
                                file.string(), data.x.shape().str(), data.y.shape().str()));
}

// Everything in a gzip file, `limit` bytes at most.
std::vector<uint8_t> gunzip(const fs::path& file, size_t limit) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> stream(gzopen(file.c_str(), "rb"), gzclose);
  std::vector<uint8_t> bytes;
  constexpr size_t piece = size_t{1} << 16;
  int read = stream ? 1 : -1;
  while (read > 0 && bytes.size() <= limit) {
    bytes.resize(bytes.size() + piece);
    read = gzread(stream.get(), bytes.data() + bytes.size() - piece, piece);
    bytes.resize(bytes.size() - piece + static_cast<size_t>(std::max(read, 0)));
  }
  int state = Z_OK;
  if (stream) gzerror(stream.get(), &state);
  if (read < 0 || bytes.size() > limit || state != Z_OK || (stream && gzdirect(stream.get())))
    throw FileError(
        fmt::format("'{}' is no whole gzip file of at most {} bytes.", file.string(), limit));
  return bytes;
}

// http://yann.lecun.com/exdb/mnist/: two zeros, the type (8: bytes), the rank, sizes of 32 bits.
Tensor read_idx(const fs::path& file, int rank) {
  constexpr size_t largest = size_t{1} << 28;
  const std::vector<uint8_t> bytes = gunzip(file, largest);
  const size_t header = 4 + 4 * static_cast<size_t>(rank);
  if (bytes.size() < header || bytes[2] != 8 || bytes[3] != rank)
    throw FileError(fmt::format("'{}' is no IDX file of bytes of rank {}.", file.string(), rank));
  Shape shape;
  uint64_t count = 1;
  for (size_t at = 4; at < header; at += 4) {
    uint32_t size = 0;
    for (size_t k = 0; k < 4; ++k) size = size << 8 | bytes[at + k];
    shape.push_back(size);
    count = std::min<uint64_t>(count * size, largest + 1);
  }
  if (bytes.size() - header != count)
    throw FileError(fmt::format("'{}' has {} bytes of values; its shape is {}.", file.string(),
                                bytes.size() - header, shape.str()));
  return Tensor::copy_of(bytes.data() + header, shape, DType::uint8);
}

// Images of 32x32 pixels and labels, appended from the pickle files of Python's CIFAR.
class Cifar {
 public:
  void add(const fs::path& file, const std::string& label_key) {
    const std::vector<std::byte> bytes = io::read_file(file, uint64_t{1} << 30);
    const io::Pickle pickle(bytes, file.string());
    const io::PickleNode& data =
        pickle.expect(pickle.at(pickle.root(), "data"), io::PickleValue::Kind::array, "an array");
    const std::vector<int64_t> labels = pickle.integers(pickle.at(pickle.root(), label_key));
    const auto count = static_cast<int64_t>(labels.size());
    if (data.dtype != "|u1" || data.fortran || data.shape != std::vector<int64_t>{count, values} ||
        data.bytes.size() != labels.size() * values)
      throw FileError(
          fmt::format("'{}': expected {} images of {} bytes.", file.string(), count, values));
    const auto* in = reinterpret_cast<const uint8_t*>(data.bytes.data());
    x_.reserve(x_.size() + data.bytes.size());
    for (int64_t n = 0; n < count; ++n, in += values)
      for (size_t i = 0; i < pixels; ++i)
        for (size_t c = 0; c < 3; ++c) x_.push_back(in[c * pixels + i]);
    for (const int64_t label : labels) {
      if (label < 0 || label > 255)
        throw FileError(fmt::format("'{}' has the label {}.", file.string(), label));
      y_.push_back(static_cast<uint8_t>(label));
    }
  }
  Data data() const {
    const auto count = static_cast<int64_t>(y_.size());
    return {Tensor::from(x_, {count, 32, 32, 3}), Tensor::from(y_, {count, 1})};
  }

 private:
  static constexpr size_t pixels = 32 * 32, values = 3 * pixels;
  std::vector<uint8_t> x_, y_;
};

fs::path cifar_folder(const std::string& given, const char* unpacked, const char* inner,
                      const char* archive) {
  if (!given.empty()) return given;
  return find_dataset_file({std::string(unpacked) + "/" + inner, std::string(toronto) + archive,
                            fmt::format(" and unpack it in the folder '{}'",
                                        (keras_home() / "datasets" / unpacked).string())});
}

}  // namespace

Split mnist::load_data(const MnistOptions& options) {
  const fs::path file = find_dataset_file({"mnist.npz", google_origin + "mnist.npz"}, options.path);
  Split split{{npz_array(file, "x_train"), npz_array(file, "y_train")},
              {npz_array(file, "x_test"), npz_array(file, "y_test")}};
  check_counts(split.train, file);
  check_counts(split.test, file);
  return split;
}

Split fashion_mnist::load_data(const ImageFolder& options) {
  const std::string& folder = options.folder;
  const auto read = [&](const std::string& name, int rank) {
    const KnownFile known{"fashion-mnist/" + name, google_origin + name};
    return read_idx(folder.empty() ? find_dataset_file(known)
                                   : find_dataset_file(known, (fs::path(folder) / name).string()),
                    rank);
  };
  Split split{{read("train-images-idx3-ubyte.gz", 3), read("train-labels-idx1-ubyte.gz", 1)},
              {read("t10k-images-idx3-ubyte.gz", 3), read("t10k-labels-idx1-ubyte.gz", 1)}};
  check_counts(split.train, "train-images-idx3-ubyte.gz");
  check_counts(split.test, "t10k-images-idx3-ubyte.gz");
  return split;
}

Split cifar10::load_data(const ImageFolder& options) {
  const fs::path folder = cifar_folder(options.folder, "cifar-10-batches-py-target",
                                       "cifar-10-batches-py", "cifar-10-python.tar.gz");
  Cifar train, test;
  for (int i = 1; i <= 5; ++i) train.add(folder / fmt::format("data_batch_{}", i), "labels");
  test.add(folder / "test_batch", "labels");
  return {train.data(), test.data()};
}

Split cifar100::load_data(const Cifar100Options& options) {
  const std::string& label_mode = options.label_mode;
  if (label_mode != "fine" && label_mode != "coarse")
    throw ValueError(fmt::format("cifar100: label_mode must be 'fine' or 'coarse', found '{}'.{}",
                                 label_mode, did_you_mean(label_mode, {"fine", "coarse"})));
  const fs::path folder = cifar_folder(options.folder, "cifar-100-python-target",
                                       "cifar-100-python", "cifar-100-python.tar.gz");
  Cifar train, test;
  train.add(folder / "train", label_mode + "_labels");
  test.add(folder / "test", label_mode + "_labels");
  return {train.data(), test.data()};
}

}  // namespace cornu::datasets
