#include "machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "build_info.h"

/* The first "model name" of /proc/cpuinfo, where there is one. */
static void read_cpu_model(char *model, size_t size)
{
    snprintf(model, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL) {
        return;
    }
    char line[256];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            value += 1 + strspn(value + 1, " \t");
            snprintf(model, size, "%.*s", (int)strcspn(value, "\n"), value);
            break;
        }
    }
    fclose(file);
}

static void read_governor(char *governor, size_t size)
{
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "r");
    if (file == NULL) {
        return;
    }
    if (fgets(governor, (int)size, file) != NULL) {
        governor[strcspn(governor, "\n")] = '\0';
    }
    fclose(file);
}

/* The instruction set of a context made with this cap. */
static pliant_isa ask_isa(pliant_isa cap)
{
    pliant_context_def def = pliant_context_def_default();
    def.isa = cap;
    pliant_context *context = NULL;
    if (pliant_context_create(&def, &context) != PLIANT_OK) {
        return PLIANT_ISA_PLAIN;
    }
    pliant_isa isa = pliant_context_get_isa(context);
    pliant_context_destroy(context);
    return isa;
}

bench_machine bench_machine_describe(pliant_isa cap)
{
    bench_machine machine = {.isa = ask_isa(cap), .best_isa = ask_isa(PLIANT_ISA_BEST)};
    machine.flags = build_info_flags;
    machine.commit = build_info_commit;
    read_cpu_model(machine.cpu, sizeof machine.cpu);
    read_governor(machine.governor, sizeof machine.governor);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    machine.cores = cores > 0 ? (uint32_t)cores : 1;
    struct utsname name;
    if (uname(&name) == 0) {
        snprintf(machine.system, sizeof machine.system, "%.40s %.40s", name.sysname, name.machine);
    }
#if defined(__clang__)
    machine.compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
    machine.compiler = "gcc " __VERSION__;
#else
    machine.compiler = "unknown";
#endif
    return machine;
}
