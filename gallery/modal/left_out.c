#include "left_out.h"

#include <stddef.h>
#include <string.h>

bool gallery_left_out(const char *name)
{
#ifdef PLIANT_HAVE_LAPACKE
    (void)name;
    return false;
#else
    static const char *const names[] = {"bridge", "chairs", "curtain", "curtain-pushed"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
#endif
}
