// Made by tools/coverage/generate.py: a line of use for each name of Keras, which is compiled
// and linked, not run.
// clang-format off
#include <cornu/cornu.h>

#include "arguments.h"

namespace cornu::test::coverage {

void keras_callbacks_BackupAndRestore() { (void)callbacks::BackupAndRestore({.backup_dir = backup_dir}); }
void keras_callbacks_CSVLogger() { (void)callbacks::CSVLogger({.filename = filename}); }
void keras_callbacks_Callback() { class Mine : public callbacks::Callback {}; }
void keras_callbacks_CallbackList() { (void)callbacks::CallbackList({}, {.add_history = true, .model = &model}); }
void keras_callbacks_EarlyStopping() { (void)callbacks::EarlyStopping(); }
void keras_callbacks_History() { (void)callbacks::History(); }
void keras_callbacks_LambdaCallback() { (void)callbacks::LambdaCallback(); }
void keras_callbacks_LearningRateScheduler() { (void)callbacks::LearningRateScheduler({.schedule = [](int64_t, double rate) { return rate / 2; }}); }
void keras_callbacks_ModelCheckpoint() { (void)callbacks::ModelCheckpoint({.filepath = filepath}); }
void keras_callbacks_ProgbarLogger() { (void)callbacks::ProgbarLogger(); }
void keras_callbacks_ReduceLROnPlateau() { (void)callbacks::ReduceLROnPlateau(); }
void keras_callbacks_RemoteMonitor() { (void)callbacks::RemoteMonitor(); }
void keras_callbacks_SwapEMAWeights() { (void)callbacks::SwapEMAWeights(); }
void keras_callbacks_TensorBoard() { (void)callbacks::TensorBoard(); }
void keras_callbacks_TerminateOnNaN() { (void)callbacks::TerminateOnNaN(); }

}  // namespace cornu::test::coverage
