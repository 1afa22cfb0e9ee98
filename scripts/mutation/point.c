#define _DEFAULT_SOURCE
#include "point.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* INT_MAX: no mutant acts. */
int pliant_mutant = 0x7fffffff;

/* The file PLIANT_MUTANTS_REACHED, one byte for each mutant. */
static unsigned char *reached;
static long count;

int pliant_mutant_reached(int number)
{
    if (number < count) {
        reached[number] = 1;
    }
    return 0;
}

/* The file is shared memory, so that programs that crash or fork leave their records too. */
__attribute__((constructor(101))) static void begin(void)
{
    const char *number = getenv("PLIANT_MUTANT"), *file = getenv("PLIANT_MUTANTS_REACHED");
    if (number != NULL) {
        pliant_mutant = atoi(number);
    }
    if (file != NULL) {
        int handle = open(file, O_RDWR);
        struct stat status;
        if (handle >= 0 && fstat(handle, &status) == 0) {
            void *bytes =
                mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, handle, 0);
            if (bytes != MAP_FAILED) {
                reached = bytes;
                count = status.st_size;
                pliant_mutant = -1;
            }
        }
        close(handle);
    }
}
