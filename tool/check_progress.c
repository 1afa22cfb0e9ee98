/* How far a check is, for whoever waits for it: a bar on a terminal, lines in a log. */
#include "check_request.h"

#include <inttypes.h>

#include "system.h"

#define BAR_WIDTH 30

/* Draws the bar, at most ten times a second. */
static bool show_bar(void *user, uint32_t done, uint32_t count)
{
    check_shown *shown = user;
    double time = system_seconds();
    if (time - shown->shown < 0.1 || time - shown->start < 0.3 || done == 0) {
        return true;
    }
    shown->shown = time;
    char bar[BAR_WIDTH + 1];
    uint32_t filled = (uint32_t)((uint64_t)done * BAR_WIDTH / count);
    for (uint32_t i = 0; i < BAR_WIDTH; i++) {
        bar[i] = i < filled ? '#' : '.';
    }
    bar[BAR_WIDTH] = '\0';
    double left = (time - shown->start) / done * (count - done);
    fprintf(stderr, "\r[%s] %3.0f %%  frame %" PRIu32 " of %" PRIu32 ", %.0f s left\033[K", bar,
            100.0 * done / count, done, count, left + 0.5);
    return true;
}

/* A line for every tenth of the frames. */
static bool show_line(void *user, uint32_t done, uint32_t count)
{
    check_shown *shown = user;
    uint32_t tenth = count > 0 ? (uint32_t)((uint64_t)done * 10 / count) : 10;
    if (tenth > shown->tenth) {
        shown->tenth = tenth;
        fprintf(stderr, "frame %" PRIu32 " of %" PRIu32 ", %u %%\n", done, count, 10 * tenth);
    }
    return true;
}

void check_progress_begin(check_shown *shown, check_progress how, check_settings *settings)
{
    *shown = (check_shown){.start = system_seconds()};
    settings->progress = how == CHECK_PROGRESS_BAR     ? show_bar
                         : how == CHECK_PROGRESS_PLAIN ? show_line
                                                       : NULL;
    settings->progress_user = shown;
}

void check_progress_end(const check_shown *shown, check_progress how)
{
    if (how == CHECK_PROGRESS_BAR && shown->shown > 0.0) {
        fputs("\r\033[K", stderr);
    }
}
