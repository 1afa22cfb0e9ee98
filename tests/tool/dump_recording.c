/* Writes a recording of a random life of a scene: dump_recording FILE SEED STEPS. */
#include "recorded_world.h"

#include <stdio.h>
#include <stdlib.h>

int main(int count, char **arguments)
{
    if (count != 4) {
        fprintf(stderr, "usage: %s FILE SEED STEPS\n", arguments[0]);
        return 2;
    }
    written_bytes written = {.bytes = NULL};
    pliant_context *context = NULL;
    FILE *file = fopen(arguments[1], "wb");
    if (file == NULL || pliant_context_create(NULL, &context) != PLIANT_OK) {
        return 1;
    }
    recorded_life life = recorded_world_live(context, strtoull(arguments[2], NULL, 10),
                                             (uint32_t)strtoul(arguments[3], NULL, 10), &written);
    bool done = life.stopped == PLIANT_OK &&
                fwrite(written.bytes, 1, (size_t)written.size, file) == written.size;
    printf("%llu questions\n", (unsigned long long)life.questions);
    free(written.bytes);
    pliant_context_destroy(context);
    return fclose(file) == 0 && done ? 0 : 1;
}
