// spml.losses() and spml.loss(name)(...).
#include <pybind11/stl.h>

#include "arrays.h"

namespace spml_python {

namespace {

py::dict to_dict(const spml::LossDescription& loss) {
  py::list params;
  for (const auto& p : loss.params) {
    params.append(py::dict("name"_a = p.name, "help"_a = p.help, "default"_a = p.default_value,
                           "default_text"_a = p.default_text, "min"_a = p.min, "max"_a = p.max));
  }
  return py::dict("name"_a = loss.name, "summary"_a = loss.summary, "formula"_a = loss.formula,
                  "source"_a = loss.source, "negatives"_a = loss.negatives,
                  "needs"_a = std::string(to_string(loss.needs)), "needs_k"_a = loss.needs_k,
                  "uses_estimates"_a = loss.uses_estimates, "closed_form"_a = loss.closed_form,
                  "params"_a = params);
}

struct Call {
  std::string name;
  std::optional<double> k;
  spml::LossParameters params;
  int epoch, epochs;
  uint64_t step, seed;
};

// estimates, soft_labels and priors are arrays of T, or None.
template <class T>
py::tuple evaluate(const Call& call, const py::array& given,
                   const std::optional<Array<int8_t>>& observed, const py::object& estimates,
                   const std::optional<Array<int8_t>>& truth, const py::object& soft_labels,
                   const py::object& priors) {
  using Optional = std::optional<Array<T>>;
  const auto logits = given.cast<Array<T>>();
  const auto u = estimates.cast<Optional>(), soft = soft_labels.cast<Optional>(),
             shares = priors.cast<Optional>();
  spml::BasicLossInput<T> in;
  in.logits = view_of(logits, "logits");
  if (in.logits.size() == 0) fail("logits: expected numbers, found shape " + shape_text(logits));
  if (observed) check_same_shape(*observed, logits, "observed");
  if (truth) check_same_shape(*truth, logits, "truth");
  if (u) check_same_shape(*u, logits, "estimates");
  if (soft) check_same_shape(*soft, logits, "soft_labels");
  if (shares && (shares->ndim() != 1 || shares->shape(0) != logits.shape(1))) {
    fail("priors: expected a number for each label, found shape " + shape_text(*shares));
  }
  in.estimates = view_of(u, "estimates");
  in.soft_labels = view_of(soft, "soft_labels");
  if (shares) in.class_priors = {shares->data(), static_cast<size_t>(shares->size())};
  in.epoch = call.epoch;
  in.epochs = call.epochs;
  in.step = call.step;
  in.seed = call.seed;
  const auto o = view_of(observed, "observed"), y = view_of(truth, "truth");
  spml::LossValue<T> result;
  {
    const py::gil_scoped_release release;
    const auto loss =
        spml::make_loss(call.name, {.labels = in.logits.cols, .k = call.k, .params = call.params});
    if (loss->traits().uses_estimates && !u) {
      fail("loss " + call.name + " has label estimates: give estimates, logits of shape (B, L)");
    }
    const spml::Matrix<int8_t> labels = spml::labels_for(loss->traits(), o, y);
    in.observed = labels;
    result = spml::evaluate(*loss, in);
  }
  py::object destimates = py::none();
  if (!result.destimates.empty()) destimates = to_array(std::move(result.destimates));
  return py::make_tuple(result.value, to_array(std::move(result.dlogits)), destimates);
}

}  // namespace

void add_losses(py::module_& m) {
  m.def("losses", [] {
    py::list all;
    for (const auto& loss : spml::losses()) all.append(to_dict(loss));
    return all;
  });
  m.def("describe_loss",
        [](const std::string& name) { return to_dict(spml::describe_loss(name)); });
  m.def(
      "evaluate_loss",
      [](const std::string& name, const py::array& logits,
         const std::optional<Array<int8_t>>& observed, const py::object& estimates,
         const std::optional<Array<int8_t>>& truth, const py::object& soft_labels,
         const py::object& priors, std::optional<double> k, spml::LossParameters params, int epoch,
         int epochs, uint64_t step, uint64_t seed) {
        const Call call{name, k, std::move(params), epoch, epochs, step, seed};
        const auto run = logits.itemsize() == 8 ? &evaluate<double> : &evaluate<float>;
        return run(call, logits, observed, estimates, truth, soft_labels, priors);
      },
      "name"_a, "logits"_a, "observed"_a, "estimates"_a, "truth"_a, "soft_labels"_a, "priors"_a,
      "k"_a, "params"_a, "epoch"_a, "epochs"_a, "step"_a, "seed"_a);
}

}  // namespace spml_python
