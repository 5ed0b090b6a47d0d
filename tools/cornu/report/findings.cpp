// Rules of thumb over the figures of a training.
#include "findings.h"

#include <cornu/framework/model/plot/svg.h>
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

namespace cornu::cli {
namespace {

constexpr double worse = 1.1;     // a validation loss this many times the best is worth a word
constexpr size_t few_epochs = 3;  // which say little

bool more_is_better(const std::string& name) {
  for (const char* part :
       {"acc", "auc", "precision", "recall", "f1", "fbeta", "iou", "r2", "cosine"})
    if (name.find(part) != std::string::npos) return true;
  return false;
}

void check_finite(const std::string& name, const plot::Figure& figure,
                  std::vector<std::string>& findings) {
  for (size_t i = 0; i < figure.values.size(); ++i)
    if (!std::isfinite(figure.values[i])) {
      findings.push_back(
          fmt::format("{} is {} in epoch {:g}. The learning rate may be too large, or the data has "
                      "such values; "
                      "the optimizers' option clipnorm bounds the steps.",
                      name, plot::short_number(figure.values[i]), figure.epochs[i]));
      return;
    }
}

void check_loss_falls(const plot::Figure& loss, std::vector<std::string>& findings) {
  if (loss.values.size() < few_epochs || !(loss.values.back() >= loss.values.front())) return;
  findings.push_back(fmt::format(
      "loss did not fall: {:.4g} in epoch {:g}, {:.4g} in epoch {:g}. The learning rate may be too "
      "large or too small.",
      loss.values.front(), loss.epochs.front(), loss.values.back(), loss.epochs.back()));
}

// Whether the figure is less at the end than in this epoch.
bool fell_after(const plot::Figure& figure, double epoch) {
  for (size_t i = 0; i < figure.values.size(); ++i)
    if (figure.epochs[i] == epoch) return figure.values.back() < figure.values[i];
  return false;
}

// `training` is the loss on the data that is trained on, or null.
void check_validation(const plot::Figure& loss, const plot::Figure* training,
                      std::vector<std::string>& findings) {
  const int64_t best = best_place("val_loss", loss);
  if (best < 0 || loss.values.size() < few_epochs) return;
  const double least = loss.values[static_cast<size_t>(best)], last = loss.values.back();
  if (!(least > 0) || !(last > worse * least)) return;
  const double epoch = loss.epochs[static_cast<size_t>(best)];
  findings.push_back(fmt::format(
      "val_loss was best in epoch {:g} ({:.4g}) and is {:.0f}% higher at the end ({:.4g}){}. "
      "EarlyStopping with restore_best_weights keeps the best epoch.",
      epoch, least, 100 * (last / least - 1), last,
      training && fell_after(*training, epoch) ? " while the loss fell: the model overfits" : ""));
}

}  // namespace

int64_t best_place(const std::string& name, const plot::Figure& figure) {
  const double sign = more_is_better(name) ? -1 : 1;
  int64_t best = -1;
  for (size_t i = 0; i < figure.values.size(); ++i)
    if (std::isfinite(figure.values[i]) &&
        (best < 0 || sign * figure.values[i] < sign * figure.values[static_cast<size_t>(best)]))
      best = static_cast<int64_t>(i);
  return best;
}

std::vector<std::string> findings_of(const std::map<std::string, plot::Figure>& figures) {
  std::vector<std::string> findings;
  for (const auto& [name, figure] : figures) check_finite(name, figure, findings);
  const auto loss = figures.find("loss"), validation = figures.find("val_loss");
  if (loss != figures.end()) check_loss_falls(loss->second, findings);
  if (validation != figures.end())
    check_validation(validation->second, loss == figures.end() ? nullptr : &loss->second, findings);
  return findings;
}

}  // namespace cornu::cli
