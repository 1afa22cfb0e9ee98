/* Characters of names: which ones are UTF-8, and how each form of output writes the others. */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/text/characters.h"
#include "tool/text/json.h"
#include "tool/text/markup.h"

/* Encodes any code, also those that UTF-8 does not have, in a number of bytes. */
static void encode(uint32_t code, size_t size, char *text)
{
    static const uint32_t first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1;) {
        text[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    text[0] = (char)(first[size] | code);
    text[size] = '\0';
}

static void every_code_is_read(void **unused)
{
    (void)unused;
    static const uint32_t ends[] = {0, 0x80, 0x800, 0x10000, 0x200000};
    for (uint32_t code = 1; code < 0x200000; code++) {
        for (size_t size = 1; size <= 4; size++) {
            char text[5];
            uint32_t read = 0;
            if (code >= ends[size]) {
                continue; /* needs more bytes */
            }
            encode(code, size, text);
            bool good =
                code >= ends[size - 1] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
            if (text_character(text, &read) != (good ? size : 0) || (good && read != code)) {
                fail_msg("code %x in %zu bytes", (unsigned)code, size);
            }
            for (size_t cut = 1; good && cut < size; cut++) {
                text[size - cut] = '\0';
                assert_int_equal(text_character(text, &read), 0);
            }
        }
    }
}

/* Visible text stays, everything else is one '?'. */
static const char *const cases[][2] = {
    {"Sword_left #2", "Sword_left #2"},
    {"\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80", "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80"},
    {"a\x1b[2J\x7f", "a?[2J?"},
    {"a\xc2\x9b", "a?"},                               /* a control of two bytes */
    {"\xe2\x80\xaegnp.exe\xe2\x80\xac", "?gnp.exe?"},  /* right-to-left override */
    {"a\xe2\x80\x8b\xe2\x81\xa0\xef\xbb\xbf", "a???"}, /* no width */
    {"\xe2\x81\xa6x\xe2\x81\xa9", "?x?"},              /* isolates */
    {"\xef\xbf\xbe\xef\xbf\xbf", "??"},                /* U+FFFE and U+FFFF are no characters */
    {"\xf0\x9f\xbf\xbf", "?"},                         /* U+1FFFF is no character either */
    {"\xf3\xa0\x81\x81", "?"},                         /* a tag */
    {"\xff\xc3\xed\xa0\x80", "?????"},                 /* no UTF-8 */
};
#define CASES (sizeof cases / sizeof cases[0])

static void terminals_get_what_is_seen(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < CASES; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        assert_non_null(stream);
        int width = text_show(stream, cases[i][0]);
        assert_int_equal(width, text_show(NULL, cases[i][0]));
        assert_int_equal(fclose(stream), 0);
        assert_string_equal(text, cases[i][1]);
        free(text);
    }
}

static void markup_gets_it_too(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < CASES; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&text, &size);
        assert_non_null(stream);
        markup_text(stream, cases[i][0]);
        fputc('|', stream);
        markup_text(stream, "<a&\"b>");
        fputc('|', stream);
        markup_xml_text(stream, "x\ny\tz\xef\xbf\xbe");
        assert_int_equal(fclose(stream), 0);
        char expected[200];
        snprintf(expected, sizeof expected, "%s|&lt;a&amp;&quot;b&gt;|x&#10;y z?", cases[i][1]);
        assert_string_equal(text, expected);
        free(text);
    }
}

static void json_loses_nothing(void **unused)
{
    (void)unused;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    json_writer json = json_begin(stream);
    json_put_string(
        &json, NULL,
        "\"\\\x01\x7f\xe2\x80\xae\xe2\x80\xac\xef\xbf\xbe\xf3\xa0\x81\x81\xc3\xa9\xff\xf0\x9f");
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(text, "\"\\\"\\\\\\u0001\\u007f\\u202e\\u202c\\ufffe\\udb40\\udc41\xc3\xa9"
                              "\\ufffd\\ufffd\\ufffd\"");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_is_read),
        cmocka_unit_test(terminals_get_what_is_seen),
        cmocka_unit_test(markup_gets_it_too),
        cmocka_unit_test(json_loses_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
