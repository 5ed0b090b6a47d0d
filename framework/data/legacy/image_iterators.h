// What ImageDataGenerator's flow functions give: batches by number, for fit.
#pragma once
#include <map>
#include <mutex>
#include <utility>

#include "../dataset.h"
#include "../images/load_img.h"
#include "dataframe.h"
#include "image_data_generator.h"

namespace cornu::preprocessing::image {

/// Where changed images are saved, to be looked at.
struct SaveOptions {
  std::filesystem::path to_dir = {};  ///< an existing folder; empty: nowhere
  std::string prefix = "";            ///< of their names
  std::string format = "png";         ///< or "jpeg", "bmp"
};

/// How ImageDataGenerator::flow goes through images in memory.
struct FlowOptions {
  int64_t batch_size = 32;                 ///< images of a batch; the last one may have fewer
  bool shuffle = true;                     ///< another order in each epoch
  Tensor sample_weight = nullptr;          ///< one for each image
  std::optional<int64_t> seed = {};        ///< of order and changes; none: another one each time
  SaveOptions save = {};                   ///< Keras's save_to_dir, save_prefix and save_format
  bool ignore_class_split = false;         ///< whether both subsets may have other classes
  std::optional<std::string> subset = {};  ///< "training" or "validation"
};

/// How ImageDataGenerator::flow_from_directory goes through the files of a folder.
struct FlowFromDirectoryOptions {
  std::pair<int64_t, int64_t> target_size = {256, 256};  ///< height and width
  std::string color_mode = "rgb";                        ///< "grayscale", "rgb" or "rgba"
  /// The subfolders to take, in the order of their labels; empty: all, in alphabetical order.
  std::vector<std::string> classes = {};
  /// Of the targets: "categorical" (one hot), "binary" or "sparse" (numbers), "input" (the images),
  /// or nothing (none).
  std::optional<std::string> class_mode = "categorical";
  int64_t batch_size = 32;                 ///< images of a batch; the last one may have fewer
  bool shuffle = true;                     ///< another order in each epoch
  std::optional<int64_t> seed = {};        ///< of order and changes; none: another one each time
  SaveOptions save = {};                   ///< Keras's save_to_dir, save_prefix and save_format
  bool follow_links = false;               ///< into folders that are symbolic links
  std::optional<std::string> subset = {};  ///< "training" or "validation"
  std::string interpolation = "nearest";   ///< of utils::load_img
  bool keep_aspect_ratio = false;          ///< of utils::load_img
};

/// How ImageDataGenerator::flow_from_dataframe goes through the files that a table names.
struct FlowFromDataframeOptions {
  std::filesystem::path directory = {};  ///< of the files; empty: their names are paths
  std::string x_col = "filename";        ///< the column of their names
  /// The column of the targets; several for class_mode "multi_output" and "raw".
  ColumnNames y_col = "class";
  std::string weight_col = "";                           ///< of sample weights; empty: none
  std::pair<int64_t, int64_t> target_size = {256, 256};  ///< height and width
  std::string color_mode = "rgb";                        ///< "grayscale", "rgb" or "rgba"
  /// The classes to take, in the order of their labels; empty: all, in alphabetical order.
  std::vector<std::string> classes = {};
  /// Of the targets: "categorical" (one hot, or several hot where an entry is a list), "binary" or
  /// "sparse" (numbers of classes), "raw" (the entries; those of several columns side by side),
  /// "multi_output" (a list of the columns' entries), "input" (the images), or nothing (none).
  std::optional<std::string> class_mode = "categorical";
  int64_t batch_size = 32;                 ///< images of a batch; the last one may have fewer
  bool shuffle = true;                     ///< another order in each epoch
  std::optional<int64_t> seed = {};        ///< of order and changes; none: another one each time
  SaveOptions save = {};                   ///< Keras's save_to_dir, save_prefix and save_format
  std::optional<std::string> subset = {};  ///< "training" or "validation"
  std::string interpolation = "nearest";   ///< of utils::load_img
  bool keep_aspect_ratio = false;          ///< of utils::load_img
  /// Whether rows are left out whose files are not there or have the endings of no images.
  bool validate_filenames = true;
};

/// Batches of images that a generator changes. Order and changes follow from the seed, the epoch
/// and the batch's number, and are those of Keras's iterator asked for its batches in turn.
class ImageIterator : public Dataset {
 public:
  ImageIterator(const ImageIterator& other);  ///< goes on by itself
  int64_t size() const override;              ///< number of batches
  /// Throws ValueError when there is no such batch, and what reading and changing throw.
  Batch batch(int64_t index) override;
  void on_epoch_begin(int64_t epoch) override;        ///< the epoch whose order counts
  Value::Dict get_state() const override;             ///< the seed
  void set_state(const Value::Dict& state) override;  ///< throws ValueError without a seed
  using Dataset::next;
  /// The batches one after the other, without an end, as `next(iterator)` of Python: batch after
  /// batch of an epoch, then those of the next one. Orders of later epochs are others than those of
  /// `batch`, as in Keras.
  Batch next();
  void reset();  ///< `next` begins anew with the first batch of an epoch

  int64_t samples() const { return count_; }  ///< images of an epoch

 protected:
  /// Of images that set_images tells of; `names` is how many there are to save under.
  ImageIterator(ImageDataGenerator generator, int64_t batch_size, bool shuffle,
                std::optional<int64_t> seed, SaveOptions save, int64_t names);
  /// Which of so many images a subset has, from one to before another: the first ones are for
  /// validation. Throws ValueError for another name than "training" and "validation".
  std::pair<int64_t, int64_t> subset_of(const std::optional<std::string>& subset,
                                        int64_t count) const;
  /// How many images there are, and the shape of one.
  void set_images(int64_t count, const Shape& image);
  /// Image i, float32, of that shape.
  virtual Tensor image(int64_t i) const = 0;
  /// The batch of these images, which were changed already.
  virtual Batch batch_of(const Tensor& x, const std::vector<int64_t>& images) const = 0;

  ImageDataGenerator generator_;  ///< what changes the images

 private:
  std::vector<int64_t> order(int64_t epoch) const;
  void skip_draws(int64_t images, data::MersenneTwister& random) const;
  Batch made(const std::vector<int64_t>& images, data::MersenneTwister& random) const;
  std::vector<int64_t> part(const std::vector<int64_t>& order, int64_t index) const;
  std::vector<int64_t> shuffled(data::MersenneTwister& random) const;
  data::MersenneTwister random_of(int64_t batches) const;

  int64_t batch_size_;
  bool shuffle_;
  int64_t seed_;
  SaveOptions save_;
  int64_t names_;  // names of saved images end in a number below this
  int64_t count_ = 0;
  Shape image_;

  std::mutex mutex_;  // of what follows
  int64_t epoch_ = 0;
  std::optional<std::vector<int64_t>> order_;  // of the epoch
  int64_t given_ = 0, at_ = 0;                 // batches of next: of all, and the epoch's next one
  std::vector<int64_t> next_order_;
};

/// Batches of images in memory.
class NumpyArrayIterator : public ImageIterator {
 public:
  /// `x`: images (n, h, w, c), or a list of them and of a tensor, or a list of tensors, that is
  /// passed on; `y` may be empty. Throws ShapeError for other shapes, ValueError for options that
  /// do not fit.
  NumpyArrayIterator(const Nest& x, const Nest& y, ImageDataGenerator generator,
                     const FlowOptions& options);

 protected:
  Tensor image(int64_t i) const override;
  Batch batch_of(const Tensor& x, const std::vector<int64_t>& images) const override;

 private:
  Tensor x_;
  std::vector<Tensor> more_;
  Tensor y_, sample_weight_;
};

template <std::convertible_to<Nest> Targets>
NumpyArrayIterator ImageDataGenerator::flow(const Nest& x, const Targets& y) const {
  return flow(x, y, FlowOptions());
}

/// Batches of image files, which are read as they are asked for.
class ImageFileIterator : public ImageIterator {
 public:
  std::vector<std::string> filenames;  ///< as they were given, or as they are below a folder
  std::vector<std::string> filepaths;  ///< the same with the folder's path

 protected:
  /// Takes options of either kind. Throws ValueError for an unknown color_mode or class_mode.
  template <class Options>
  ImageFileIterator(ImageDataGenerator generator, const Options& options,
                    const std::vector<std::string>& class_modes)
      : ImageFileIterator(std::move(generator), options.batch_size, options.shuffle, options.seed,
                          options.save,
                          {.color_mode = options.color_mode,
                           .target_size = options.target_size,
                           .interpolation = options.interpolation,
                           .keep_aspect_ratio = options.keep_aspect_ratio},
                          options.class_mode, class_modes) {}
  void set_files();  ///< when `filepaths` has them all
  Tensor image(int64_t i) const override;

  std::optional<std::string> class_mode_;  ///< one of those that are known, or none

 private:
  ImageFileIterator(ImageDataGenerator generator, int64_t batch_size, bool shuffle,
                    std::optional<int64_t> seed, SaveOptions save, utils::LoadImgOptions reading,
                    std::optional<std::string> class_mode,
                    const std::vector<std::string>& class_modes);
  utils::LoadImgOptions reading_;
};

/// Batches of the image files in a folder with a subfolder for each class.
class DirectoryIterator : public ImageFileIterator {
 public:
  /// Throws FileError when a folder is not there, ValueError for options that do not fit.
  DirectoryIterator(const std::filesystem::path& directory, ImageDataGenerator generator,
                    const FlowFromDirectoryOptions& options);

  std::map<std::string, int64_t> class_indices;  ///< the label of each class
  std::vector<int32_t> classes;                  ///< the label of each file

 protected:
  Batch batch_of(const Tensor& x, const std::vector<int64_t>& images) const override;
};

/// Batches of the image files that a table names, in its order unless they are shuffled. Rows are
/// left out whose files are no images (validate_filenames), with one warning, or of none of the
/// given classes; `subset` takes from what remains.
class DataFrameIterator : public ImageFileIterator {
 public:
  /// Throws ValueError for columns that are not there or hold other values than class_mode takes,
  /// for other than two classes with "binary", and for options that do not fit.
  DataFrameIterator(const DataFrame& dataframe, ImageDataGenerator generator,
                    const FlowFromDataframeOptions& options);

  std::map<std::string, int64_t> class_indices;  ///< the label of each class, if class_mode has any
  std::vector<std::vector<int32_t>> classes;     ///< the labels of each file; one unless in lists

 protected:
  Batch batch_of(const Tensor& x, const std::vector<int64_t>& images) const override;

 private:
  // Entries of the rows that are left, of all columns of one target.
  struct Target {
    Shape row;  // () of one column, (columns) of a list
    std::vector<float> numbers;
    std::vector<std::string> texts;  // in place of numbers
    Tensor of(const std::vector<int64_t>& rows) const;
  };
  static Target target_of(const DataFrame& dataframe, const std::vector<std::string>& columns,
                          bool list, const std::vector<int64_t>& rows);
  void classify(const DataFrame& dataframe, const FlowFromDataframeOptions& options,
                std::vector<int64_t>& rows);

  std::vector<Target> targets_;
  std::optional<Target> weights_;
};

}  // namespace cornu::preprocessing::image
