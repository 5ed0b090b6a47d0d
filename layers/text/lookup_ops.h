// The host's work of look-up layers: from tensors and files to tokens, and back.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "../../framework/tensor/tensor.h"
#include "lookup_table.h"

namespace cornu::layers {

/// int64 numbers of the tokens in a tensor, of its shape.
template <class Token>
Tensor numbers_of(const std::shared_ptr<LookupTable<Token>>& table, const Tensor& tokens);
/// The tokens of numbers, a string or int64 tensor.
template <class Token>
Tensor tokens_of(const std::shared_ptr<LookupTable<Token>>& table, const Tensor& numbers);

/// The elements of a tensor. Throws ValueError when they are no tokens of this kind.
template <class Token>
std::vector<Token> tokens_in(const Tensor& data);
/// The lines of a text; an end of line at the end begins no further one. Throws FileError when one
/// is no token.
template <class Token>
std::vector<Token> tokens_in(const std::string& text);
/// Tokens as lines.
template <class Token>
std::string lines_of(const std::vector<Token>& tokens);

/// A text file's content. Throws FileError when it cannot be read.
std::string read_text(const std::string& path);

}  // namespace cornu::layers
