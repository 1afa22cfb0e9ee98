/*
 * Stands in for the experiments with the paper's own bodies where the library was built without
 * LAPACKE, which their modal analysis and compression need.
 */
#include "experiments.h"

static bool run(const bench_settings *settings, bench_report *report)
{
    (void)settings;
    report_note(report, "left out: this was built without LAPACKE, which is needed to make the "
                        "bodies of this experiment");
    return true;
}

const bench_experiment experiment_bd_curtain = {
    .name = "bd-curtain",
    .description = "a ball is thrown at a curtain of 12 modes (left out: built without LAPACKE)",
    .run = run,
};

const bench_experiment experiment_bd_bridge = {
    .name = "bd-bridge",
    .description = "spheres of a swaying bridge, and fish (left out: built without LAPACKE)",
    .run = run,
};

const bench_experiment experiment_bd_chairs = {
    .name = "bd-chairs",
    .description = "3,601 chairs of 10 modes crash (left out: built without LAPACKE)",
    .run = run,
};
