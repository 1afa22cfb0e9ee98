#include "modern.h"

#include <math.h>

void modern_add_ratios(const modern_times *times, bench_report *report)
{
    report_ratio(report, "gain_of_layout", times->scalar / times->modern_plain, (double)NAN,
                 "scalar binary bottom-up over modern bottom-up in plain C");
    report_ratio(report, "gain_of_vectors", times->modern_plain / times->modern, (double)NAN,
                 "modern bottom-up in plain C over the same with vectors");
    report_ratio(report, "gain_of_laziness", times->modern / times->ours, (double)NAN,
                 "modern bottom-up over ours, refreshed on demand");
}
