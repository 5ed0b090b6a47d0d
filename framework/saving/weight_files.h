// Files of weights: reading one HDF5 file or many shards as one tree, writing either, moving
// values.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../base/variable_store.h"
#include "../io/h5_file.h"

namespace cornu::saving {

/// Where a variable's values stand.
struct Place {
  const io::H5Reader* file = nullptr;  ///< owned by the WeightTree
  std::string path;                    ///< of the dataset in that file
};

/// The tree of groups of one ".weights.h5", or of the shards that a ".weights.json" lists. Throws
/// FileError.
class WeightTree {
 public:
  /// The tree of one HDF5 file.
  explicit WeightTree(io::H5Reader file);
  /// Reads the map at `path`; shards lie beside it, and are opened when they are needed.
  static WeightTree of_shards(const std::filesystem::path& path);
  ~WeightTree();
  WeightTree(WeightTree&&) noexcept;  ///< the other one may then only be destroyed

  const std::string& name() const;  ///< of the file or the map, for errors
  /// The datasets of an object's variables by name ("0", "1", ...); empty when the file has no such
  /// object. Names that older versions of Keras gave to a group are tried too.
  std::map<std::string, Place> variables(const std::string& object) const;

 private:
  struct Impl;
  explicit WeightTree(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Takes the variables of one object after the other.
class WeightSink {
 public:
  virtual ~WeightSink() = default;
  /// Writes the arrays of an object; `name` is the object's, kept as an attribute.
  virtual void write(const std::string& object, const std::string& name,
                     const VariableStore& store) = 0;
};

/// Writes into one HDF5 file.
class SingleSink : public WeightSink {
 public:
  explicit SingleSink(io::H5Writer& file) : file_(file) {}  ///< the file is finished by its owner
  void write(const std::string& object, const std::string& name,
             const VariableStore& store) override;

 private:
  io::H5Writer& file_;
};

/// Writes shards of at most `limit` bytes of values and, in finish(), the map that lists them. A
/// map that is there already lists whole shards at every moment, old or new: new shards have names
/// of their own until the map lists them.
class ShardSink : public WeightSink {
 public:
  /// `map` is "model.weights.json"; shards become "model_00000.weights.h5", ... beside it.
  ShardSink(const std::filesystem::path& map, uint64_t limit);
  ~ShardSink() override;
  void write(const std::string& object, const std::string& name,
             const VariableStore& store) override;
  /// Writes the map and gives the shards their names.
  void finish();

 private:
  void next();
  void write_map(const std::string& base) const;

  std::filesystem::path map_;
  std::string base_;     ///< of the shards' names, as Keras has them
  std::string old_map_;  ///< the text of the map that is there
  std::string interim_;  ///< of the shards' names until the map lists them; base_ without old map
  size_t written_ = 0;   ///< shards that are on the disk under names that no map lists
  uint64_t limit_;
  uint64_t used_ = 0;
  uint64_t total_ = 0;
  std::vector<std::unique_ptr<io::H5Writer>> shards_;
  std::vector<std::pair<std::string, std::vector<size_t>>> objects_;  ///< group to shards
};

/// A variable and where its new value stands.
struct Transfer {
  Variable variable;  ///< gets the value
  Place place;        ///< where it is read from
};

/// The array at a place as it is. Throws FileError for one that cannot be genuine.
Tensor read_array(const Place& place);

/// Why a variable's value cannot come from there; "" when it can.
std::string mismatch(const Variable& variable, const Place& place);

/// Reads all values into their variables, one at a time, so that no more than one variable is twice
/// in memory. Unless `fresh`, everything is read once before anything changes.
void transfer(const std::vector<Transfer>& transfers, bool fresh);

/// Reads without keeping anything; throws FileError when the file is damaged there.
void dry_run(const std::vector<Transfer>& transfers);

}  // namespace cornu::saving
