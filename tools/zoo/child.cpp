// Children by fork and exec.
#include "child.h"

#include <cornu/backend/error.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

namespace cornu::zoo {

void Children::start(const std::vector<std::string>& arguments, const std::filesystem::path& log,
                     const Limits& limits, size_t tag) {
  std::vector<char*> pointers;
  for (const std::string& argument : arguments)
    pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  const pid_t id = ::fork();
  if (id < 0) throw StateError(std::string("A process could not be started: ") + ::strerror(errno));
  if (id == 0) {
    const int file = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (file >= 0) {
      ::dup2(file, STDOUT_FILENO);
      ::dup2(file, STDERR_FILENO);
    }
    const rlimit none{0, 0}, memory{limits.memory, limits.memory};
    ::setrlimit(RLIMIT_CORE, &none);
    if (limits.memory > 0) ::setrlimit(RLIMIT_AS, &memory);
    ::execvp(pointers[0], pointers.data());
    ::dprintf(STDERR_FILENO, "%s: %s\n", pointers[0], ::strerror(errno));
    ::_exit(127);
  }
  children_.push_back(
      {id, tag, std::chrono::steady_clock::now() + limits.time, false, limits.time});
}

Children::Ended Children::wait() {
  for (;;) {
    for (size_t i = 0; i < children_.size(); ++i) {
      Child& child = children_[i];
      int status = 0;
      const pid_t ended = ::waitpid(child.id, &status, WNOHANG);
      if (ended == child.id) {
        Ended result{child.tag, ""};
        if (child.killed)
          result.trouble = "took more than " + std::to_string(child.limit.count()) + " s";
        else if (WIFSIGNALED(status))
          result.trouble = std::string("crashed: ") + ::strsignal(WTERMSIG(status));
        else if (WEXITSTATUS(status) != 0)
          result.trouble = "ended with status " + std::to_string(WEXITSTATUS(status));
        children_.erase(children_.begin() + static_cast<std::ptrdiff_t>(i));
        return result;
      }
      if (!child.killed && std::chrono::steady_clock::now() > child.end) {
        ::kill(child.id, SIGKILL);
        child.killed = true;
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace cornu::zoo
