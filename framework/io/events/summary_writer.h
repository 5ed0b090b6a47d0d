// SummaryWriter: writes figures, histograms, images, texts and graphs for TensorBoard.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "../../tensor/tensor.h"

namespace cornu {

class EventFile;
namespace events {
class Summary_Value;  // of events.proto
}

/// A hyperparameter's value.
using HParam = std::variant<bool, int64_t, double, std::string>;
/// Hyperparameters by name: {{"units", 32}, {"optimizer", "adam"}, {"dropout", 0.5}}.
using HParams = std::map<std::string, HParam>;

/// A node of a graph that TensorBoard draws. Those whose names begin alike up to a '/' are drawn as
/// one box, which opens.
struct GraphNode {
  std::string name;                                    ///< "block/dense/matmul"
  std::string op;                                      ///< what it does: "matmul"
  std::vector<std::string> inputs;                     ///< names of nodes
  std::vector<Shape> shapes;                           ///< of its outputs; unknown sizes are -1
  std::map<std::string, std::string> attributes = {};  ///< shown when it is clicked on
};

/// Writes a file of events into a folder, as tf.summary and torch.utils.tensorboard do;
/// `tensorboard
/// --logdir FOLDER` shows it. A folder is a run; the folders of several runs lie in one that
/// TensorBoard is given.
///
///   SummaryWriter writer("runs/first");
///   for (int64_t step = 0; step < 100; ++step) writer.scalar("loss", train(), step);
///
/// Methods throw FileError when the file cannot be written.
class SummaryWriter {
 public:
  /// How far a file was written, for going on in it.
  struct Position {
    std::string file;   ///< its name in the folder
    int64_t bytes = 0;  ///< its length; 0: it is to be made
  };

  /// Begins a file in `folder`, which is made if it is missing.
  explicit SummaryWriter(const std::string& folder);
  /// Goes on in a file of `folder`; what was written after `position` is cut off. Throws FileError
  /// when it is shorter.
  SummaryWriter(const std::string& folder, const Position& position);
  ~SummaryWriter();                                    ///< writes what is left
  SummaryWriter(SummaryWriter&&) noexcept;             ///< leaves a writer that may only go
  SummaryWriter& operator=(SummaryWriter&&) noexcept;  ///< the same

  /// A point of the curve `tag`.
  void scalar(const std::string& tag, double value, int64_t step);
  /// The distribution of all elements, of any shape and numeric dtype, in so many ranges of equal
  /// width. NaN and infinity are left out.
  void histogram(const std::string& tag, const Tensor& values, int64_t step, int64_t buckets = 30);
  /// Images (n, height, width, channels) of which the first `max_outputs` are kept; 1 to 4
  /// channels: gray, gray and alpha, RGB, RGBA. Floats are in [0, 1], uint8 in [0, 255]; what is
  /// beyond is clipped. Throws ShapeError, and ValueError for another dtype.
  void image(const std::string& tag, const Tensor& images, int64_t step, int64_t max_outputs = 3);
  /// A text in Markdown.
  void text(const std::string& tag, const std::string& text, int64_t step = 0);
  /// The hyperparameters of the run in this folder and the folders in it, whose curves the page
  /// HParams shows beside them. Runs of one `trial` are one line there; by default those with equal
  /// hyperparameters.
  void hparams(const HParams& hparams, const std::string& trial = "");
  /// The graph of the run; a file has one.
  void graph(const std::vector<GraphNode>& nodes);
  /// The layers of a Sequential or Functional model from its to_json(), which the page Graphs
  /// offers as the conceptual graph.
  void keras_model(const std::string& json);

  /// Lets TensorBoard see what was written so far. The destructor does it too, without an error.
  void flush();
  /// Flushes, and tells where a later run may go on.
  Position position();
  /// Where a file begins that no other writer has.
  static Position beginning();

 private:
  void write(const std::string& tag, const std::string& plugin, int64_t step,
             events::Summary_Value& value);

  std::unique_ptr<EventFile> file_;
};

}  // namespace cornu
