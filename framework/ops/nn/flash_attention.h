// keras.config: whether attention may go without a matrix of its scores.
#pragma once

namespace cornu::config {

/// Lets ops::dot_product_attention, and the layers that call it, compute attention in blocks and
/// without the matrix (batch, heads, t, s) of all scores, wherever one kernel can. It is so from
/// the start.
void enable_flash_attention();
/// Has them make that matrix: two matrix products with a softmax between, whose memory grows with
/// t * s. Results differ by rounding alone. A call with `flash_attention = true` is not affected. A
/// recorded function keeps what held when it was recorded. Any thread may call it, for all threads.
void disable_flash_attention();
/// Whether attention without that matrix is allowed.
bool is_flash_attention_enabled();

}  // namespace cornu::config
