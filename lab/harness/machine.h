/* What the measurements were made on. */
#ifndef LAB_HARNESS_MACHINE_H
#define LAB_HARNESS_MACHINE_H

#include <stdint.h>

#include "pliant/base.h"

typedef struct bench_machine {
    char cpu[128];
    uint32_t cores;
    char system[128];
    char governor[32]; /* of the first core's frequency; empty if the system does not tell */
    const char *compiler;
    const char *flags;   /* with which C was compiled */
    const char *commit;  /* of the sources; ends in "-dirty" if they were changed */
    pliant_isa isa;      /* what the library uses under the cap given */
    pliant_isa best_isa; /* what it would use without; the machine has this one and all below */
} bench_machine;

bench_machine bench_machine_describe(pliant_isa cap);

#endif
