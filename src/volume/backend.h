/* What volumes know of backends: pliant/backend.h. */
#ifndef PLI_VOLUME_BACKEND_H
#define PLI_VOLUME_BACKEND_H

#include "pliant/backend.h"

/* A volume begins to use a backend, or has ended; NULL is ignored. Fails where the backend belongs
   to another copy of the library. */
pliant_result pli_backend_join(const pliant_volume_backend *backend);
void pli_backend_leave(const pliant_volume_backend *backend);

#endif
