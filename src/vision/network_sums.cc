#include "vision/network_sums.h"

#include <algorithm>
#include <cmath>

namespace spml {
namespace {

using State = TrainableNetwork::State;

// Numbers summed at once: enough that small tensors do not wait for the network one by one.
constexpr size_t kAtOnce = size_t{1} << 22;

}  // namespace

NetworkSums::NetworkSums(Cluster& cluster, TrainableNetwork& net, bool moves_statistics)
    : cluster_(cluster), net_(net), earlier_(net.tensors().size()) {
  for (const TrainableNetwork::Tensor& tensor : net.tensors()) {
    const bool runs =
        tensor.name.ends_with(".running_mean") || tensor.name.ends_with(".running_var");
    is_statistic_.push_back(moves_statistics && runs);
  }
}

void NetworkSums::begin_step() {
  for (size_t i = 0; i < earlier_.size(); ++i) {
    if (is_statistic_[i]) earlier_[i] = net_.get(i, State::kValue);
  }
}

// A part moves a statistic s towards its own value x by s += m (x - s), and what parts before have
// added shrinks by 1 - m. So after the parts of all ranks, one after the other, s is what it was
// plus the sum over the ranks of what each alone has added, times (1 - m)^(parts behind it).
void NetworkSums::end_step(size_t parts_behind) {
  const auto weight =
      static_cast<float>(std::pow(1 - double{kNormMomentum}, static_cast<double>(parts_behind)));
  for (size_t i = 0; i < earlier_.size(); ++i) {
    if (net_.tensors()[i].trained) add(i, net_.get(i, State::kGradient));
    if (!is_statistic_[i]) continue;
    std::vector<float> moved = net_.get(i, State::kValue);
    for (size_t c = 0; c < moved.size(); ++c) moved[c] = weight * (moved[c] - earlier_[i][c]);
    add(i, std::move(moved));
  }
  sum();
}

void NetworkSums::add(size_t tensor, std::vector<float> values) {
  pending_.push_back({tensor, values_.size()});
  values_.insert(values_.end(), values.begin(), values.end());
  if (values_.size() >= kAtOnce) sum();
}

void NetworkSums::sum() {
  cluster_.sum(std::span<float>(values_));
  for (size_t k = 0; k < pending_.size(); ++k) {
    const auto [i, begin] = pending_[k];
    const size_t end = k + 1 < pending_.size() ? pending_[k + 1].begin : values_.size();
    const auto found = std::span(values_).subspan(begin, end - begin);
    if (is_statistic_[i]) {
      std::ranges::transform(found, earlier_[i], found.begin(), std::plus<>());
    }
    net_.set(i, is_statistic_[i] ? State::kValue : State::kGradient, found);
  }
  pending_.clear();
  values_.clear();
}

}  // namespace spml
