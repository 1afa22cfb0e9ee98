/* Fuzzing of the replay of recordings: plays the bytes as they are, and once more with checksums of
   chunks that fit them. */
#include "tool/replay/replay.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    replay_settings settings = replay_settings_default();
    replay_summary summary;
    replay_play(data, size, &settings, &summary);
    uint8_t *sealed = malloc(size + 1);
    if (sealed != NULL) {
        memcpy(sealed, data, size);
        replay_seal(sealed, size);
        replay_play(sealed, size, &settings, &summary);
        free(sealed);
    }
    return 0;
}
