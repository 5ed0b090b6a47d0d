// Binding of operands to programs, and the tile loop.
#include "interpreter.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "parallel.h"

namespace cornu::backend::cpu {
namespace {

// Slots stand one cache line apart from a power of two, so that the same element of two tiles does
// not fall on the same cache set.
// The tiles of a step are read together, at the same offsets.
constexpr int64_t slot_padding = 64;
constexpr int64_t slot_bytes = tile_size * 8 + slot_padding;
constexpr int conversion_slots = 4;
/// Size from which an operand is not expected in the caches near a core.
constexpr int64_t prefetch_bytes = 128 * 1024;
/// Elements up to which a lasting program keeps its tiles to itself. Larger ones share the memory
/// of their thread, which is then in the caches.
constexpr int64_t own_frame_elements = 2 * tile_size;

void splat(char* to, const char* value, int64_t bytes, int64_t n) {
  const auto fill = [&]<class U>(U) {
    U bits;
    std::memcpy(&bits, value, sizeof bits);
    std::fill_n(reinterpret_cast<U*>(to), n, bits);
  };
  switch (bytes) {
    case 1:
      return fill(uint8_t{});
    case 2:
      return fill(uint16_t{});
    case 4:
      return fill(uint32_t{});
    default:
      return fill(uint64_t{});
  }
}

/// Copies elements [flat, flat + n) of a broadcast input, run by run along its innermost group of
/// axes.
template <class U>
void gather(const BoundInput& input, U* to, int64_t flat, int64_t n) {
  const U* data = reinterpret_cast<const U*>(input.data);
  const int last = input.groups - 1;
  int64_t index[Shape::max_rank], offset = 0;
  for (int g = last; g >= 0; --g) {
    index[g] = flat % input.sizes[g];
    flat /= input.sizes[g];
    offset += index[g] * input.strides[g];
  }
  const int64_t length = input.sizes[last];
  const bool broadcast = input.strides[last] == 0;
  while (n > 0) {
    const int64_t run = std::min(n, length - index[last]);
    if (broadcast) {
      std::fill_n(to, run, data[offset]);
      // Below, the call of memcpy takes longer than the copy.
    } else if (run >= 16) {
      std::memcpy(to, data + offset, static_cast<size_t>(run) * sizeof(U));
    } else {
      for (int64_t i = 0; i < run; ++i) to[i] = data[offset + i];
    }
    to += run;
    n -= run;
    // To the start of the next run.
    offset -= index[last] * input.strides[last];
    index[last] = 0;
    for (int g = last - 1; g >= 0; --g) {
      offset += input.strides[g];
      if (++index[g] < input.sizes[g]) break;
      offset -= input.sizes[g] * input.strides[g];
      index[g] = 0;
    }
  }
}

void gather(const BoundInput& input, char* to, int64_t flat, int64_t n) {
  switch (input.element_bytes) {
    case 1:
      return gather(input, reinterpret_cast<uint8_t*>(to), flat, n);
    case 2:
      return gather(input, reinterpret_cast<uint16_t*>(to), flat, n);
    case 4:
      return gather(input, reinterpret_cast<uint32_t*>(to), flat, n);
    default:
      return gather(input, reinterpret_cast<uint64_t*>(to), flat, n);
  }
}

/// Asks for the memory of the next tile. Hardware sees tiles as many short streams and starts late.
void prefetch(const char* from, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch(from + i);
}

/// Rough cost of one element of an instruction, in additions.
int cost_of(Opcode op) { return op >= Opcode::exp && op <= Opcode::softplus ? 8 : 1; }

}  // namespace

Frame::~Frame() { ::operator delete(scratch, std::align_val_t(64)); }

void Frame::reserve(size_t bytes) {
  if (bytes <= scratch_bytes) return;
  ::operator delete(scratch, std::align_val_t(64));
  scratch = nullptr;
  scratch_bytes = 0;
  scratch = static_cast<char*>(::operator new(bytes, std::align_val_t(64)));
  scratch_bytes = bytes;
}

Frame& thread_frame() {
  static thread_local Frame frame;
  return frame;
}

int64_t BoundProgram::register_bytes() const {
  return slot_elements_ * element_bytes_ + slot_padding;
}

BoundProgram::BoundProgram(const Program& program, DType compute, const Shape& shape,
                           Operands inputs, Operands outputs, Binding binding)
    : program_(program),
      kernels_(tile_kernels(compute)),
      compute_(compute),
      element_bytes_(static_cast<int64_t>(size_of(compute))),
      numel_(shape.numel()),
      slot_elements_(tile_size) {
  bool converts = false;
  for (const Instruction& instruction : program.instructions()) {
    cost_ += cost_of(instruction.op);
    converts |= kernels_.elementwise[static_cast<int>(instruction.op)] == nullptr;
  }
  cost_ = std::max<int64_t>(cost_, 1);
  const bool keeps_frame =
      binding == Binding::lasting && numel_ <= own_frame_elements && work() < least_parallel_work;
  // Rounded up so that slots begin at cache lines.
  if (keeps_frame) slot_elements_ = std::min((numel_ + 15) / 16 * 16, tile_size);

  const size_t first = inputs.size() + program.constants().size();
  for (size_t k = 0; k < outputs.size(); ++k) {
    BoundOutput& output = outputs_.emplace_back();
    output.data = static_cast<char*>(outputs[k].data);
    output.convert = output.store = convert_tile(compute, outputs[k].dtype);
    output.element_bytes = static_cast<uint8_t>(size_of(outputs[k].dtype));
    // An instruction's result in the output's own type can be written there directly.
    output.computed = program.outputs()[k] >= first && outputs[k].dtype == compute;
  }
  inputs_.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    BoundInput& input = inputs_[i];
    if (program.reads(static_cast<int>(i))) bind_input(input, inputs[i], shape);
    for (size_t k = 0; outputs.size() > 1 && k < outputs.size(); ++k)
      // An input that is an output too must not be overwritten by another output before it is
      // stored.
      input.passed |= program.outputs()[k] == i;
    input.slot = scratch_bytes_;
    const bool twice = input.access == Access::periodic;
    const bool none =
        input.access == Access::unused || (input.access == Access::direct && !input.passed);
    if (!none) scratch_bytes_ += twice ? 2 * register_bytes() : register_bytes();
  }
  first_constant_slot_ = scratch_bytes_;
  first_register_slot_ =
      first_constant_slot_ + static_cast<int64_t>(program.constants().size()) * register_bytes();
  scratch_bytes_ = first_register_slot_ + program.register_count() * register_bytes();
  prefetches_ = numel_ * element_bytes_ >= prefetch_bytes;
  conversion_slot_ = scratch_bytes_;
  if (converts || has_general_) scratch_bytes_ += conversion_slots * slot_bytes;
  bind_steps();
  if (binding == Binding::once) {
    place_outputs();
  } else if (keeps_frame) {
    own_ = std::make_unique<Frame>();
    start_lasting(*own_, std::min(numel_, tile_size));
  }
}

void BoundProgram::bind_input(BoundInput& bound, const Operand& operand, const Shape& shape) {
  bound.data = static_cast<const char*>(operand.data);
  bound.element_bytes = static_cast<uint8_t>(size_of(operand.dtype));
  bound.convert = operand.dtype == compute_ ? nullptr : convert_tile(operand.dtype, compute_);
  const Shape& own = *operand.shape;
  if (own.numel() == numel_) {
    // Dense: the shapes differ at most in axes of size 1.
    bound.access = bound.convert ? Access::dense : Access::direct;
    if (numel_ == 1) bound.access = Access::scalar;
    return;
  }
  if (own.numel() == 1) {
    bound.access = Access::scalar;
    return;
  }
  if (numel_ == 0) return;
  // Merge neighboring axes that are all present or all broadcast, from the innermost outwards.
  int groups = 0;
  int64_t stride = 1;
  bool present_before = false;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (shape[axis] == 1) continue;
    const int own_axis = axis - (shape.rank() - own.rank());
    const bool present = own_axis >= 0 && own[own_axis] != 1;
    if (groups > 0 && present == present_before) {
      bound.sizes[groups - 1] *= shape[axis];
    } else {
      bound.sizes[groups] = shape[axis];
      bound.strides[groups++] = present ? stride : 0;
    }
    if (present) stride *= shape[axis];
    present_before = present;
  }
  std::reverse(bound.sizes, bound.sizes + groups);
  std::reverse(bound.strides, bound.strides + groups);
  bound.groups = groups;
  bound.access = Access::general;
  // A vector repeated along the rows, as a bias is: the most frequent broadcast by far.
  if (groups == 2 && bound.strides[0] == 0) {
    bound.period = bound.sizes[1];
    // Short rows: two periods laid out once serve each tile from the right offset.
    if (bound.period <= tile_size)
      bound.access = Access::periodic;
    else if (!bound.convert)
      bound.access = Access::window;
  }
  if (bound.convert) has_general_ = true;
}

void BoundProgram::bind_steps() {
  const auto link = [](Opcode op, bool reversed) {
    switch (op) {
      case Opcode::add:
        return Link::add;
      case Opcode::subtract:
        return reversed ? Link::reversed_subtract : Link::subtract;
      case Opcode::multiply:
        return Link::multiply;
      default:
        return reversed ? Link::reversed_divide : Link::divide;
    }
  };
  const Instruction* instructions = program_.instructions().data();
  const bool chains = is_float(compute_);
  for (const Step& step : program_.steps()) {
    if (step.length == 1 || !chains) {
      for (int k = 0; k < step.length; ++k) {
        BoundStep bound;
        const Instruction& instruction = instructions[step.members[k]];
        bound.kernel = kernels_.elementwise[static_cast<int>(instruction.op)];
        bound.instruction = step.members[k];
        const int arity = info(instruction.op).arity;
        // Missing operands repeat the first, so that kernels of all arities are called alike.
        for (int m = 0; m < 4; ++m) bound.operands[m] = instruction.operands[m < arity ? m : 0];
        steps_.push_back(bound);
      }
      continue;
    }
    BoundStep bound;
    bound.instruction = step.members[step.length - 1];
    const Instruction& start = instructions[step.members[0]];
    std::fill_n(bound.operands, 4, start.operands[0]);
    // A square is the product of a value with itself.
    bound.operands[1] = start.operands[start.op == Opcode::square ? 0 : 1];
    Link links[3] = {Link::none, Link::none, Link::none};
    for (int k = 1; k < step.length; ++k) {
      const Instruction& next = instructions[step.members[k]];
      links[k] = link(next.op, step.reversed[k]);
      bound.operands[k + 1] = next.operands[step.reversed[k] ? 0 : 1];
    }
    const int first = start.op == Opcode::add ? 0 : start.op == Opcode::subtract ? 1 : 2;
    bound.chain = kernels_.chains[first][static_cast<int>(links[1])][static_cast<int>(links[2])];
    steps_.push_back(bound);
  }
}

void BoundProgram::place_outputs() {
  placed_ = true;
  const size_t first = inputs_.size() + program_.constants().size();
  for (BoundStep& step : steps_) step.output = -1;
  for (size_t k = 0; k < outputs_.size(); ++k) {
    BoundOutput& output = outputs_[k];
    output.store = output.convert;
    // Which inputs lie under each output; compared on rebinding, since the plan below depends on
    // it.
    output.overwrites = 0;
    for (size_t i = 0; i < std::min<size_t>(inputs_.size(), 64); ++i)
      if (overlaps(k, i)) output.overwrites |= uint64_t{1} << i;
    if (!output.computed) continue;
    const uint16_t value = program_.outputs()[k];
    BoundStep* step = steps_.begin();
    while (step->instruction != value - first) ++step;
    // The value is an output twice: the second one is stored by a copy.
    if (step->output >= 0) continue;
    // Written in place, unless the output's memory is an input that is still read after that.
    bool read_later = false;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      if (!overlaps(k, i)) continue;
      for (const BoundStep* later = step + 1; later != steps_.end(); ++later)
        for (uint16_t operand : later->operands) read_later |= operand == i;
      for (uint16_t other : program_.outputs()) read_later |= other == i;
    }
    if (read_later) continue;
    step->output = static_cast<int16_t>(k);
    output.store = nullptr;
  }
  // An input that an output overwrites and another output passes on is read into a tile first.
  for (size_t i = 0; i < inputs_.size(); ++i) {
    BoundInput& input = inputs_[i];
    if (input.staged) {
      input.staged = false;
      input.access = Access::direct;
      input.convert = nullptr;
    }
    if (input.access != Access::direct || !input.passed) continue;
    bool overwritten = false;
    for (size_t k = 0; k < outputs_.size(); ++k)
      overwritten |= overlaps(k, i) && program_.outputs()[k] != i;
    if (!overwritten) continue;
    input.staged = true;
    input.access = Access::dense;
    input.convert = convert_tile(compute_, compute_);
  }
  if (own_) start_lasting(*own_, std::min(numel_, tile_size));
}

void BoundProgram::rebind(void* const* data) {
  bool moved = !placed_;
  const size_t inputs = inputs_.size();
  for (size_t i = 0; i < inputs; ++i) {
    moved |= inputs_[i].data != data[i];
    inputs_[i].data = static_cast<const char*>(data[i]);
  }
  for (size_t k = 0; k < outputs_.size(); ++k) {
    moved |= outputs_[k].data != data[inputs + k];
    outputs_[k].data = static_cast<char*>(data[inputs + k]);
  }
  // Plans run with the same addresses most of the time; then nothing is decided anew.
  if (!moved || outputs_.empty()) return;
  bool same = placed_ && inputs <= 64;
  for (size_t k = 0; same && k < outputs_.size(); ++k) {
    uint64_t overwrites = 0;
    for (size_t i = 0; i < inputs; ++i) overwrites |= uint64_t{overlaps(k, i)} << i;
    same = overwrites == outputs_[k].overwrites;
  }
  // Only the way outputs overlap inputs decides about places, not the addresses themselves.
  if (!same) place_outputs();
}

// What stays when values and addresses of operands change.
void BoundProgram::start_lasting(Frame& frame, int64_t n) const {
  frame.reserve(static_cast<size_t>(scratch_bytes_));
  const size_t inputs = inputs_.size(), constants = program_.constants().size();
  const size_t count = inputs + constants + program_.instructions().size();
  if (frame.values.size() < count) frame.values.resize(count);
  char** values = frame.values.data();
  const int64_t stride = register_bytes();
  for (size_t i = 0; i < inputs; ++i) values[i] = frame.scratch + inputs_[i].slot;
  for (size_t i = 0; i < constants; ++i) {
    char* slot = frame.scratch + first_constant_slot_ + static_cast<int64_t>(i) * stride;
    values[inputs + i] = slot;
    const double constant = program_.constants()[i];
    alignas(8) char value[8];
    switch (compute_) {
      case DType::float64:
        std::memcpy(value, &constant, sizeof constant);
        break;
      // A constant is rounded once, as a stored operand of that type would be.
      case DType::float32: {
        const float single = static_cast<float>(constant);
        std::memcpy(value, &single, sizeof single);
        break;
      }
      default:
        convert_tile(DType::float64, compute_)(&constant, value, 1);
    }
    splat(slot, value, element_bytes_, n);
  }
  for (size_t i = 0; i < program_.instructions().size(); ++i)
    values[inputs + constants + i] =
        frame.scratch + first_register_slot_ + program_.registers()[i] * stride;
}

// The inputs that are read once for all tiles.
void BoundProgram::load_inputs(Frame& frame, int64_t n) const {
  for (const BoundInput& input : inputs_) {
    char* slot = frame.scratch + input.slot;
    if (input.access == Access::scalar && numel_ > 0) {
      alignas(8) char value[8];
      const char* source = input.data;
      if (input.convert) {
        input.convert(input.data, value, 1);
        source = value;
      }
      splat(slot, source, element_bytes_, n);
    } else if (input.access == Access::periodic) {
      // One period, then doubled up to a period and a tile.
      const int64_t total = std::min(n, tile_size) + input.period;
      if (input.convert)
        input.convert(input.data, slot, input.period);
      else
        std::memcpy(slot, input.data, static_cast<size_t>(input.period * element_bytes_));
      for (int64_t done = input.period; done < total;) {
        const int64_t more = std::min(done, total - done);
        std::memcpy(slot + done * element_bytes_, slot, static_cast<size_t>(more * element_bytes_));
        done += more;
      }
    }
  }
}

void BoundProgram::start(Frame& frame, int64_t n) const {
  start_lasting(frame, n);
  load_inputs(frame, n);
}

Frame& BoundProgram::start(int64_t n) const {
  if (own_) {
    load_inputs(*own_, n);
    return *own_;
  }
  Frame& frame = thread_frame();
  start(frame, n);
  return frame;
}

const void* BoundProgram::evaluate(Frame& frame, int64_t flat, int64_t n) const {
  char** values = frame.values.data();
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const BoundInput& input = inputs_[i];
    char* slot = frame.scratch + input.slot;
    switch (input.access) {
      case Access::unused:
      case Access::scalar:
        break;
      case Access::direct:
        values[i] = const_cast<char*>(input.data) + flat * element_bytes_;
        if (prefetches_) prefetch(values[i] + n * element_bytes_, n * element_bytes_);
        break;
      case Access::dense:
        input.convert(input.data + flat * input.element_bytes, slot, n);
        break;
      case Access::periodic:
        values[i] = slot + flat % input.period * element_bytes_;
        break;
      case Access::window:
        if (const int64_t from = flat % input.period; from + n <= input.period) {
          values[i] = const_cast<char*>(input.data) + from * element_bytes_;
          break;
        }
        values[i] = slot;
        gather(input, slot, flat, n);
        break;
      case Access::general:
        if (input.convert) {
          char* raw = frame.scratch + conversion_slot_;
          gather(input, raw, flat, n);
          input.convert(raw, slot, n);
        } else {
          gather(input, slot, flat, n);
        }
    }
  }
  const size_t first = inputs_.size() + program_.constants().size();
  for (const BoundStep& step : steps_) {
    char*& result = values[first + step.instruction];
    if (step.output >= 0) result = outputs_[step.output].data + flat * element_bytes_;
    if (step.chain != nullptr) {
      step.chain(values[step.operands[0]], values[step.operands[1]], values[step.operands[2]],
                 values[step.operands[3]], result, n);
    } else if (step.kernel != nullptr) {
      step.kernel(values[step.operands[0]], values[step.operands[1]], values[step.operands[2]],
                  result, n);
    } else {
      evaluate_by_conversion(frame, step.instruction, n);
    }
  }
  return program_.outputs().empty() ? nullptr : values[program_.outputs()[0]];
}

void BoundProgram::evaluate_by_conversion(Frame& frame, size_t index, int64_t n) const {
  // Operations of floats on integers are done in float64, bit operations on floats in int64.
  const Instruction& instruction = program_.instructions()[index];
  const DType other = is_float(compute_) ? DType::int64 : DType::float64;
  const ConvertTile load = convert_tile(compute_, other);
  char* slots = frame.scratch + conversion_slot_;
  for (int k = 0; k < info(instruction.op).arity; ++k)
    load(frame.values[instruction.operands[k]], slots + k * slot_bytes, n);
  char* result = slots + 3 * slot_bytes;
  tile_kernels(other).elementwise[static_cast<int>(instruction.op)](
      slots, slots + slot_bytes, slots + 2 * slot_bytes, result, n);
  const size_t first = inputs_.size() + program_.constants().size();
  convert_tile(other, compute_)(result, frame.values[first + index], n);
}

void BoundProgram::store(Frame& frame, int64_t flat, int64_t n) const {
  for (size_t k = 0; k < outputs_.size(); ++k) {
    const BoundOutput& output = outputs_[k];
    if (output.store == nullptr) continue;
    output.store(frame.values[program_.outputs()[k]], output.data + flat * output.element_bytes, n);
  }
}

}  // namespace cornu::backend::cpu
