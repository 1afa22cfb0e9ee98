/* Which scenes this build does without. */
#ifndef GALLERY_MODAL_LEFT_OUT_H
#define GALLERY_MODAL_LEFT_OUT_H

#include <stdbool.h>

/* Is there a scene of that name, left out because LAPACKE was not found when this was built? */
bool gallery_left_out(const char *name);

#endif
