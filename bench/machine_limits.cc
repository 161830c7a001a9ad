#include "machine_limits.h"

#include <time.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <vector>

#include "base/aligned.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "machine_limits.cc"
#include <hwy/foreach_target.h>  // must precede highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace spml::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// Ten chains hide the latency of a multiply-add. Returns the operations done.
size_t multiply_adds(size_t rounds, float* sink) {
  const D d;
  const V a = hn::Set(d, 0.999f), b = hn::Set(d, 0.001f);
  V x0 = a, x1 = a, x2 = a, x3 = a, x4 = a, x5 = a, x6 = a, x7 = a, x8 = a, x9 = a;
  for (size_t i = 0; i < rounds; ++i) {
    x0 = hn::MulAdd(x0, a, b), x1 = hn::MulAdd(x1, a, b), x2 = hn::MulAdd(x2, a, b);
    x3 = hn::MulAdd(x3, a, b), x4 = hn::MulAdd(x4, a, b), x5 = hn::MulAdd(x5, a, b);
    x6 = hn::MulAdd(x6, a, b), x7 = hn::MulAdd(x7, a, b), x8 = hn::MulAdd(x8, a, b);
    x9 = hn::MulAdd(x9, a, b);
  }
  const V sum = x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9;
  *sink = hn::GetLane(hn::SumOfLanes(d, sum));
  return rounds * 10 * 2 * hn::Lanes(d);
}

// n: a multiple of 64.
void read(const float* HWY_RESTRICT data, size_t n, float* sink) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  V s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  for (size_t i = 0; i < n; i += 4 * lanes) {
    s0 = s0 + hn::Load(d, data + i);
    s1 = s1 + hn::Load(d, data + i + lanes);
    s2 = s2 + hn::Load(d, data + i + 2 * lanes);
    s3 = s3 + hn::Load(d, data + i + 3 * lanes);
  }
  *sink = hn::GetLane(hn::SumOfLanes(d, s0 + s1 + s2 + s3));
}

void update(float* HWY_RESTRICT data, size_t n) {
  const D d;
  const size_t lanes = hn::Lanes(d);
  const V scale = hn::Set(d, 0.999f);
  for (size_t i = 0; i < n; i += lanes) hn::Store(hn::Load(d, data + i) * scale, d, data + i);
}

}  // namespace spml::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace spml {
namespace {

HWY_EXPORT(multiply_adds);
HWY_EXPORT(read);
HWY_EXPORT(update);

// Processor time of this thread: waiting for others on a busy machine is not counted.
double thread_seconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Each thread repeats its job, which returns the work done, for a while. The best window counts:
// a ceiling is what the machine does when nothing interferes.
double best_rate(int threads, const std::function<std::function<double()>()>& make_job) {
  constexpr int kWindows = 10;
  constexpr double kWindowSeconds = 0.02;
  std::vector<double> best(static_cast<size_t>(threads));
  std::vector<std::thread> team;
  for (double& rate : best) {
    team.emplace_back([&rate, &make_job] {
      const auto job = make_job();
      job();
      for (int window = 0; window < kWindows; ++window) {
        const double start = thread_seconds();
        double done = 0, seconds = 0;
        do {
          done += job();
          seconds = thread_seconds() - start;
        } while (seconds < kWindowSeconds);
        rate = std::max(rate, done / seconds);
      }
    });
  }
  for (std::thread& thread : team) thread.join();
  double sum = 0;
  for (const double rate : best) sum += rate;
  return sum / 1e9;
}

size_t whole_vectors(size_t bytes) { return std::max<size_t>(64, bytes / sizeof(float) / 64 * 64); }

}  // namespace

std::string simd_target() {
  return hwy::TargetName(hwy::SupportedTargets() & -hwy::SupportedTargets());
}

double peak_gflops(int threads) {
  return best_rate(threads, [] {
    return [] {
      volatile float kept;
      float sink;
      const size_t done = HWY_DYNAMIC_DISPATCH(multiply_adds)(100'000, &sink);
      kept = sink;
      (void)kept;
      return static_cast<double>(done);
    };
  });
}

double read_bandwidth(size_t bytes, int threads) {
  return best_rate(threads, [bytes] {
    return [data = AlignedVector<float>(whole_vectors(bytes), 1.0f)]() -> double {
      volatile float kept;
      float sink;
      HWY_DYNAMIC_DISPATCH(read)(data.data(), data.size(), &sink);
      kept = sink;
      (void)kept;
      return static_cast<double>(data.size() * sizeof(float));
    };
  });
}

double update_bandwidth(size_t bytes, int threads) {
  return best_rate(threads, [bytes] {
    return [data = AlignedVector<float>(whole_vectors(bytes), 1.0f)]() mutable -> double {
      HWY_DYNAMIC_DISPATCH(update)(data.data(), data.size());
      return static_cast<double>(2 * data.size() * sizeof(float));
    };
  });
}

}  // namespace spml
#endif  // HWY_ONCE
