// The passes that improve a recorded graph before it runs. Each is a function in a file of its own.
#pragma once
#include <functional>

#include "graph.h"

namespace cornu::plan {

/// Runs all of them, in order; `after` is told of each that has run.
void optimize(Graph& graph, const std::function<void(const char* pass, const Graph&)>& after = {});

/// Leaves out steps, variables and constants that neither the outputs nor assignments nor the host
/// need.
void drop_dead(Graph& graph);
/// Computes now what depends on constants only, and writes numbers into the programs that read
/// them.
void fold(Graph& graph);
/// Equal steps on equal inputs become one.
void merge_common(Graph& graph);
/// Batch normalization reads its operand without the bias that is added to it, whose gradient is 0.
void drop_bias_before_normalization(Graph& graph);
/// Gathers, and sums of softmax, read what their operand was cast from; what is gathered is cast.
void sink_casts(Graph& graph);
/// Elementwise programs are fused with the programs that feed them, and so are reductions.
void fuse(Graph& graph);
/// Steps that depend on nothing but variables which the function leaves alone go to the front, to
/// be done once.
void hoist(Graph& graph);
/// Behind such a convolution, factors and summands of its channels (batch normalization in
/// inference) move into its filters and its bias. After `hoist`.
void fold_normalization(Graph& graph);
/// Convolutions and matrix products add the bias and cut off negative results themselves where a
/// program of that kind follows.
void fuse_epilogues(Graph& graph);
/// Convolutions pool their results, and the derivative of max pooling takes that of the relu before
/// it, where the device offers it.
void fuse_pooling(Graph& graph);
/// Convolutions give a bias's gradient with that of their filters, where the device offers it.
void fuse_bias_gradients(Graph& graph);
/// Normalizations take elementwise programs in front and behind.
void fuse_normalize(Graph& graph);
/// Zeros around an operand become padding of the convolution or the max pooling that reads it.
/// Before `choose_layouts`.
void fold_padding(Graph& graph);
/// Convolutions, and what lies between them, take the device's preferred layout of channels.
void choose_layouts(Graph& graph);
/// Equal programs on many arrays become one step: those that change variables, and those that
/// depend on nothing computed.
void fuse_horizontally(Graph& graph);
/// Steps that free memory are done as soon as they can be.
void schedule(Graph& graph);

}  // namespace cornu::plan
