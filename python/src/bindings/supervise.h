// Long work, and the thread of Python that waits for it.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>

namespace spml_python {

// Runs work on a thread of its own. The calling thread, which has the GIL, gives it up while it
// waits; some times a second it takes it back to see whether Ctrl-C was pressed, and whenever work
// has something to tell Python (see call()). A signal, like an exception in such a call, requests a
// stop and is thrown when work has ended.
class Supervisor {
 public:
  Supervisor();
  ~Supervisor();

  void run(const std::function<void()>& work);

  // For work, from any thread: runs `function` on the waiting thread, with the GIL, and returns
  // when that is done. Does nothing once a stop was requested.
  void call(const std::function<void()>& function);
  std::stop_token stop_token() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace spml_python
