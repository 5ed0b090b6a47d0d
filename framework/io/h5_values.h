// Internal to H5Reader: what a dataset or attribute holds, and whether it may be read.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "../../backend/dtype.h"
#include "../../backend/shape.h"
#include "h5_handle.h"

namespace cornu::io::h5 {

// In all of these, `file` and `what` ("dataset 'a/b'") name the file and the object in error texts.

/// How to load the elements of a dataset or attribute.
struct Elements {
  DType dtype = DType::float32;
  Handle memory;  ///< type to give to HDF5; leaves elements of `dtype`
};

/// Refuses datasets whose bytes do not lie in this file, and filters other than HDF5's own: HDF5
/// would load a program library for them. Nothing else may be asked of a dataset before this, as
/// the shape of a virtual dataset already depends on other files.
void expect_own_storage(const std::string& file, Id dataset, const std::string& what);

/// The elements of `type`. `object` may carry the attribute that marks bfloat16. Fails for anything
/// but numbers and truth values.
Elements elements_of(const std::string& file, Id type, Id object, const std::string& what);

/// The shape of a dataspace. Fails when its bytes could not be counted.
Shape shape_of(const std::string& file, Id space, const std::string& what);

/// Strings of a dataset or attribute of the open `object`, whose elements `load(memory_type, out)`
/// puts into memory.
std::vector<std::string> load_strings(const std::string& file, Id object, Id type, Id space,
                                      const std::string& what,
                                      const std::function<int(Id, void*)>& load);

/// The strings whose elements of `type` were loaded into `block`: those of variable length as
/// HeapPlaces in the file of `object`.
std::vector<std::string> strings_in(const std::string& file, Id object, Id type,
                                    const std::string& what, std::span<const std::byte> block);

/// Fails for a dataset of `size` bytes that stores so few that nobody has compressed it: a small
/// file must not claim all memory.
void expect_stored(const std::string& file, uint64_t size, uint64_t stored,
                   const std::string& what);

/// Opens an attribute; fails when there is none.
Handle open_attribute(const std::string& file, Id object, const std::string& key,
                      const std::string& what);

/// The strings of an attribute, none when it is an empty list.
std::vector<std::string> strings_of(const std::string& file, Id object, const std::string& key,
                                    const std::string& what);

}  // namespace cornu::io::h5
