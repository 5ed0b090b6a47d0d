// Tables as arrays of a model, and arrays as tables.
#pragma once
#include <cornu/framework/io/csv.h>
#include <cornu/framework/model/model.h>

#include <string>

#include "arrays.h"
#include "commands.h"

namespace cornu::cli {

/// The arrays that the model takes from a table: "x" or its inputs by name, each column an input or
/// all columns of one kind the only one; with_targets: "y", or its outputs by name; and
/// "sample_weight" from a column of this name. Throws UsageError without a target, ValueError for
/// columns that are missing or of the wrong kind. `source` is for messages; what is left out is
/// said unless `quiet`.
Arrays arrays_of(const io::CsvTable& table, const DataOptions& options, const Model& model,
                 bool with_targets, bool quiet, const std::string& source);

/// Throws UsageError where the name of a file of outputs says none of the forms that there are.
void check_output_name(const std::string& path);

/// Writes outputs as columns "output", or "output_0", "output_1", ...; with names of classes:
/// "class", the most probable one, and the probabilities under the classes' names. `files` are
/// those of the samples, a first column "file"; or empty. Throws ValueError for outputs of more
/// than two axes.
void write_table(const std::string& path, const Arrays& outputs,
                 const std::vector<std::string>& classes, const std::vector<std::string>& files);

}  // namespace cornu::cli
