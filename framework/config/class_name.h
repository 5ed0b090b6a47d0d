// Names of classes, for messages and files.
#pragma once
#include <string>
#include <string_view>
#include <typeinfo>

namespace cornu::detail {

/// The class's name as in C++, "cornu::layers::DenseLayer"; as the compiler mangles it where that
/// cannot be read.
std::string class_name(const std::type_info& type);
/// The name that users write, which is that of the handle: without namespaces, template arguments
/// and the suffix, "Dense" of layers::DenseLayer with "Layer".
std::string handle_name(const std::type_info& type, std::string_view suffix);

}  // namespace cornu::detail
