#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(_WIN32)
#define OPEN_FLAGS (O_RDONLY | O_BINARY)
#else
#define OPEN_FLAGS (O_RDONLY | O_NONBLOCK)
#endif

FILE *text_open(const char *path, const char **reason)
{
    struct stat about;
    int handle = open(path, OPEN_FLAGS);
    *reason = handle < 0 || fstat(handle, &about) != 0 ? strerror(errno)
              : S_ISREG(about.st_mode)                 ? NULL
                                                       : "it is no regular file";
    FILE *file = *reason == NULL ? fdopen(handle, "rb") : NULL;
    if (file == NULL && handle >= 0) {
        *reason = *reason == NULL ? strerror(errno) : *reason;
        close(handle);
    }
    return file;
}
