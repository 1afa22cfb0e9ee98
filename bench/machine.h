/* What the measurements were made on. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdint.h>

typedef struct bench_machine {
    char cpu[128];
    uint32_t cores;
    char system[128];
    const char *compiler;
    const char *isa; /* which kernels the library used */
} bench_machine;

bench_machine bench_machine_describe(void);

#endif
