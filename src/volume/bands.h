/*
 * Bands of rows. The images of a question are made for all of its rows at once, unless their
 * crossings would take more memory than the volume may use. Then rows are imaged and used a band
 * at a time. Every row is used in the same way in the same order, so no answer depends on the
 * bands.
 */
#ifndef PLI_VOLUME_BANDS_H
#define PLI_VOLUME_BANDS_H

#include "volume/volume.h"

/* Images rows first to last and uses these images. Fails if there is no room for them. */
typedef pliant_result (*pli_band_step)(void *user, uint32_t first, uint32_t last);

/* Does a step for rows first to last, in as many bands as it takes. Fails if there is no room for a
   single row, with a sentence. */
pliant_result pli_volume_in_bands(pliant_volume *volume, uint32_t first, uint32_t last,
                                  pli_band_step step, void *user);

/*
 * Bytes that the crossings of one image may take: a quarter of the volume's limit. Two images of
 * bodies and two of their squares exist at once.
 */
uint64_t pli_volume_room(const pliant_volume *volume);

/* Releases images that the present call does not use and workers' lists, if an image of this size
   may not fit beside them. */
void pli_volume_make_room(pliant_volume *volume);

#endif
