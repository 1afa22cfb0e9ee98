/* Images whose crossings another library finds. */
#ifndef PLI_VOLUME_OTHER_H
#define PLI_VOLUME_OTHER_H

#include "volume.h"

/* Fills the only band of an image from volume->parts by volume->backend. */
pliant_result pli_volume_cross_elsewhere(pliant_volume *volume, const pliant_body *body,
                                         const pli_image *image, pli_band_filler *filler);

#endif
