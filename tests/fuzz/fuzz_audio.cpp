// Fuzz target: sound files.
#include <cornu/framework/io/audio/audio.h>

#include "fuzz_support.h"

using namespace cornu;
using fuzz::expect_own_errors;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  constexpr io::AudioLimits limits{.samples = 1 << 16, .bytes = 1 << 20};
  for (const int64_t frames : {-1, 5})
    expect_own_errors([&] {
      const io::Audio audio = io::decode_audio(bytes, "fuzz", frames, limits);
      if (static_cast<int64_t>(audio.samples.size()) != audio.frames * audio.channels ||
          static_cast<int64_t>(audio.samples.size()) > limits.samples || audio.channels < 1 ||
          (frames >= 0 && audio.frames > frames))
        std::abort();
    });
  return 0;
}
