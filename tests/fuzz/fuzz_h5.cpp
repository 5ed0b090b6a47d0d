// Fuzz target: HDF5 files as weights (both layouts) and as legacy models. An input is a file, of
// which bytes are damaged where they stand, or a list of changes that HDF5 itself makes to a sound
// file. HDF5's own parser does not withstand the first kind: the check of a file's metadata has to
// stop what would lead it astray.
#include <cornu/framework/io/atomic_file.h>
#include <cornu/framework/io/h5_file.h>
#include <cornu/framework/io/h5_rows.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/saving/keras_file.h>
#include <cornu/layers/core/dense.h>
#include <cornu/optimizers/sgd.h>
#include <hdf5.h>

#include <cstdio>
#include <iterator>
#include <vector>

#include "fuzz_support.h"

using namespace cornu;
using fuzz::expect_own_errors;

// HDF5 loses memory of its own when it refuses a damaged file.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace {

bool is_file(const uint8_t* data, size_t size) {
  return size > 8 && data[0] == 0x89 && data[1] == 'H' && data[2] == 'D' && data[3] == 'F';
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  if (!is_file(data, size)) return LLVMFuzzerMutate(data, size, max_size);
  fuzz::damage(data, size, seed);
  return size;
}

namespace {

// The model whose weights the seeds hold.
Model& model() {
  static const auto instance = [] {
    auto made = std::make_shared<Sequential>(
        std::vector<AnyLayer>{Input({3}), layers::Dense({.units = 4, .name = "first"}),
                              layers::Dense({.units = 2, .name = "second"})});
    made->compile({.optimizer = optimizers::SGD({.momentum = 0.9}), .loss = "mse"});
    return made;
  }();
  return *instance;
}

// Looks at everything below `path`, with all that a reader of weights asks.
void visit(const io::H5Reader& file, const std::string& path, int depth, int& left) {
  if (--left < 0) return;
  for (const char* name : {"layer_names", "weight_names", "model_config", "dtype", "name"}) {
    expect_own_errors([&] { file.string_attribute(path, name); });
    expect_own_errors([&] { file.strings_attribute(path, name); });
    expect_own_errors([&] { file.numbers_attribute(path, name); });
  }
  expect_own_errors([&] {
    if (file.is_dataset(path)) {
      const io::H5Info info = file.info(path);
      file.read(path, uint64_t{1} << 20);
      if (info.shape.numel() <= 4096) {
        std::vector<double> values(static_cast<size_t>(info.shape.numel()));
        file.read(path, values.data(), DType::float64, info.shape);
      }
    }
  });
  expect_own_errors([&] { file.read_strings(path); });
  expect_own_errors([&] {
    const auto rows = file.rows(path, uint64_t{1} << 16);
    const io::H5Info info = file.info(path);
    if (info.shape[0] == 0 || info.shape.numel() / info.shape[0] > 4096) return;
    const std::vector<int64_t> last = {info.shape[0] - 1, 0};
    std::vector<std::byte> out(2 * static_cast<size_t>(info.shape.numel() / info.shape[0]) * 16);
    rows->read(last, out.data());
  });
  expect_own_errors([&] {
    const auto rows = file.rows(path, uint64_t{1} << 16);
    const std::vector<int64_t> first = {0};
    if (rows->shape()[0] > 0 && rows->shape().numel() <= 4096) rows->read_strings(first);
  });
  expect_own_errors([&] {
    if (depth > 0 && file.is_group(path))
      for (const std::string& name : file.children(path))
        visit(file, path + "/" + name, depth - 1, left);
  });
}

// The type with this number, of every class.
hid_t type_of(unsigned number) {
  static const auto made = [] {
    const hid_t text = H5Tcopy(H5T_C_S1), word = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, H5T_VARIABLE);
    H5Tset_size(word, 12);
    const hid_t pair = H5Tcreate(H5T_COMPOUND, 8), truth = H5Tenum_create(H5T_STD_I8LE);
    H5Tinsert(pair, "a", 0, H5T_STD_I64LE);
    const int8_t one = 1;
    H5Tenum_insert(truth, "TRUE", &one);
    const hsize_t two = 2;
    return std::vector<hid_t>{H5T_IEEE_F32LE,
                              H5T_IEEE_F64BE,
                              H5T_STD_I64LE,
                              H5T_STD_U8BE,
                              text,
                              word,
                              pair,
                              truth,
                              H5Tvlen_create(H5T_IEEE_F32LE),
                              H5Tarray_create2(H5T_STD_I32LE, 1, &two),
                              H5T_STD_REF_OBJ,
                              H5Tcreate(H5T_OPAQUE, 2),
                              H5T_STD_B16LE};
  }();
  return made[number % made.size()];
}

// Makes one change; `c` are four bytes of the input.
void change(hid_t file, const uint8_t* c) {
  static const char* const paths[] = {"/",
                                      "/layers",
                                      "/layers/dense",
                                      "/layers/dense/vars",
                                      "/layers/dense/vars/0",
                                      "/layers/dense/vars/1",
                                      "/optimizer/vars/0",
                                      "/vars",
                                      "/model_weights",
                                      "/model_weights/first",
                                      "/model_weights/first/first/kernel",
                                      "/model_weights/second",
                                      "/optimizer_weights"};
  static const char* const names[] = {"layer_names",     "weight_names", "model_config",  "dtype",
                                      "training_config", "layer_names0", "weight_names1", "name"};
  const char* path = paths[c[1] % std::size(paths)];
  const hid_t type = type_of(c[2]);
  const hsize_t sizes[] = {c[3] % 7u, c[3] / 32u + 1u};
  const hid_t space = c[3] % 5 == 0 ? H5Screate(c[3] % 2 ? H5S_NULL : H5S_SCALAR)
                                    : H5Screate_simple(1 + c[3] % 2, sizes, nullptr);
  switch (c[0] % 6) {
    case 0: {  // another dataset
      H5Ldelete(file, path, H5P_DEFAULT);
      const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
      if (c[3] % 3 == 0) H5Pset_chunk(properties, 1 + c[3] % 2, sizes);
      if (c[3] % 3 == 0 && c[0] > 128) H5Pset_deflate(properties, 1);
      const hid_t made = H5Dcreate2(file, path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
      if (made >= 0) H5Dclose(made);
      H5Pclose(properties);
      break;
    }
    case 1:
    case 2: {  // another attribute
      const hid_t object = H5Oopen(file, path, H5P_DEFAULT);
      if (object < 0) break;
      const char* name = names[c[0] / 6 % std::size(names)];
      H5Adelete(object, name);
      const hid_t made = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
      if (made >= 0) H5Aclose(made);
      H5Oclose(object);
      break;
    }
    case 3:
      H5Ldelete(file, path, H5P_DEFAULT);
      break;
    case 4:
      H5Ldelete(file, path, H5P_DEFAULT);
      H5Lcreate_hard(file, paths[c[2] % std::size(paths)], file, path, H5P_DEFAULT, H5P_DEFAULT);
      break;
    default:
      H5Ldelete(file, path, H5P_DEFAULT);
      if (c[2] % 2)
        H5Lcreate_soft(paths[c[3] % std::size(paths)], file, path, H5P_DEFAULT, H5P_DEFAULT);
      else
        H5Gclose(H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  H5Sclose(space);
}

// The file that an input describes: a sound one of either layout, changed.
void make_file(const std::string& path, const uint8_t* data, size_t size) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  if (size % 2) {
    model().save(path);
  } else {
    const std::string weights = path.substr(0, path.size() - 3) + ".weights.h5";
    model().save_weights(weights);
    std::rename(weights.c_str(), path.c_str());
  }
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  for (size_t i = 0; i + 4 <= size && i < 256; i += 4) change(file, data + i);
  H5Fclose(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::ScratchFile scratch(".h5");
  const std::string& path = scratch.write(data, size);
  if (!is_file(data, size)) make_file(path, data, size);
  expect_own_errors([&] {
    const io::H5Reader file(io::Bytes::of(io::read_file(path, uint64_t{1} << 24)), "fuzz");
    int left = 40;
    visit(file, "", 6, left);
  });
  expect_own_errors([&] { saving::load_weights(model(), path); });
  expect_own_errors([&] { saving::load_weights(model(), path, {.by_name = true}); });
  expect_own_errors([&] { load_model(path); });
  // Every file and object was closed, on the way of every error too.
  constexpr unsigned kinds = H5F_OBJ_FILE | H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_ATTR;
  if (H5Fget_obj_count(H5F_OBJ_ALL, kinds) > 0) std::abort();
  return 0;
}
