// Samples from files, for the commands that train, evaluate and predict.
#pragma once
#include <cornu/framework/io/csv.h>
#include <cornu/framework/model/model.h>

#include <optional>
#include <string>

#include "arrays.h"
#include "commands.h"
#include "folder_arrays.h"

namespace cornu::cli {

/// What a model is given of some samples.
struct Samples {
  Nest x;
  Nest y = {};
  Nest sample_weight = {};
  int64_t count = 0;
  /// Of a folder: the path in it of each sample's file.
  std::vector<std::string> files = {};
};

/// Parts of a file's arrays: those named x, or x_train; x_val; x_test.
enum class Part : uint8_t { main, validation, test };

/// The content of .npz, .h5, .csv files, of .npy files, or of a folder of images or texts.
class DataFiles {
 public:
  /// Reads one file, or two .npy files: inputs and targets; a folder is read when it is asked for
  /// samples, in `order`. Throws UsageError for other kinds and numbers of files, FileError.
  DataFiles(const std::vector<std::string>& files, const DataOptions& options, bool quiet,
            FileOrder order = FileOrder::sorted);

  /// Whether there are arrays of this part. A .csv has the main one only.
  bool has(Part part, const Model& model) const;
  /// Whether this part has targets: arrays named "y", or as the model's outputs; in a folder,
  /// subfolders.
  bool has_targets(Part part, const Model& model) const;
  /// The part that a trained model is looked at with: the test part, or the main one without it.
  Part held_out(const Model& model) const;
  /// The samples of a part as the model takes them. Warns of NaN. Throws UsageError for names of
  /// the command line that the file does not have, ValueError that names file, array or column,
  /// what the model expects and what is there.
  Samples samples(Part part, const Model& model, bool with_targets) const;
  /// "'x.npy' and 'y.npy'".
  const std::string& source() const { return source_; }

 private:
  Arrays part_of(Part part, const Model& model) const;
  std::string folder_of(Part part) const;
  Arrays named() const;

  DataOptions options_;
  std::string source_;
  bool quiet_;
  FileOrder order_;
  Arrays arrays_;
  std::optional<io::CsvTable> table_;
  std::string folder_;  // is read when the model is known
};

}  // namespace cornu::cli
