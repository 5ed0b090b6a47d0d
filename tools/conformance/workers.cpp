// Processes that take job numbers from one pipe and write results to another.
#include "workers.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace cornu::conformance {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int poll_milliseconds = 100;

bool read_all(int file, void* data, size_t bytes) {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::read(file, to, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

bool write_all(int file, const void* data, size_t bytes) {
  const auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::write(file, from, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    from += n;
    bytes -= static_cast<size_t>(n);
  }
  return true;
}

struct Worker {
  pid_t process = -1;
  int jobs = -1;     ///< to write numbers to
  int results = -1;  ///< to read texts from
  int served = 0;    ///< jobs that it was given
  size_t current = 0;
  Clock::time_point since;
};

[[noreturn]] void serve(int jobs, int results, const std::function<std::string(size_t)>& job) {
  size_t index = 0;
  while (read_all(jobs, &index, sizeof index)) {
    const std::string text = job(index);
    const uint64_t size = text.size();
    if (!write_all(results, &size, sizeof size) || !write_all(results, text.data(), text.size()))
      break;
  }
  ::_exit(0);
}

Worker start(const std::function<std::string(size_t)>& job, const std::vector<Worker>& others) {
  int to[2], from[2];
  if (::pipe(to) != 0 || ::pipe(from) != 0) throw std::runtime_error("cannot make a pipe");
  Worker worker;
  worker.process = ::fork();
  if (worker.process < 0) throw std::runtime_error("cannot start a process");
  if (worker.process == 0) {
    // A pipe that a sibling keeps open too would never report its end.
    for (const Worker& other : others) {
      if (other.process < 0) continue;
      ::close(other.jobs);
      ::close(other.results);
    }
    ::close(to[1]);
    ::close(from[0]);
    const int nothing = ::open("/dev/null", O_WRONLY);
    ::dup2(nothing, STDOUT_FILENO);
    if (::getenv("CORNU_CONFORMANCE_VERBOSE") == nullptr) ::dup2(nothing, STDERR_FILENO);
    serve(to[0], from[1], job);
  }
  ::close(to[0]);
  ::close(from[1]);
  worker.jobs = to[1];
  worker.results = from[0];
  return worker;
}

// How the process ended, which is waited for.
std::string stop(Worker& worker, bool kill) {
  if (kill) ::kill(worker.process, SIGKILL);
  ::close(worker.jobs);
  ::close(worker.results);
  int status = 0;
  ::waitpid(worker.process, &status, 0);
  worker.process = -1;
  if (WIFSIGNALED(status))
    return fmt::format("crashed with signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  return fmt::format("ended the process with status {}", WEXITSTATUS(status));
}

size_t resident_bytes(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/statm", process));
  size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

void run_jobs(size_t count, const std::function<std::string(size_t)>& job,
              const std::function<void(size_t, const std::string&)>& done,
              const WorkerLimits& limits) {
  ::signal(SIGPIPE, SIG_IGN);
  std::vector<Worker> workers(static_cast<size_t>(limits.workers));
  size_t next = 0, open = 0;

  // Gives the worker its next job, in a fresh process where it has none or has done enough.
  auto feed = [&](Worker& worker) {
    if (worker.process >= 0 && (worker.served >= limits.jobs_per_process || next == count))
      stop(worker, false);
    if (next == count) return;
    if (worker.process < 0) worker = start(job, workers);
    worker.current = next++;
    worker.since = Clock::now();
    ++worker.served;
    ++open;
    write_all(worker.jobs, &worker.current, sizeof worker.current);
  };
  auto finish = [&](Worker& worker, const std::string& text) {
    --open;
    done(worker.current, text);
    feed(worker);
  };

  for (Worker& worker : workers) feed(worker);
  while (open > 0) {
    std::vector<pollfd> waited;
    std::vector<Worker*> owners;
    for (Worker& worker : workers) {
      if (worker.process < 0) continue;
      waited.push_back({worker.results, POLLIN, 0});
      owners.push_back(&worker);
    }
    ::poll(waited.data(), waited.size(), poll_milliseconds);
    for (size_t i = 0; i < waited.size(); ++i) {
      Worker& worker = *owners[i];
      if (waited[i].revents != 0) {
        uint64_t size = 0;
        if (!read_all(worker.results, &size, sizeof size)) {
          finish(worker, stop(worker, false));
          continue;
        }
        std::string text(size, '\0');
        if (!read_all(worker.results, text.data(), size)) text = "the result is cut off";
        finish(worker, text);
      } else if (Clock::now() - worker.since > std::chrono::duration<double>(limits.seconds)) {
        stop(worker, true);
        finish(worker, fmt::format("took longer than {} s", limits.seconds));
      } else if (resident_bytes(worker.process) > limits.bytes) {
        stop(worker, true);
        finish(worker, fmt::format("took more than {} MiB of memory", limits.bytes >> 20));
      }
    }
  }
}

}  // namespace cornu::conformance
