// spml.metrics.
#include <pybind11/stl.h>

#include "arrays.h"

namespace spml_python {

namespace {

// Scores and truth of one shape, as views.
struct Scored {
  Scored(const Array<float>& s, const Array<int8_t>& t)
      : scores(view_of(s, "scores")), truth(view_of(t, "truth")) {
    check_same_shape(t, s, "truth");
  }
  spml::View<const float> scores;
  spml::View<const int8_t> truth;
};

}  // namespace

void add_metrics(py::module_& m) {
  m.def("average_precision", [](const Array<float>& scores, const Array<int8_t>& truth) {
    if (scores.ndim() != 1) fail("scores: expected 1 dimension, found " + shape_text(scores));
    check_same_shape(truth, scores, "truth");
    const std::span<const float> s(scores.data(), static_cast<size_t>(scores.size()));
    const std::span<const int8_t> y(truth.data(), static_cast<size_t>(truth.size()));
    const py::gil_scoped_release release;
    return spml::average_precision(s, y);
  });
  m.def("mean_average_precision",
        [](const Array<float>& scores, const Array<int8_t>& truth, int threads) {
          const Scored in(scores, truth);
          spml::MapResult r;
          {
            const py::gil_scoped_release release;
            r = spml::mean_average_precision(in.scores, in.truth, threads);
          }
          return py::dict("map"_a = r.map, "map_nonempty"_a = r.map_nonempty,
                          "per_class_ap"_a = r.per_class_ap);
        });
  m.def("ranking_at",
        [](size_t cut, const Array<float>& scores, const Array<int8_t>& truth, int threads) {
          const Scored in(scores, truth);
          spml::RankingAt r;
          {
            const py::gil_scoped_release release;
            r = spml::ranking_at(cut, in.scores, in.truth, threads);
          }
          return py::dict("precision"_a = r.precision, "recall"_a = r.recall, "hit"_a = r.hit);
        });
  m.def("f1_scores", [](const Array<float>& scores, const Array<int8_t>& truth,
                        const std::vector<float>& thresholds) {
    const Scored in(scores, truth);
    if (thresholds.size() != in.scores.cols) {
      fail("thresholds: expected one for each of " + std::to_string(in.scores.cols) +
           " labels, found " + std::to_string(thresholds.size()));
    }
    spml::F1Result r;
    {
      const py::gil_scoped_release release;
      r = spml::f1_scores(in.scores, in.truth, thresholds);
    }
    return py::dict("micro"_a = r.micro, "macro"_a = r.macro);
  });
  m.def("tune_thresholds", [](const Array<float>& scores, const Array<int8_t>& truth, int threads) {
    const Scored in(scores, truth);
    std::vector<float> thresholds;
    {
      const py::gil_scoped_release release;
      thresholds = spml::tune_thresholds(in.scores, in.truth, threads);
    }
    return to_array(thresholds);
  });
}

}  // namespace spml_python
