// Tables as inputs of models, and outputs as tables.
#include <catch.h>
#include <cornu/framework/io/csv.h>
#include <cornu/framework/io/npy_tensor.h>
#include <cornu/framework/model/functional.h>
#include <cornu/framework/model/sequential.h>
#include <cornu/framework/ops/numpy/creation.h>
#include <cornu/layers/core/dense.h>
#include <cornu/layers/core/embedding.h>
#include <cornu/layers/merging/concatenate.h>
#include <cornu/layers/pooling/global_average_pooling.h>
#include <cornu/layers/text/text_vectorization.h>

#include "program.h"

namespace csv_arrays_test {

using namespace cornu;
using namespace cornu::test;
namespace fs = std::filesystem;

TEST_CASE("columns are inputs by name, and texts where the model takes texts") {
  const Folder folder;
  Input age({.shape = {1}, .name = "age"}), size({.shape = {1}, .name = "size"});
  const Tensor both = layers::Concatenate()({age, size});
  Functional named({age, size}, {layers::Dense({.units = 1, .name = "price"})(both),
                                 layers::Dense({.units = 1, .name = "rent"})(both)});
  named.compile({.optimizer = "sgd", .loss = "mse"});
  named.save(folder / "named.keras");
  std::ofstream(folder / "homes.csv")
      << "size;rent;age;price;street\n1;2;3;4;Elm\n2;3;4;5;Oak\n3;4;5;6;Fir\n";
  CHECK(run_in(folder.path(), "train named.keras homes.csv --target price,rent -e 2 -q -o r")
            .status == 0);
  CHECK(run_in(folder.path(), "predict r/model.keras homes.csv -o p.csv").status == 0);
  CHECK(io::read_csv(folder / "p.csv").names() == std::vector<std::string>{"price", "rent"});
  std::ofstream(folder / "sizes.csv") << "size,price,rent\n1,2,3\n";
  CHECK(has(run_in(folder.path(), "predict r/model.keras sizes.csv -o q.csv"),
            "'sizes.csv': there is no column 'age'"));

  Input text({.shape = {1}, .dtype = DType::string, .name = "text"});
  const Tensor words = layers::TextVectorization(
      {.output_sequence_length = 4, .vocabulary = std::vector<std::string>{"good", "bad", "very"}})(
      text);
  const Tensor vectors = layers::Embedding({.input_dim = 5, .output_dim = 3})(words);
  Functional judge(text, layers::Dense({.units = 1, .activation = "sigmoid"})(
                             layers::GlobalAveragePooling1D()(vectors)));
  judge.compile({.optimizer = "adam", .loss = "binary_crossentropy"});
  judge.save(folder / "judge.keras");
  std::ofstream(folder / "reviews.csv")
      << "review,stars,verdict\nvery good,5,1\n\"bad, very bad\",1,0\n";
  CHECK(
      run_in(folder.path(), "train judge.keras reviews.csv --target verdict -e 2 -q -o t").status ==
      0);
  CHECK(run_in(folder.path(), "predict t/model.keras reviews.csv -o v.npy").status == 0);
  CHECK(io::read_npy(folder / "v.npy").shape == Shape{2, 1});
}

TEST_CASE("integers of tables are integers") {
  const Folder folder;
  Sequential model({Input({.shape = {1}, .dtype = DType::int64}),
                    layers::Embedding({.input_dim = 5, .output_dim = 2})});
  model.save(folder / "m.keras");
  for (const char* number :
       {"inf", "-inf", "1e30", "9223372036854775808", "1.5", "NaN", "9007199254740993"}) {
    INFO(number);
    std::ofstream(folder / "d.csv") << "id\n1\n" << number << "\n";
    const Outcome outcome = run_in(folder.path(), "predict m.keras d.csv -o p.npy");
    CHECK(outcome.status == 1);
    CHECK(has(outcome, "row 2 of the data, but the input"));
    CHECK_FALSE(fs::exists(folder / "p.npy"));
  }
  std::ofstream(folder / "d.csv") << "id\n1\n4\n";
  CHECK(run_in(folder.path(), "predict m.keras d.csv -o p.npy").status == 0);

  // All digits of large ones are written.
  Input id({.shape = {1}, .dtype = DType::int64});
  Functional next(id, id + ops::ones({1}, DType::int64));
  next.save(folder / "next.keras");
  io::write_npy(folder / "x.npy",
                io::array_of("", Tensor::from<int64_t>({9007199254740992, -3}, {2, 1})));
  REQUIRE(run_in(folder.path(), "predict next.keras x.npy -o n.csv").status == 0);
  const std::string text = slurp(folder / "n.csv");
  CHECK(has(text, "9007199254740993"));
  CHECK(has(text, "\r\n-2\r\n"));
}

}  // namespace csv_arrays_test
