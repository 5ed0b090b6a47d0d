// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_callbacks_BackupAndRestore() { (void)callbacks::BackupAndRestore({.backup_dir = backup_dir}); }
static_assert(in_order<callbacks::BackupAndRestore>({"backup_dir", "save_freq", "double_checkpoint", "delete_checkpoint"}));
void keras_callbacks_CSVLogger() { (void)callbacks::CSVLogger({.filename = filename}); }
static_assert(in_order<callbacks::CSVLogger>({"filename", "separator", "append"}));
void keras_callbacks_Callback() { class Mine : public callbacks::Callback {}; }
void keras_callbacks_CallbackList() { (void)callbacks::CallbackList({}, {.add_history = true, .model = &model}); }
static_assert(in_order<callbacks::CallbackList>({"callbacks", "add_history", "add_progbar", "model"}));
void keras_callbacks_EarlyStopping() { (void)callbacks::EarlyStopping(); }
static_assert(in_order<callbacks::EarlyStopping>({"monitor", "min_delta", "patience", "verbose"}));
void keras_callbacks_History() { (void)callbacks::History(); }
void keras_callbacks_LambdaCallback() { (void)callbacks::LambdaCallback(); }
static_assert(in_order<callbacks::LambdaCallback>({"on_epoch_begin", "on_epoch_end", "on_train_begin", "on_train_end"}));
void keras_callbacks_LearningRateScheduler() { (void)callbacks::LearningRateScheduler({.schedule = [](int64_t, double rate) { return rate / 2; }}); }
static_assert(in_order<callbacks::LearningRateScheduler>({"schedule", "verbose"}));
void keras_callbacks_ModelCheckpoint() { (void)callbacks::ModelCheckpoint({.filepath = filepath}); }
static_assert(in_order<callbacks::ModelCheckpoint>({"filepath", "monitor", "verbose", "save_best_only"}));
void keras_callbacks_ProgbarLogger() { (void)callbacks::ProgbarLogger(); }
void keras_callbacks_ReduceLROnPlateau() { (void)callbacks::ReduceLROnPlateau(); }
static_assert(in_order<callbacks::ReduceLROnPlateau>({"monitor", "factor", "patience", "verbose"}));
void keras_callbacks_RemoteMonitor() { (void)callbacks::RemoteMonitor(); }
static_assert(in_order<callbacks::RemoteMonitor>({"root", "path", "field", "headers"}));
void keras_callbacks_SwapEMAWeights() { (void)callbacks::SwapEMAWeights(); }
static_assert(in_order<callbacks::SwapEMAWeights>({"swap_on_epoch"}));
void keras_callbacks_TensorBoard() { (void)callbacks::TensorBoard(); }
static_assert(in_order<callbacks::TensorBoard>({"log_dir", "histogram_freq", "write_graph", "write_images"}));
void keras_callbacks_TerminateOnNaN() { (void)callbacks::TerminateOnNaN(); }
static_assert(in_order<callbacks::TerminateOnNaN>({"raise_error"}));

}  // namespace cornu::test::coverage
