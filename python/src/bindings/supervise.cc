#include "supervise.h"

#include <pybind11/pybind11.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace spml_python {

namespace py = pybind11;

struct Supervisor::State {
  std::stop_source stop;
  std::mutex calls;  // one call at a time
  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  const std::function<void()>* request = nullptr;
  bool done = false;
};

namespace {

constexpr std::chrono::milliseconds kBetweenLooks(20);

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

}  // namespace

Supervisor::Supervisor() : state_(std::make_unique<State>()) {}
Supervisor::~Supervisor() = default;

std::stop_token Supervisor::stop_token() const { return state_->stop.get_token(); }

void Supervisor::call(const std::function<void()>& function) {
  State& s = *state_;
  const std::lock_guard one(s.calls);
  std::unique_lock lock(s.mutex);
  if (s.stop.stop_requested()) return;
  s.request = &function;
  s.changed.notify_all();
  s.changed.wait(lock, [&] { return s.request == nullptr; });
}

void Supervisor::run(const std::function<void()>& work) {
  State& s = *state_;
  std::exception_ptr of_work, of_python;
  std::thread worker([&] {
    try {
      work();
    } catch (...) {
      of_work = std::current_exception();
    }
    const std::lock_guard lock(s.mutex);
    s.done = true;
    s.changed.notify_all();
  });
  {
    const py::gil_scoped_release release;
    std::unique_lock lock(s.mutex);
    while (!s.done) {
      s.changed.wait_for(lock, kBetweenLooks, [&] { return s.done || s.request != nullptr; });
      if (s.done) break;
      const std::function<void()>* request = s.request;
      lock.unlock();  // never wait for the GIL with the mutex
      if (!of_python) {
        const py::gil_scoped_acquire acquire;
        try {
          if (request != nullptr) (*request)();
          check_signals();
        } catch (...) {
          of_python = std::current_exception();
          s.stop.request_stop();
        }
      }
      lock.lock();
      if (request != nullptr) {
        s.request = nullptr;
        s.changed.notify_all();
      }
    }
    lock.unlock();
    worker.join();
  }
  if (of_python) std::rethrow_exception(of_python);
  if (of_work) std::rethrow_exception(of_work);
}

}  // namespace spml_python
