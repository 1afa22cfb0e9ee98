/* The benchmarks' clock: reading it is not counted, work is, and it never goes back; and how
   several runs share repetitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "skipping.h"

#include "lab/harness/bench.h"

#define READINGS 1001

static double read_plainly(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The two clocks by turns, so that whoever else uses the machine slows down both. */
static void test_reading_is_not_counted(void **state)
{
    (void)state;
    double plain[READINGS], net[READINGS];
    for (int i = 0; i < READINGS; i++) {
        double start = read_plainly();
        plain[i] = read_plainly() - start;
        start = bench_cpu_seconds();
        net[i] = bench_cpu_seconds() - start;
        assert_true(net[i] >= 0.0);
    }
    double plain_median = bench_median(plain, READINGS);
    double net_median = bench_median(net, READINGS);
    print_message("  a reading takes %.0f ns; %.0f ns are left\n", 1e9 * plain_median,
                  1e9 * net_median);
    /* One that took nothing off would leave all. A clock that takes no longer than its own steps
     * leaves nothing to be taken off. */
    assert_true(net_median <= 0.75 * plain_median || net_median < 50e-9);
}

#define WORK  0.01
#define TRIES 5

/* What the clock says of a hundredth of a second of work, after so many readings. */
static double count_work(int readings)
{
    double start = bench_cpu_seconds();
    for (int i = 0; i < readings; i++) {
        bench_cpu_seconds();
    }
    double end = read_plainly() + WORK;
    while (read_plainly() < end) {
    }
    return bench_cpu_seconds() - start;
}

/* Readings take longer while others use the machine: a clock that is right may be wrong once, one
   that counts its readings or forgets work is wrong in every try. */
static void test_work_is_counted(void **state)
{
    (void)state;
    static const int readings[2] = {0, READINGS};
    for (int i = 0; i < 2; i++) {
        double counted = 0.0;
        bool right = false;
        for (int k = 0; k < TRIES && !right; k++) {
            counted = count_work(readings[i]);
            right = counted > 0.9 * WORK && counted < 1.1 * WORK;
        }
        print_message("  %.2f ms of work counted as %.2f\n", 1e3 * WORK, 1e3 * counted);
        assert_true(right);
    }
}

/* Seconds that a hundredth of a second of sleep takes by the clock that so many threads choose. */
static double count_sleep(uint32_t threads)
{
    const struct timespec pause = {.tv_nsec = (long)(1e9 * WORK)};
    bench_settings settings = {.threads = threads};
    bench_choose_clock(&settings);
    double start = bench_seconds();
    nanosleep(&pause, NULL);
    return bench_seconds() - start;
}

/* One thread is measured by what it does, several by how long one has to wait for them. */
static void test_threads_choose_the_clock(void **state)
{
    (void)state;
    assert_true(count_sleep(2) >= WORK);
    assert_true(count_sleep(256) >= WORK);
    assert_true(count_sleep(1) < 0.5 * WORK);
    assert_true(count_sleep(0) < 0.5 * WORK);
}

/* All runs together make at least what one alone would, and none makes nothing. */
static void test_runs_share_repetitions(void **state)
{
    (void)state;
    for (uint32_t runs = 0; runs <= 31; runs++) {
        bench_settings settings = {.repetitions = runs};
        for (uint32_t all = 1; all <= 31; all++) {
            uint32_t each = bench_repetitions(&settings, all), count = runs > 1 ? runs : 1;
            assert_true(each >= 1 && each * count >= all);
            assert_true((each - 1) * count < all);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading_is_not_counted),
        cmocka_unit_test(test_work_is_counted),
        cmocka_unit_test(test_threads_choose_the_clock),
        cmocka_unit_test(test_runs_share_repetitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
