// Initializers, regularizers and constraints that are functions, and how such options are read and
// written.
#include "initializer.h"

namespace cornu {
namespace {

// An object of kind Base that is a function, which may have a name.
template <class Base>
class OfFunction : public Base {
 public:
  OfFunction(typename Base::Function function, std::string name)
      : function_(std::move(function)), name_(std::move(name)) {}
  bool is_function() const override { return true; }
  std::string function_name() const override { return name_; }
  Value::Dict get_config() const override { detail::throw_nameless(Base::module); }

 protected:
  typename Base::Function function_;

 private:
  std::string name_;
};

class FunctionInitializer : public OfFunction<Initializer> {
 public:
  using OfFunction::OfFunction;
  Tensor operator()(const Shape& shape, DType dtype) override { return function_(shape, dtype); }
};

template <class Base>
class FunctionOfTensor : public OfFunction<Base> {
 public:
  using OfFunction<Base>::OfFunction;
  Tensor operator()(const Tensor& x) override { return this->function_(x); }
};

template <class Base, class Object>
void name_function(const std::string& registered_name, typename Base::Function function) {
  register_function(Base::module, registered_name,
                    [registered_name, function = std::move(function)] {
                      return std::make_shared<Object>(function, registered_name);
                    });
}

}  // namespace

std::shared_ptr<Initializer> Initializer::of_function(Function function) {
  return std::make_shared<FunctionInitializer>(std::move(function), "");
}

std::shared_ptr<Regularizer> Regularizer::of_function(Function function) {
  return std::make_shared<FunctionOfTensor<Regularizer>>(std::move(function), "");
}

std::shared_ptr<Constraint> Constraint::of_function(Function function) {
  return std::make_shared<FunctionOfTensor<Constraint>>(std::move(function), "");
}

void initializers::register_function(const std::string& registered_name,
                                     Initializer::Function function) {
  name_function<Initializer, FunctionInitializer>(registered_name, std::move(function));
}

void regularizers::register_function(const std::string& registered_name,
                                     Regularizer::Function function) {
  name_function<Regularizer, FunctionOfTensor<Regularizer>>(registered_name, std::move(function));
}

void constraints::register_function(const std::string& registered_name,
                                    Constraint::Function function) {
  name_function<Constraint, FunctionOfTensor<Constraint>>(registered_name, std::move(function));
}

template struct detail::ErasedOption<Choice<Initializer>>;
template struct detail::ErasedOption<Choice<Regularizer>>;
template struct detail::ErasedOption<Choice<Constraint>>;

}  // namespace cornu
