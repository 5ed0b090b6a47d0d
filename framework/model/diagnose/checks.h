// The checks of a diagnosis, one family in each source file.
#pragma once
#include "evidence.h"
#include "findings.h"

namespace cornu::diagnose {

void check_inputs(const Evidence& evidence, Findings& findings);        ///< inputs.cpp
void check_use(const Evidence& evidence, Findings& findings);           ///< inputs.cpp, too
void check_split(const Evidence& evidence, Findings& findings);         ///< split.cpp
void check_target_leak(const Evidence& evidence, Findings& findings);   ///< target_leak.cpp
void check_labels(const Evidence& evidence, Findings& findings);        ///< labels.cpp
void check_alignment(const Evidence& evidence, Findings& findings);     ///< alignment.cpp
void check_targets(const Evidence& evidence, Findings& findings);       ///< targets.cpp
void check_target_scale(const Evidence& evidence, Findings& findings);  ///< targets.cpp, too
void check_losses(const Evidence& evidence, Findings& findings);        ///< losses.cpp
void check_metrics(const Evidence& evidence, Findings& findings);       ///< metrics.cpp
void check_architecture(const Evidence& evidence, Findings& findings);  ///< architecture.cpp
void check_statistics(const Evidence& evidence, Findings& findings);    ///< architecture.cpp, too
void check_gradients(const Evidence& evidence, Findings& findings);     ///< gradients.cpp
void check_training(const Evidence& evidence, Findings& findings);      ///< training.cpp
/// Whether batches take longer to come than to be trained on; data_speed.cpp.
void check_data_speed(Dataset& data, const Evidence& evidence, Findings& findings);

}  // namespace cornu::diagnose
