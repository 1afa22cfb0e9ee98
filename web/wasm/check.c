/*
 * `pliant check` for a page: files in, the data of a report out. Files are those that the page
 * serves through WASI, by name. What a call made stays until the next one.
 */
#include "tool/check/check.h"

#include <stdlib.h>
#include <string.h>

#include "tool/report/batch.h"
#include "tool/text/json.h"

#include "export.h"
#include "page.h"

/* The page is told how far a check is. */
__attribute__((import_module("env"), import_name("progress"))) void
on_progress(uint32_t frames_done, uint32_t frames);

enum { MOST_FILES = 4096 };

static struct {
    unsigned char *bytes; /* a report, or JSON */
    size_t size;
    char error[700];
} made;

void *EXPORT(page_allocate)(size_t size)
{
    return malloc(size > 0 ? size : 1);
}

void EXPORT(page_free)(void *memory)
{
    free(memory);
}

const unsigned char *EXPORT(page_made)(void)
{
    return made.bytes;
}

size_t EXPORT(page_made_size)(void)
{
    return made.size;
}

/* Why the latest call failed. */
const char *EXPORT(page_error)(void)
{
    return made.error;
}

void page_set_made(unsigned char *bytes, size_t size)
{
    free(made.bytes);
    made.bytes = bytes;
    made.size = size;
    made.error[0] = '\0';
}

bool page_fail(const char *sentence)
{
    page_set_made(NULL, 0);
    snprintf(made.error, sizeof made.error, "%s", sentence);
    return false;
}

static void show_progress(void *user, uint32_t done, uint32_t count)
{
    (void)user;
    on_progress(done, count);
}

/* Names with a line feed behind each. */
static uint32_t split(char *names, const char **files)
{
    uint32_t count = 0;
    for (char *end; count < MOST_FILES && (end = strchr(names, '\n')) != NULL; names = end + 1) {
        *end = '\0';
        files[count++] = names;
    }
    return count;
}

/*
 * Checks files and makes the data of a report, as it stands in a page. `names` is changed; `clips`
 * as --clip, empty: all; `steps` as --continuous, 0: none.
 */
bool EXPORT(page_check)(char *names, const char *clips, bool self, double clearance, uint32_t steps)
{
    static const char *files[MOST_FILES];
    check state = {.settings = check_default_settings()};
    check_settings *settings = &state.settings;
    settings->files = files;
    settings->file_count = split(names, files);
    settings->clips = clips[0] != '\0' ? clips : NULL;
    settings->self = self ? CHECK_SELF_ON : CHECK_SELF_DEFAULT;
    settings->clearance = (double)(float)clearance;
    settings->steps = steps;
    settings->keep_triangles = true;
    settings->progress = show_progress;
    report_block block = {0};
    check_result result = check_fill(&state);
    if (result == CHECK_DONE) {
        result = check_pack_page(&state, &block);
    }
    bool done = result == CHECK_DONE;
    if (done) {
        page_set_made(block.bytes, block.size);
    } else {
        page_fail(check_error(&state, result));
    }
    check_free(&state);
    return done;
}

/* Lists the clips of files, as JSON. */
bool EXPORT(page_list)(char *names)
{
    static const char *files[MOST_FILES];
    pliant_context *context = NULL;
    pliant_asset *asset = NULL;
    pliant_asset_def def = pliant_asset_def_default();
    def.paths = files;
    def.path_count = split(names, files);
    if (pliant_context_create(NULL, &context) != PLIANT_OK ||
        pliant_asset_load(context, &def, &asset) != PLIANT_OK) {
        page_fail(pliant_last_error());
        pliant_context_destroy(context);
        return false;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    pliant_asset_counts counts = pliant_asset_get_counts(asset);
    bool done = stream != NULL;
    if (done) {
        json_writer json = json_begin(stream);
        json_open_object(&json, NULL);
        json_put_integer(&json, "bodies", counts.bodies);
        json_open_array(&json, "clips");
        for (uint32_t i = 0; i < counts.clips; i++) {
            json_put_string(&json, NULL, pliant_asset_get_clip(asset, i)->name);
        }
        json_close_array(&json);
        json_close_object(&json);
        json_end(&json);
        done = fclose(stream) == 0;
    }
    pliant_asset_destroy(asset);
    pliant_context_destroy(context);
    if (!done) {
        free(text);
        return page_fail("not enough memory");
    }
    page_set_made((unsigned char *)text, size);
    return true;
}
