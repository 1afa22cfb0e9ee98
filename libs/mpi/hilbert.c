/*
 * Based on: J. Skilling, "Programming the Hilbert curve", 2004. The curve visits cells so that
 * those next to each other on it are next to each other in space; a cell's place is found bit by
 * bit, by undoing the turns and mirrors of the cube that it lies in.
 */
#include "scene.h"

enum { BITS = 16 };

/* Where two axes change places, or the first is mirrored, in the cube of one bit. */
static void undo_turns(uint32_t axis[3])
{
    for (uint32_t bit = 1u << (BITS - 1); bit > 1; bit >>= 1) {
        uint32_t below = bit - 1;
        for (int k = 0; k < 3; k++) {
            if (axis[k] & bit) {
                axis[0] ^= below;
            } else {
                uint32_t changed = (axis[0] ^ axis[k]) & below;
                axis[0] ^= changed;
                axis[k] ^= changed;
            }
        }
    }
}

/* From places of cubes to a Gray code along the curve. */
static void encode_gray(uint32_t axis[3])
{
    axis[1] ^= axis[0];
    axis[2] ^= axis[1];
    uint32_t flips = 0;
    for (uint32_t bit = 1u << (BITS - 1); bit > 1; bit >>= 1) {
        if (axis[2] & bit) {
            flips ^= bit - 1;
        }
    }
    for (int k = 0; k < 3; k++) {
        axis[k] ^= flips;
    }
}

uint64_t pli_mpi_hilbert(const uint32_t cell[3])
{
    uint32_t axis[3] = {cell[0], cell[1], cell[2]};
    undo_turns(axis);
    encode_gray(axis);
    uint64_t place = 0;
    for (int bit = BITS - 1; bit >= 0; bit--) {
        for (int k = 0; k < 3; k++) {
            place = place << 1 | (axis[k] >> bit & 1);
        }
    }
    return place;
}
