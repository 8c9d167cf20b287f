#include "core/standard_descriptors.h"

#include <fcntl.h>
#include <unistd.h>

namespace ddm {

void fill_standard_descriptors() {
  // open() takes the lowest free number.
  for (int fd = open("/", O_PATH | O_CLOEXEC); fd >= 0; fd = open("/", O_PATH | O_CLOEXEC)) {
    if (fd <= STDERR_FILENO) continue;
    close(fd);
    return;
  }
}

}  // namespace ddm
