// KerasFileEditor: every edit, what compare finds, and the errors.
#include <catch.h>
#include <cornu/cornu.h>
#include <cornu/framework/saving/file_editor.h>

#include "../../support/temporary.h"
#include "models.h"

namespace file_editor_test {

using namespace cornu;
using namespace cornu::test;
using namespace cornu::test::files;
using saving::KerasFileEditor;

namespace {

std::shared_ptr<Sequential> stack(int64_t hidden = 4) {
  return std::make_shared<Sequential>(
      std::vector<AnyLayer>{Input({3}), layers::Dense({.units = hidden}),
                            layers::BatchNormalization(), layers::Dense({.units = 2})});
}

std::vector<float> values(const Tensor& t) { return t.to_vector<float>(); }

}  // namespace

TEST_CASE("A file is listed, edited and saved") {
  const TemporaryFolder folder;
  const auto model = stack();
  model->save_weights(folder / "a.weights.h5");
  KerasFileEditor editor(folder / "a.weights.h5");
  CHECK(editor.objects() ==
        std::vector<std::string>{"layers/batch_normalization", "layers/dense", "layers/dense_1"});
  CHECK_THAT(editor.summary(), contains("dense_1/") && contains("0: (4, 2) float32 (32 B)"));
  CHECK(editor.config().empty());
  CHECK(editor.compare(*model).match_count == 8);
  CHECK(editor.compare(*model).success());

  editor.rename_object("layers/dense_1", "head");
  editor.delete_object("batch_normalization");
  editor.add_object("layers/extra", {{"0", ops::ones({2, 2})}});
  editor.add_weights("extra", {{"1", ops::zeros({2})}, {"0", ops::full({2, 2}, 3.0f)}});
  editor.delete_weight("layers/dense", "1");
  editor.save(folder / "b.weights.h5");

  const KerasFileEditor again(folder / "b.weights.h5");
  CHECK(again.objects() == std::vector<std::string>{"layers/dense", "layers/extra", "layers/head"});
  CHECK(values(again.weights("head")[0].second) == values(model->get_weights()[6]));
  CHECK(again.weights("dense").size() == 1);
  CHECK(values(again.weights("extra")[0].second) == std::vector<float>{3, 3, 3, 3});
  CHECK(values(again.weights("extra")[1].second) == std::vector<float>{0, 0});
  // The file that was opened is as it was.
  CHECK(KerasFileEditor(folder / "a.weights.h5").compare(*model).success());
}

TEST_CASE("Objects inside objects that have weights are kept") {
  const TemporaryFolder folder;
  Net net(NetConfig{.width = 3});
  (void)net(wave({2, 3}));
  net.save_weights(folder / "a.weights.h5");
  KerasFileEditor(folder / "a.weights.h5").resave_weights(folder / "b.weights.h5");
  Net other(NetConfig{.width = 3});
  (void)other(wave({2, 3}));
  other.load_weights(folder / "b.weights.h5");
  CHECK(values(other(wave({2, 3}))) == values(net(wave({2, 3}))));
}

TEST_CASE("compare names what differs on both sides") {
  const TemporaryFolder folder;
  stack()->save_weights(folder / "a.weights.h5");
  KerasFileEditor editor(folder / "a.weights.h5");
  editor.rename_object("dense_1", "old");
  editor.delete_weight("batch_normalization", "3");
  editor.add_weights("dense", {{"2", ops::zeros({1})}});
  const auto found = editor.compare(*stack(5));
  std::string text;
  for (const std::string& line : found.errors) text += line + "\n";
  INFO(text);
  CHECK(found.match_count == 0);
  CHECK_THAT(text, contains("'layers/dense/0' is (3, 5) in the model and (3, 4) in the file"));
  CHECK_THAT(text, contains("'layers/dense/2' ((1,)) is in the file and missing from the model"));
  CHECK_THAT(text, contains("'layers/batch_normalization/3'"));
  CHECK_THAT(text, contains("object 'layers/dense_1' (2 weights) is in the model and missing"));
  CHECK_THAT(text, contains("object 'layers/old' (2 weights) is in the file and missing"));
  CHECK_FALSE(found.success());
  CHECK_THROWS_AS(editor.compare(*std::make_shared<Sequential>()), StateError);
}

TEST_CASE("An archive keeps everything but the weights") {
  const TemporaryFolder folder;
  const auto model = make_cnn();
  model->fit(wave({20, 8, 8, 1}), labels(20, 10), {.verbose = Verbose::silent});
  model->save(folder / "a.keras");
  KerasFileEditor editor(folder / "a.keras");
  CHECK_THAT(editor.config(), contains("Conv2D"));
  CHECK_THAT(editor.metadata(), contains("keras_version"));
  CHECK(editor.compare(*model).success());
  editor.add_weights("layers/dense", {{"1", ops::full({10}, 7.0f)}});
  editor.save(folder / "b.keras");
  const auto again = load_model(folder / "b.keras");
  CHECK(again->to_json() == model->to_json());
  CHECK(values(again->get_weights().back()) == std::vector<float>(10, 7.0f));
  CHECK(folder.count() == 2);
}

TEST_CASE("Wrong names are refused with what would fit") {
  const TemporaryFolder folder;
  stack()->save_weights(folder / "a.weights.h5");
  KerasFileEditor editor(folder / "a.weights.h5");
  CHECK_THROWS_WITH(editor.delete_object("layers/dense_11"),
                    contains("Did you mean 'layers/dense_1'?"));
  CHECK_THROWS_WITH(editor.delete_object(""), contains("the model itself"));
  CHECK_THROWS_WITH(editor.rename_object("dense", "layers/x"), contains("last name alone"));
  CHECK_THROWS_WITH(editor.rename_object("dense", "dense_1"), contains("already"));
  CHECK_THROWS_WITH(editor.add_object("layers/dense", {}), contains("already"));
  CHECK_THROWS_WITH(editor.add_object("layer/dense_5", {}), contains("'layers'"));
  CHECK_THROWS_WITH(editor.add_weights("dense", {{"a/b", ops::zeros({1})}}), contains("no name"));
  CHECK_THROWS_WITH(editor.delete_weight("dense", "2"), contains("'0', '1'"));
  CHECK_THROWS_WITH(editor.save(folder / "a.h5"), contains(".weights.h5"));
  CHECK_THROWS_WITH(editor.save(folder / "a.keras"), contains("weights alone"));
  CHECK_THROWS_WITH(KerasFileEditor("model.h5"), contains("must end in"));
  CHECK_THROWS_AS(KerasFileEditor(folder / "none.weights.h5"), FileError);
  editor.add_object("other", {});
  editor.add_object("other/dense", {{"0", ops::zeros({1})}});
  CHECK_THROWS_WITH(editor.delete_object("dense"),
                    contains("2 objects") && contains("other/dense"));
}

}  // namespace file_editor_test
