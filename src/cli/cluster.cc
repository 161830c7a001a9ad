#include "cli/cluster.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/fail.h"
#include "base/text.h"
#include "cli/flags/flags.h"
#include "cli/standard_streams.h"
#include "cluster/launch.h"
#include "cluster/mpi_module.h"
#include "imaging/load_module.h"
#include "run/machine.h"
#include "spml/version.h"

namespace spml::cli {
namespace {

using std::chrono::milliseconds;

constexpr ModuleFile kModule = {
    "libspml_mpi.so", "spml_mpi_module", "working in several processes needs it",
    "install libopenmpi-dev and build spml again, or give --distributed off to run alone"};

const MpiModule* g_module = nullptr;
std::unique_ptr<Cluster> g_cluster;
bool g_alone = false;  // --distributed off

// Set by the first rank that reports why the job ends. Shared by the ranks on rank 0's machine;
// where memory cannot be shared, only rank 0 has it.
char* g_said = nullptr;

// Whether this rank should report it. Also called from a signal handler.
bool may_speak() {
  return g_said != nullptr && __atomic_exchange_n(g_said, 1, __ATOMIC_SEQ_CST) == 0;
}

// Called from a second thread while the first one works: no other way out is safe.
[[noreturn]] void end_at_once(const std::string& line) {
  if (may_speak()) {
    say(fmt::format("spml: error: {}\n", printable(line)));
  }
  std::_Exit(1);
}

void on_lost(int rank, double seconds) {
  // The first rank to end takes the others with it; only one of them reports.
  std::this_thread::sleep_for(milliseconds(rank == 0 ? 0 : 2000 + 200 * rank));
  end_at_once(
      fmt::format("rank {} waited {:g} s for the others, one of which has stopped or lags behind; "
                  "continue with --resume, or raise --timeout",
                  rank, seconds));
}

void on_told(int rank, const std::string& why) {
  end_at_once(fmt::format("rank {}: {}", rank, why));
}

// mpirun and srun end the others when a rank is gone.
void on_terminate(int) {
  constexpr char kLine[] =
      "spml: error: another rank has ended, or the job was stopped; what is done is kept: continue "
      "with --resume\n";
  if (may_speak()) {
    [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, kLine, sizeof kLine - 1);
  }
  ::_exit(1);
}

char* map_shared(int file) {
  if (file < 0) return nullptr;
  void* const page = ::mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  return page == MAP_FAILED ? nullptr : static_cast<char*>(page);
}

// If rank 0 was killed, another rank on its machine reports.
void share_voice() {
  static char own = 0;
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  const bool is_first = g_cluster->is_first();
  int file = is_first ? ::memfd_create("spml", MFD_CLOEXEC) : -1;
  if (file >= 0 && ::ftruncate(file, 1) == 0) g_said = map_shared(file);
  if (is_first && g_said == nullptr) g_said = &own;
  const std::string mine = fmt::format("{} /proc/{}/fd/{}", host.data(), ::getpid(), file);
  const std::string first = said_by_first(*g_cluster, mine);
  const size_t space = first.rfind(' ');
  if (!is_first && first.substr(0, space) == host.data()) {
    file = ::open(first.c_str() + space + 1, O_RDWR | O_CLOEXEC);
    g_said = map_shared(file);
  }
  g_cluster->barrier();
  if (file >= 0) ::close(file);
}

void be_silent() {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere >= 0) ::dup2(nowhere, STDOUT_FILENO);
}

}  // namespace

std::vector<Flag> cluster_flags(ClusterFlags& flags) {
  return {{.name = "distributed",
           .target = &flags.distributed,
           .help = "Whether to share the work with the other ranks, where mpirun or srun started "
                   "several",
           .choices = {"auto", "off"}},
          {.name = "timeout",
           .target = &flags.timeout,
           .help = "Seconds to wait for another rank before giving up",
           .range = {1, 1e6}}};
}

void enter_cluster(const Verb& verb, const std::vector<std::string>& words) {
  const auto launch = find_launch(std::getenv);
  if (!launch) return;
  if (verb.cluster == nullptr) {
    fail_usage("spml {} works in one process, and {} has started {} of them; start it alone",
               verb.name, launch->by, launch->size);
  }
  g_alone = verb.cluster->distributed == "off";
  if (g_alone) return;
  g_module = static_cast<const MpiModule*>(load_module(kModule));
  g_cluster = g_module->join({verb.cluster->timeout, on_lost, on_told});
  if (!g_cluster->is_first()) {
    verb.common->quiet = true;
    be_silent();
  }
  share_voice();
  std::signal(SIGTERM, on_terminate);
  expect_same(*g_cluster, "version", kVersion);
  expect_same(*g_cluster, "instruction set", this_machine().simd);
  expect_same(*g_cluster, "command", fmt::format("{}", fmt::join(words, " ")));
}

Cluster* joined_cluster() { return g_cluster.get(); }

bool end_cluster(const std::string& error, int code) {
  if (g_cluster == nullptr) {  // not joined yet: a wrong command is wrong on every rank
    const auto launch = g_alone ? std::nullopt : find_launch(std::getenv);
    if (!launch || launch->rank == 0) return false;
    std::this_thread::sleep_for(milliseconds(1000));  // mpirun ends all ranks when one has ended
    return true;
  }
  if (g_cluster->is_first()) {
    if (may_speak()) say(fmt::format("spml: error: {}\n", error));
  } else {
    // All ranks may have met the same error: rank 0 then reports it and ends this one while it
    // waits.
    std::this_thread::sleep_for(milliseconds(1000));
    g_module->tell(error);
    std::this_thread::sleep_for(milliseconds(3000));
    if (may_speak()) say(fmt::format("spml: error: rank {}: {}\n", g_cluster->rank(), error));
  }
  g_module->abort(code);
  return true;
}

void leave_cluster() {
  if (g_cluster == nullptr) return;
  g_cluster->wait_for_all();
  g_cluster.reset();
  std::signal(SIGTERM, SIG_DFL);
  g_module->finish();
}

}  // namespace spml::cli
