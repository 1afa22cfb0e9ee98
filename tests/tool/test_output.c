/*
 * Files that commands write: the target is the old file or the whole new one. Failures and
 * interrupts come in the middle. No output may be an input.
 */
#include "fixture.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool/output.h"

const char cli_program[] = "test_output";

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void assert_holds(const char *path, const char *text)
{
    char read[100] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(read, 1, sizeof read - 1, file);
    fclose(file);
    read[size] = '\0';
    assert_string_equal(read, text);
}

/* No unfinished file is left behind. */
static void assert_no_part(void)
{
    assert_int_not_equal(system("ls -A | grep -q '^[.]pliant'"), 0);
}

static cli_status write_output(const char *path, const char *text, cli_status status)
{
    output_file file;
    assert_int_equal(output_open(&file, path), CLI_DONE);
    fputs(text, file.stream);
    return output_close(&file, status, true);
}

static void targets_change_at_the_end(void **unused)
{
    (void)unused;
    struct stat about;
    output_file file;
    put("a", "old");
    assert_int_equal(chmod("a", 0640), 0);
    assert_int_equal(output_open(&file, "a"), CLI_DONE);
    fputs("new", file.stream);
    fflush(file.stream);
    assert_holds("a", "old");
    assert_int_equal(output_close(&file, CLI_DONE, false), CLI_DONE);
    assert_holds("a", "new");
    assert_int_equal(stat("a", &about), 0);
    assert_int_equal(about.st_mode & 07777, 0640);
    assert_int_equal(write_output("a", "never seen", CLI_USAGE), CLI_USAGE);
    assert_holds("a", "new");
    assert_int_equal(write_output("b", "fresh", CLI_DONE), CLI_DONE);
    assert_holds("b", "fresh");
    assert_int_equal(output_open(&file, "nowhere/b"), CLI_FAILED);
    assert_int_equal(output_open(&file, "."), CLI_FAILED);
    assert_no_part();
}

static void links_stay(void **unused)
{
    (void)unused;
    struct stat about;
    assert_int_equal(mkdir("far", 0777), 0);
    put("far/end", "old");
    assert_int_equal(symlink("end", "far/link"), 0);
    assert_int_equal(symlink("far/link", "link"), 0);
    assert_int_equal(symlink("far/later", "dangling"), 0);
    assert_int_equal(symlink("circle", "circle"), 0);
    assert_int_equal(write_output("link", "new", CLI_DONE), CLI_DONE);
    assert_holds("far/end", "new");
    assert_int_equal(write_output("dangling", "made", CLI_DONE), CLI_DONE);
    assert_holds("far/later", "made");
    assert_true(lstat("link", &about) == 0 && S_ISLNK(about.st_mode));
    assert_true(lstat("far/link", &about) == 0 && S_ISLNK(about.st_mode));
    assert_true(lstat("dangling", &about) == 0 && S_ISLNK(about.st_mode));
    output_file file;
    assert_int_equal(output_open(&file, "circle"), CLI_FAILED);
    assert_no_part();
}

static void pipes_and_devices_are_written(void **unused)
{
    (void)unused;
    int ends[2];
    char path[40], text[4] = "";
    assert_int_equal(write_output("/dev/null", "x", CLI_DONE), CLI_DONE);
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    assert_int_equal(write_output(path, "abc", CLI_DONE), CLI_DONE);
    assert_int_equal(read(ends[0], text, 3), 3);
    assert_string_equal(text, "abc");
    close(ends[0]);
    close(ends[1]);
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(write_output("/dev/full", "x", CLI_DONE), CLI_FAILED);
    }
    assert_true(output_is_standard("-") && output_is_standard("/dev/stdout"));
    assert_false(output_is_standard("./-") || output_is_standard(NULL));
}

/* A child ends in the middle of its output: by a signal, or because the disk takes no more. */
static void interrupts_keep_the_old(void **unused)
{
    (void)unused;
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, 0};
    put("kept", "old");
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            output_file file;
            if (signals[i] == 0) {
                struct rlimit most = {10, 10};
                signal(SIGXFSZ, SIG_IGN);
                setrlimit(RLIMIT_FSIZE, &most);
            }
            _exit(output_open(&file, "kept") == CLI_DONE &&
                          fputs("half of what was to", file.stream) >= 0 &&
                          (signals[i] == 0 || (fflush(file.stream) == 0 && raise(signals[i]) == 0))
                      ? (int)output_close(&file, CLI_DONE, false)
                      : 99);
        }
        int how = 0;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(signals[i] != 0 ? WIFSIGNALED(how) && WTERMSIG(how) == signals[i]
                                    : WIFEXITED(how) && WEXITSTATUS(how) == CLI_FAILED);
        assert_holds("kept", "old");
        assert_no_part();
    }
}

static void outputs_are_no_inputs(void **unused)
{
    (void)unused;
    output_guard guard = {.count = 0};
    put("model", "m");
    assert_int_equal(link("model", "hard"), 0);
    assert_int_equal(symlink("model", "soft"), 0);
    assert_int_equal(symlink("fresh", "soft-fresh"), 0);
    assert_int_equal(mkdir("sub", 0777), 0);
    assert_int_equal(symlink("..", "sub/up"), 0);
    static const char *const inputs[] = {"model", "./model", "hard", "soft", "sub/up/model"};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        for (size_t k = 0; k < sizeof inputs / sizeof inputs[0]; k++) {
            assert_true(output_guard_add(&guard, "--json", inputs[k]));
            assert_false(output_guard_input(&guard, inputs[i]));
            assert_false(output_guard_add(&guard, "--html", inputs[i]));
            output_guard_free(&guard);
        }
    }
    /* Files that are not there yet. */
    assert_true(output_guard_add(&guard, "--json", "fresh"));
    assert_false(output_guard_add(&guard, "--csv", "sub/../fresh"));
    assert_false(output_guard_add(&guard, "--csv", "soft-fresh"));
    assert_true(output_guard_add(&guard, "--csv", "fresher"));
    assert_true(output_guard_add(&guard, "--html", "/dev/null"));
    assert_true(output_guard_add(&guard, "--junit", "/dev/null"));
    assert_true(output_guard_add(&guard, "--markdown", "-"));
    assert_true(output_guard_input(&guard, "model"));
    assert_true(output_guard_input(&guard, "not-there"));
    /* Files that a loader reads on its way. */
    pliant_files files = output_guard_files(&guard);
    uint64_t size = 0;
    char byte = 0;
    assert_true(files.size(files.user, "model", &size) && size == 1);
    assert_true(files.read(files.user, "model", 0, &byte, 1) && byte == 'm');
    assert_true(output_guard_holds(&guard));
    put("fresher", "x");
    output_guard_free(&guard);
    assert_true(output_guard_add(&guard, "--csv", "fresher"));
    files = output_guard_files(&guard);
    assert_false(files.size(files.user, "sub/../fresher", &size));
    assert_false(output_guard_holds(&guard));
    output_guard_free(&guard);
}

static char start[4096], folder[] = "/tmp/pliant-output-XXXXXX";

static int make_folder(void **unused)
{
    (void)unused;
    bool made = getcwd(start, sizeof start) != NULL && mkdtemp(folder) != NULL;
    return made && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **unused)
{
    (void)unused;
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return chdir(start) == 0 ? system(command) : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(targets_change_at_the_end),     cmocka_unit_test(links_stay),
        cmocka_unit_test(pipes_and_devices_are_written), cmocka_unit_test(interrupts_keep_the_old),
        cmocka_unit_test(outputs_are_no_inputs),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
