// keras.preprocessing: functions of keras.utils by their older names.
#pragma once
#include "folders/folder_datasets.h"
#include "images/load_img.h"
#include "sequences.h"
#include "timeseries_dataset.h"

namespace cornu::preprocessing {

using utils::image_dataset_from_directory;
using utils::text_dataset_from_directory;
using utils::timeseries_dataset_from_array;

/// keras.preprocessing.image.
namespace image {
using utils::array_to_img;
using utils::img_to_array;
using utils::load_img;
using utils::save_img;
}  // namespace image

/// keras.preprocessing.sequence.
namespace sequence {
using utils::pad_sequences;
}

}  // namespace cornu::preprocessing
