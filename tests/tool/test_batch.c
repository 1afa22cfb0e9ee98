/* Many files: which ones patterns stand for, what a config says about each, that outcomes do not
   depend on how many are checked at a time, and what the writers for other machines make of them.
 */
#include "check_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tool/check/batch.h"
#include "tool/check/config.h"
#include "tool/check/gather.h"

static void patterns_stand_for_paths(void **unused)
{
    (void)unused;
    static const struct {
        const char *pattern, *path;
        bool fits;
    } cases[] = {
        {"*.glb", "a.glb", true},
        {"*.glb", "a/b.glb", false},
        {"*.glb", "a.gltf", false},
        {"a/*.glb", "a/b.glb", true},
        {"a/*.glb", "a/b/c.glb", false},
        {"a/**/*.glb", "a/b.glb", true},
        {"a/**/*.glb", "a/b/c/d.glb", true},
        {"a/**/*.glb", "b/c.glb", false},
        {"**/hero*/[ab].glb", "x/y/hero1/b.glb", true},
        {"**/hero*/[ab].glb", "hero1/b.glb", true},
        {"**/hero*/[ab].glb", "hero1/c.glb", false},
        {"a/b", "a/b", true},
        {"a/b", "a/b/c", false},
        {"a/b/c", "a/b", false},
        {"", "", true},
        {"a**b", "axxb", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (gather_fits(cases[i].pattern, cases[i].path) != cases[i].fits) {
            fail_msg("'%s' and '%s'", cases[i].pattern, cases[i].path);
        }
    }
}

static char folder[200];

/* Writes a file below the folder of this test and returns its path. */
static const char *write_file(const char *name, const char *text)
{
    static char path[400];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static int make_folder(void **unused)
{
    (void)unused;
    snprintf(folder, sizeof folder, "/tmp/pliant-batch-XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : -1;
}

static int remove_folder(void **unused)
{
    (void)unused;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void folders_are_searched(void **unused)
{
    (void)unused;
    char path[400], error[600];
    for (int i = 0; i < 3; i++) {
        const char *const names[] = {"in", "in/deep", "in/.hidden"};
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(mkdir(path, 0777), 0);
    }
    const char *const names[] = {"in/b.glb", "in/a.GLTF", "in/deep/c.glb", "in/.hidden/d.glb",
                                 "in/e.obj"};
    for (int i = 0; i < 5; i++) {
        write_file(names[i], "");
    }
    gathered files = {0};
    snprintf(path, sizeof path, "%s/in", folder);
    assert_true(gather_word(&files, path, error, sizeof error));
    assert_true(gather_word(&files, path, error, sizeof error)); /* each once, nevertheless */
    gather_end(&files);
    assert_int_equal(files.count, 3);
    const char *const expected[] = {"in/a.GLTF", "in/b.glb", "in/deep/c.glb"};
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(files.paths[i] + strlen(folder) + 1, expected[i]);
    }
    gather_free(&files);
    static const struct {
        const char *pattern;
        uint32_t count;
    } cases[] = {{"in/*.glb", 1}, {"in/**/*.glb", 2}, {"in/*", 3}, {"*/deep/?.glb", 1}};
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, cases[i].pattern);
        assert_true(gather_word(&files, path, error, sizeof error));
        assert_int_equal(files.count, cases[i].count);
        gather_free(&files);
    }
    const char *const nothing[] = {"in/*.fbx", "in/.hidden", "none/*.glb"};
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, nothing[i]);
        bool found = gather_word(&files, path, error, sizeof error);
        assert_true(found == (i == 1)); /* a hidden folder that is named is looked into */
        assert_true(found || strstr(error, "no file fits this pattern") != NULL);
        gather_free(&files);
    }
}

/* Options as the tool has them: of each kind one. */
static bool flag, optional;
static uint32_t number, optional_number;
static const char *text;
static const cli_option options[] = {
    {.name = "--flag", .flag = &flag},
    {.name = "--text", .text = &text},
    {.name = "--number", .number = &number, .most = 9},
    {.name = "--maybe", .flag = &optional, .number = &optional_number, .most = 9},
};

static check_config *read_config(const char *json, char *error, size_t capacity)
{
    return check_config_read(json, strlen(json), "known/", options, 4, error, capacity);
}

static void configs_become_arguments(void **unused)
{
    (void)unused;
    char error[300];
    check_config *config = read_config(
        "{\"check\":{\"flag\":true,\"text\":[\"a*\",\"b+c\"],\"number\":3},\"files\":[{\"match\":"
        "\"heroes/**/*.glb\",\"text\":0.5,\"maybe\":2},{\"match\":\"old-*\",\"skip\":true,\"flag\":"
        "false}]}",
        error, sizeof error);
    assert_non_null(config);
    static const struct {
        const char *path;
        int count;
        bool skip;
    } cases[] = {{"known/heroes/a/b.glb", 5, false},
                 {"heroes/b.glb", 5, false},
                 {"known/x.glb", 3, false},
                 {"x/old-1.glb", 3, true},
                 {"old-1.glb", 3, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char **arguments = NULL;
        int count = 0;
        bool skip = false;
        assert_true(check_config_arguments(config, cases[i].path, &arguments, &count, &skip));
        assert_int_equal(count, cases[i].count);
        assert_int_equal(skip, cases[i].skip);
        assert_string_equal(arguments[0], "--flag");
        assert_string_equal(arguments[1], "--text=a*,b+c");
        assert_string_equal(arguments[2], "--number=3");
        if (count == 5) {
            assert_string_equal(arguments[3], "--text=0.5");
            assert_string_equal(arguments[4], "--maybe=2");
        }
        free((void *)arguments);
    }
    const char *paths[] = {"heroes/b.glb", "x.glb"};
    assert_string_equal(check_config_unused(config, paths, 2), "old-*");
    paths[1] = "old-y.glb";
    assert_null(check_config_unused(config, paths, 2));
    check_config_free(config);
}

static void bad_configs_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *json, *part;
    } cases[] = {
        {"", "line 1"},
        {"[]", "it is not an object"},
        {"{\"checks\":{}}", "there is no key \"checks\" here; there are"},
        {"{\"check\":[]}", "\"check\" must be an object"},
        {"{\"files\":{}}", "\"files\" a list"},
        {"{\"files\":[7]}", "files[0] is not an object"},
        {"{\"files\":[{\"flag\":true}]}", "has no \"match\""},
        {"{\"files\":[{\"match\":7}]}", "\"match\" must be a text"},
        {"{\"files\":[{\"match\":\"a\",\"skip\":1}]}", "\"skip\" must be true or false"},
        {"{\"check\":{\"match\":\"a\"}}", "there is no key \"match\" here"},
        {"{\"check\":{\"json\":\"a\"}}", "there is no key \"json\" here"},
        {"{\"check\":{\"flags\":true}}", "there is no key \"flags\" here"},
        {"{\"check\":{\"flag\":1}}", "\"flag\" must be true or false"},
        {"{\"check\":{\"number\":\"3\"}}", "\"number\" must be a whole number"},
        {"{\"check\":{\"maybe\":\"3\"}}", "\"maybe\" must be true, false or a whole number"},
        {"{\"check\":{\"text\":true}}", "\"text\" must be a text, a number or a list"},
        {"{\"check\":{\"text\":\"\"}}", "\"text\" must be a text"},
        {"{\"check\":{\"text\":[]}}", "\"text\" is an empty list"},
        {"{\"check\":{\"text\":[\"a,b\"]}}", "item 0 is not a text without commas"},
        {"{\"check\":{\"text\":[\"a\",7]}}", "item 1 is not a text"},
        {"{\"check\":{},\"check\":{}}", "duplicate"},
        {"{\"check\":{\"flag\":true,}}", "line 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char error[300] = "";
        assert_null(read_config(cases[i].json, error, sizeof error));
        if (strstr(error, cases[i].part) == NULL) {
            fail_msg("%s: '%s' lacks '%s'", cases[i].json, error, cases[i].part);
        }
    }
}

/* All that a writer writes; free() it. */
static char *written(void (*write)(const check_outcome *, uint32_t, FILE *),
                     const check_outcome *outcomes, uint32_t count)
{
    FILE *stream = tmpfile();
    assert_non_null(stream);
    write(outcomes, count, stream);
    long size = ftell(stream);
    char *all = calloc((size_t)size + 1, 1);
    rewind(stream);
    assert_int_equal(fread(all, 1, (size_t)size, stream), size);
    fclose(stream);
    return all;
}

static check_finding worst = {.a = 0,
                              .b = 1,
                              .kind = CHECK_CONTACT,
                              .verdict = CHECK_NEW,
                              .fails = true,
                              .depth = 0.26,
                              .size = 18.0,
                              .frame_count = 40,
                              .first = 3,
                              .deepest = 12,
                              .last = 50};

static void writers_say_what_was_found(void **unused)
{
    (void)unused;
    char odd[] = "a,b:c%", quiet[] = "quiet", body[] = "<body>", suit[] = "suit|1",
         leg[] = "leg\nL";
    char none[] = "", one[] = "one,1.glb", good[] = "good.glb", bad[] = "bad.glb";
    char sentence[] = "it is <empty> & so on";
    outcome_finding findings[] = {
        {.found = worst, .clip = odd, .a = body, .b = suit, .place = leg},
        {.found = worst, .clip = odd, .a = quiet, .b = quiet, .place = none}};
    findings[1].found.fails = false;
    findings[1].found.verdict = CHECK_KNOWN;
    char *clips[] = {odd, quiet};
    const check_outcome outcomes[] = {
        {.path = one,
         .fails = true,
         .findings = findings,
         .finding_count = 2,
         .failing_count = 1,
         .clips = clips,
         .clip_count = 2,
         .compared = {.bodies = 2, .clips = 2, .frames = 9, .body_pairs = 1}},
        {.path = good, .clips = clips, .clip_count = 1, .compared = {.bodies = 1}},
        {.path = bad, .result = CHECK_BAD_INPUT, .error = sentence}};
    assert_int_equal(check_outcomes_status(outcomes, 3), 2);
    assert_int_equal(check_outcomes_status(outcomes, 2), 1);
    assert_int_equal(check_outcomes_status(outcomes + 1, 1), 0);
    char *lines = written(check_write_annotations, outcomes, 3);
    assert_string_equal(
        lines,
        "::error file=one%2C1.glb,title=contact in clip a%2Cb%3Ac%25::<body> + suit|1: touch "
        "near leg%0AL, 0.26 deep (1.4 %25 of its size), in frames 3 to 50, deepest in 12; "
        "new\n::error file=bad.glb,title=cannot be checked::it is <empty> & so on\n");
    free(lines);
    char *junit = written(check_write_junit, outcomes, 3);
    assert_non_null(strstr(junit, "tests=\"4\" failures=\"1\" errors=\"1\""));
    assert_non_null(strstr(junit, "<testcase classname=\"one,1.glb\" name=\"quiet\"/>"));
    assert_non_null(strstr(junit, "message=\"&lt;body&gt; + suit|1: touch near leg&#10;L, 0.26"));
    assert_non_null(strstr(junit, "<error message=\"it is &lt;empty&gt; &amp; so on\"/>"));
    free(junit);
    char *markdown = written(check_write_markdown, outcomes, 3);
    assert_non_null(strstr(markdown, "**2 of 3 files fail**, 1 could not be checked"));
    assert_non_null(
        strstr(markdown, "| \\<body\\> + suit\\|1 | leg L | 0.26 (1.4 %) | 12 | 3-50 |"));
    assert_null(strstr(markdown, "| quiet + quiet |"));
    free(markdown);
}

/* Ten times as many as the forge shows: the rest is counted. */
static void annotations_are_few(void **unused)
{
    (void)unused;
    char name[] = "c", none[] = "";
    outcome_finding findings[100];
    for (int i = 0; i < 100; i++) {
        findings[i] =
            (outcome_finding){.found = worst, .clip = name, .a = name, .b = name, .place = none};
    }
    const check_outcome outcome = {.path = name,
                                   .fails = true,
                                   .findings = findings,
                                   .finding_count = 100,
                                   .failing_count = 100};
    char *lines = written(check_write_annotations, &outcome, 1);
    int count = 0;
    for (const char *at = lines; (at = strchr(at, '\n')) != NULL; at++) {
        count++;
    }
    assert_int_equal(count, 11);
    assert_non_null(strstr(lines, "and 90 more findings"));
    free(lines);
}

#define TETRAHEDRON(name, x)                                                                       \
    "o " name "\nv " x " 0 0\nv 1" x " 0 0\nv " x " 1 0\nv " x " 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\n" \
    "f 3 1 4\n"

/* Two sheets of `side` by `side` squares that cross each other, as text; free() it. */
static char *make_grid(int side)
{
    size_t capacity = (size_t)(side + 1) * (size_t)(side + 1) * 2 * 100, used = 0;
    char *text_of = malloc(capacity);
    assert_non_null(text_of);
    for (int sheet = 0; sheet < 2; sheet++) {
        int first = sheet * (side + 1) * (side + 1) + 1;
        used += (size_t)snprintf(text_of + used, capacity - used, "o sheet%d\n", sheet);
        for (int i = 0; i < (side + 1) * (side + 1); i++) {
            double x = (double)(i % (side + 1)) / side - 0.5,
                   y = (double)(i / (side + 1)) / side - 0.5;
            used += (size_t)snprintf(text_of + used, capacity - used, "v %g %g %g\n", x,
                                     sheet ? 0.01 : y, sheet ? y : 0.013);
        }
        for (int i = 0; i < side * side; i++) {
            int a = first + i / side * (side + 1) + i % side;
            used += (size_t)snprintf(text_of + used, capacity - used, "f %d %d %d %d\n", a, a + 1,
                                     a + side + 2, a + side + 1);
        }
    }
    return text_of;
}

static void note_order(void *user, const batch_file *file, uint32_t index)
{
    uint32_t *next = user;
    assert_int_equal(index, *next);
    assert_non_null(file->outcome.path); /* it is done */
    assert_string_equal(file->outcome.path, file->settings.files[0]);
    ++*next;
}

/* Outcomes, in their order, are the same however many files are checked at a time; one that cannot
   be read does not stop the others. */
static void jobs_change_nothing(void **unused)
{
    (void)unused;
    enum { FILES = 12 };
    static char paths[FILES][400];
    char *slow = NULL;
    const char *first[FILES];
    for (int i = 0; i < FILES; i++) {
        char name[40];
        snprintf(name, sizeof name, "t%02d.obj", i);
        const char *one =
            TETRAHEDRON("a", "0") "o b\nv 0.1 0.1 0.1\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 5 7 6\n"
                                  "f 5 6 8\nf 6 7 8\nf 7 5 8\n";
        const char *apart = TETRAHEDRON("a", "0");
        if (i == 0) { /* the first takes longest, so that others end before it */
            one = slow = make_grid(150);
        }
        snprintf(paths[i], sizeof paths[i], "%s",
                 write_file(name, i % 4 == 3   ? "v 0 nan 0\n"
                                  : i % 4 == 1 ? apart
                                               : one));
        first[i] = paths[i];
    }
    free(slow);
    char *texts[2] = {NULL, NULL};
    for (int run = 0; run < 2; run++) {
        batch_file files[FILES];
        uint32_t next = 0;
        memset(files, 0, sizeof files);
        for (int i = 0; i < FILES; i++) {
            files[i].settings = check_default_settings();
            files[i].settings.files = &first[i];
            files[i].settings.file_count = 1;
        }
        check_batch batch = {.files = files,
                             .count = FILES,
                             .jobs = run == 0 ? 1 : 5,
                             .keep_pages = true,
                             .done = note_order,
                             .user = &next};
        assert_true(check_batch_run(&batch));
        assert_int_equal(next, FILES);
        check_outcome outcomes[FILES];
        for (int i = 0; i < FILES; i++) {
            outcomes[i] = files[i].outcome;
            assert_int_equal(check_outcome_status(&outcomes[i]), i % 4 == 3   ? 2
                                                                 : i % 4 == 1 ? 0
                                                                              : 1);
            assert_true((files[i].page.size > 0) == (i % 4 != 3));
        }
        texts[run] = written(check_write_outcomes_json, outcomes, FILES);
        check_batch_free(&batch);
    }
    assert_string_equal(texts[0], texts[1]);
    free(texts[0]);
    free(texts[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_stand_for_paths),   cmocka_unit_test(folders_are_searched),
        cmocka_unit_test(configs_become_arguments),   cmocka_unit_test(bad_configs_are_refused),
        cmocka_unit_test(writers_say_what_was_found), cmocka_unit_test(annotations_are_few),
        cmocka_unit_test(jobs_change_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
