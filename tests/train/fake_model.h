// A model whose logits are given: for tests of what surrounds models.
#pragma once

#include <vector>

#include "formats/safetensors.h"
#include "train/model.h"

namespace spml {

class FakeModel : public Model {
 public:
  // logits: of all rows of both parts, (rows, labels).
  FakeModel(std::vector<float> logits, size_t labels)
      : logits_(std::move(logits)), labels_(labels) {}

  View<const float> forward(std::span<const int32_t> rows) override {
    out_.clear();
    for (const int32_t row : rows) {
      const auto begin = logits_.begin() + row * static_cast<ptrdiff_t>(labels_);
      out_.insert(out_.end(), begin, begin + static_cast<ptrdiff_t>(labels_));
    }
    return {out_.data(), rows.size(), labels_};
  }
  void prefetch(std::span<const int32_t>) override {}
  void backward(View<const float>) override { ++steps; }
  void finish_step() override {}
  void predict(Part, std::span<const int32_t> rows, size_t first_label, View<float> out) override {
    for (size_t i = 0; i < rows.size(); ++i) {
      for (size_t j = 0; j < out.cols; ++j) {
        out(i, j) = logits_[static_cast<size_t>(rows[i]) * labels_ + first_label + j];
      }
    }
  }
  bool predicts_label_blocks() const override { return true; }
  void keep_best() override {}
  void restore_best() override {}
  void save_state(SafetensorsWriter& out) override {
    out.add("model.logits", {logits_.size()}, logits_);
  }
  void load_state(const SafetensorsFile& in) override { logits_ = in.floats("model.logits"); }
  void save_model(SafetensorsWriter& out) override { save_state(out); }

  const std::vector<float>& logits() const { return logits_; }
  int steps = 0;

 private:
  std::vector<float> logits_, out_;
  size_t labels_;
};

}  // namespace spml
