// The catalog of ops against the declarations of the functions that it lists.
#include <cornu/framework/ops/catalog.h>
#include <cornu/framework/ops/ops.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "catch.h"
#include "paths.h"

namespace op_catalog_test {

using namespace cornu;
using test::source_path;

namespace {

struct Parameter {
  std::string type, name;
  std::optional<std::string> otherwise = {};  ///< the text of its default
};
using Parameters = std::vector<Parameter>;

// An entry of a list: catalog.add("nn.Softmax", {"x", "axis=-1"}, &softmax);
struct Entry {
  std::string place, keras_name, function;
  std::vector<std::string> parameters;
};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string trimmed(const std::string& text) {
  const size_t from = text.find_first_not_of(" \n\t"), to = text.find_last_not_of(" \n\t");
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

// The place of the bracket that closes the one at `open`.
size_t closing(const std::string& text, size_t open) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = open; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted) continue;
    if (text[i] == '(' || text[i] == '{') ++depth;
    if ((text[i] == ')' || text[i] == '}') && --depth == 0) return i;
  }
  return std::string::npos;
}

// The parts of a text between its outermost commas.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted)
      depth += c == '(' || c == '{' || c == '<' ? 1 : c == ')' || c == '}' || c == '>' ? -1 : 0;
    if (c == ',' && depth == 0 && !quoted) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) parts.push_back(trimmed(part));
  return parts;
}

std::string without_comments(const std::string& text) {
  return std::regex_replace(text, std::regex("//[^\n]*"), "");
}

std::vector<std::filesystem::path> sources(const char* extension) {
  std::vector<std::filesystem::path> paths;
  for (const auto& file :
       std::filesystem::recursive_directory_iterator(source_path("framework/ops")))
    if (file.path().extension() == extension) paths.push_back(file.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Parameter parameter_of(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string declared = trimmed(text.substr(0, equals));
  const size_t space = declared.find_last_of(" &");
  Parameter parameter{trimmed(declared.substr(0, space + 1)), declared.substr(space + 1)};
  if (equals != std::string::npos) parameter.otherwise = trimmed(text.substr(equals + 1));
  return parameter;
}

// All functions that the headers of ops declare, by name.
std::multimap<std::string, Parameters> declarations() {
  static const std::regex start(
      R"((?:^|\n)(?:Tensor|Condition|Nest|DType|Shape|int64_t|std::vector<Tensor>|TensorTuple<\d>|Parts<Nest, 3>|)"
      R"(std::pair<Tensor, Tensor>) (\w+)\()");
  std::multimap<std::string, Parameters> found;
  for (const auto& path : sources(".h")) {
    const std::string text = without_comments(text_of(path));
    for (std::sregex_iterator m(text.begin(), text.end(), start), end; m != end; ++m) {
      const auto open = static_cast<size_t>(m->position()) + static_cast<size_t>(m->length()) - 1;
      const size_t close = closing(text, open);
      Parameters parameters;
      for (const std::string& part : parts_of(text.substr(open + 1, close - open - 1)))
        parameters.push_back(parameter_of(part));
      found.emplace((*m)[1].str(), std::move(parameters));
    }
  }
  return found;
}

std::vector<Entry> entries() {
  std::vector<Entry> found;
  static const std::regex name(R"(&?(\w+?)(?:_of_(?:tensor|value))?\)?$)");
  for (const auto& path : sources(".cpp")) {
    const std::string text = without_comments(text_of(path));
    const std::string call = "catalog.add(";
    for (size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
      const size_t open = at + call.size() - 1;
      const auto parts = parts_of(text.substr(open + 1, closing(text, open) - open - 1));
      if (parts.size() != 3 || parts[0].front() != '"')
        continue;  // the table of elementwise operations
      Entry entry{path.filename().string(), parts[0].substr(1, parts[0].size() - 2), "", {}};
      for (const std::string& p : parts_of(parts[1].substr(1, parts[1].size() - 2)))
        entry.parameters.push_back(p.substr(1, p.size() - 2));
      std::smatch m;
      if (std::regex_search(parts[2], m, name)) entry.function = m[1].str();
      found.push_back(std::move(entry));
    }
  }
  return found;
}

// A default as the catalog writes it, from C++'s text.
std::string default_in_python(const std::string& text) {
  static const std::map<std::string, std::string> words = {{"{}", "None"},
                                                           {"true", "True"},
                                                           {"false", "False"},
                                                           {"DType::int8", "'int8'"},
                                                           {"DType::float32", "'float32'"}};
  if (const auto word = words.find(text); word != words.end()) return word->second;
  // The value where the process has set no other.
  if (text == "config::image_data_format()") return "'channels_last'";
  if (text.front() == '"') return "'" + text.substr(1, text.size() - 2) + "'";
  if (text.front() == '{') {
    const auto numbers = parts_of(text.substr(1, text.size() - 2));
    if (numbers.size() == 1) return numbers[0];
    std::string list;
    for (const std::string& number : numbers) list += (list.empty() ? "(" : ",") + number;
    return list + ")";
  }
  return text;
}

bool is_number(const std::string& text) {
  return text.find_first_not_of("0123456789.e-+") == std::string::npos;
}

bool equal_defaults(const std::string& listed, const std::string& declared) {
  const std::string plain = std::regex_replace(listed, std::regex(R"(\s)"), "");
  if (is_number(plain) && is_number(declared)) return std::stod(plain) == std::stod(declared);
  if (plain.front() == '(') {
    const auto a = parts_of(plain.substr(1, plain.size() - 2)),
               b = parts_of(declared.substr(1, declared.size() - 2));
    return declared.front() == '(' &&
           std::equal(a.begin(), a.end(), b.begin(), b.end(), equal_defaults);
  }
  return plain == declared;
}

// How the entry differs from the declaration, or "".
std::string difference(const Entry& entry, const Parameters& declared, bool has_overloads) {
  if (entry.parameters.size() != declared.size())
    return "lists " + std::to_string(entry.parameters.size()) + " parameters, the function has " +
           std::to_string(declared.size());
  for (size_t i = 0; i < declared.size(); ++i) {
    std::string listed = entry.parameters[i];
    const size_t stars = listed.find_first_not_of('*');
    listed = listed.substr(stars);
    const size_t equals = listed.find('=');
    // A keyword of C++ has an underscore behind it.
    const std::string name = listed.substr(0, equals);
    if (name != declared[i].name && name + "_" != declared[i].name)
      return "lists '" + listed.substr(0, equals) + "', the function has '" + declared[i].name +
             "'";
    if (stars > 0) continue;
    const bool has_default = equals != std::string::npos;
    // Where a shorter overload stands for the default, this one cannot have it.
    if (has_default && !declared[i].otherwise && has_overloads) continue;
    if (has_default != declared[i].otherwise.has_value())
      return "'" + declared[i].name + "' has a default on one side only";
    if (has_default &&
        !equal_defaults(listed.substr(equals + 1), default_in_python(*declared[i].otherwise)))
      return "'" + listed + "', the function has " + *declared[i].otherwise;
  }
  return "";
}

}  // namespace

TEST_CASE("what the catalog lists agrees with the declarations") {
  const auto declared = declarations();
  const std::vector<Entry> listed = entries();
  REQUIRE(listed.size() > 200);
  for (const Entry& entry : listed) {
    INFO(entry.place << ": " << entry.keras_name << ", &" << entry.function);
    const auto [first, last] = declared.equal_range(entry.function);
    const auto overloads = std::distance(first, last);
    if (overloads == 0) {
      // Rows of backend/opcodes.inc take one or two tensors.
      CHECK(entry.parameters.size() <= 2);
      continue;
    }
    std::vector<std::string> differences;
    for (auto candidate = first; candidate != last; ++candidate)
      differences.push_back(difference(entry, candidate->second, overloads > 1));
    INFO(differences.front());
    CHECK(std::find(differences.begin(), differences.end(), "") != differences.end());
  }
}

TEST_CASE("the catalog lists what becomes a node of a graph") {
  std::set<std::string> listed;
  for (const Entry& entry : entries()) listed.insert(entry.function);
  static const std::regex name(R"(&(\w+)\)?$)");
  int calls = 0;
  for (const auto& path : sources(".cpp")) {
    const std::string text = without_comments(text_of(path)), call = "symbolic_call(";
    for (size_t at = text.find(call); at != std::string::npos; at = text.find(call, at + 1)) {
      const size_t open = at + call.size() - 1;
      const std::string function =
          parts_of(text.substr(open + 1, closing(text, open) - open - 1)).at(0);
      std::smatch m;
      if (!std::regex_search(function, m, name)) continue;  // the table of elementwise operations
      INFO(path.filename().string() << ": " << m[1].str());
      CHECK(listed.count(m[1].str()) == 1);
      ++calls;
    }
  }
  CHECK(calls > 200);
}

TEST_CASE("a disagreement with a declaration is found") {
  const Parameters declared = {{"const Tensor&", "x"}, {"const Axes&", "axis", "-1"}};
  const auto differs = [&](std::vector<std::string> parameters) {
    return !difference({"", "", "", std::move(parameters)}, declared, false).empty();
  };
  CHECK_FALSE(differs({"x", "axis=-1"}));
  CHECK(differs({"x"}));
  CHECK(differs({"axis=-1", "x"}));
  CHECK(differs({"x", "axis=0"}));
  CHECK(differs({"x", "axis"}));
  CHECK(differs({"x", "axes=-1"}));
}

TEST_CASE("a call binds arguments by place and by name") {
  const auto op = [](const char* module, const char* name) {
    const OpInfo* info = op_catalog().find(std::string("keras.src.ops.") + module, name);
    REQUIRE(info);
    return info;
  };
  const Tensor x = Tensor::from({3, 0, 5, 0}, {2, 2}), y = Tensor::from({1, 2, 3, 4}, {2, 2});
  CHECK(call_op(*op("numpy", "Sum"), {{x}, {{"axis", 0}}}).tensor().to_vector<int32_t>() ==
        std::vector<int32_t>{8, 0});
  CHECK(call_op(*op("numpy", "Einsum"), {{"ij,jk->ik", x, y}, {}}).tensor().shape() == Shape{2, 2});
  CHECK(call_op(*op("numpy", "Meshgrid"), {{x, y, y}, {{"indexing", "ij"}}}).list().size() == 3);
  CHECK(call_op(*op("numpy", "Where"), {{x, y, x}, {}}).is_tensor());
  CHECK(call_op(*op("numpy", "Where"), {{x}, {{"x1", {}}, {"x2", {}}}}).list().size() == 2);
  CHECK(
      call_op(*op("einops", "Rearrange"), {{x, "(a b) c -> a b c"}, {{"a", 2}}}).tensor().rank() ==
      3);
  CHECK_THROWS_AS(call_op(*op("numpy", "Sum"), {{}, {}}), ValueError);
  CHECK_THROWS_AS(call_op(*op("numpy", "Sum"), {{x}, {{"axes", 0}}}), ValueError);
}

}  // namespace op_catalog_test
