#include "json.h"

#include <inttypes.h>
#include <math.h>

#include "characters.h"

json_writer json_begin(FILE *stream)
{
    json_writer json = {.stream = stream, .depth = 0, .first = true};
    return json;
}

void json_end(json_writer *json)
{
    fputc('\n', json->stream);
}

/* Escapes invisible characters: nothing is lost, and a terminal shows the text safely. */
static void write_string(json_writer *json, const char *text)
{
    fputc('"', json->stream);
    for (uint32_t code; *text != '\0';) {
        size_t size = text_character(text, &code);
        if (size == 0) {
            fputs("\\ufffd", json->stream); /* no UTF-8 */
        } else if (code == '"' || code == '\\') {
            fprintf(json->stream, "\\%c", (int)code);
        } else if (text_is_visible(code)) {
            fwrite(text, 1, size, json->stream);
        } else if (code < 0x10000) {
            fprintf(json->stream, "\\u%04x", (unsigned)code);
        } else {
            fprintf(json->stream, "\\u%04x\\u%04x", (unsigned)(0xd7c0 + (code >> 10)),
                    (unsigned)(0xdc00 + (code & 0x3ff)));
        }
        text += size > 0 ? size : 1;
    }
    fputc('"', json->stream);
}

static void new_line(json_writer *json)
{
    fprintf(json->stream, "\n%*s", (int)(2 * json->depth), "");
}

/* What comes before any value: a comma, a line of its own, the key. */
static void begin_value(json_writer *json, const char *key)
{
    if (!json->first) {
        fputc(',', json->stream);
    }
    if (json->depth > 0) {
        new_line(json);
    }
    json->first = false;
    if (key != NULL) {
        write_string(json, key);
        fputs(": ", json->stream);
    }
}

static void open_group(json_writer *json, const char *key, char bracket)
{
    begin_value(json, key);
    fputc(bracket, json->stream);
    json->depth++;
    json->first = true;
}

static void close_group(json_writer *json, char bracket)
{
    json->depth--;
    if (!json->first) {
        new_line(json);
    }
    fputc(bracket, json->stream);
    json->first = false;
}

void json_open_object(json_writer *json, const char *key)
{
    open_group(json, key, '{');
}

void json_close_object(json_writer *json)
{
    close_group(json, '}');
}

void json_open_array(json_writer *json, const char *key)
{
    open_group(json, key, '[');
}

void json_close_array(json_writer *json)
{
    close_group(json, ']');
}

void json_put_string(json_writer *json, const char *key, const char *text)
{
    begin_value(json, key);
    write_string(json, text);
}

void json_put_integer(json_writer *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    fprintf(json->stream, "%" PRIu64, value);
}

/* Counts are written whole, measurements with six digits. */
static void write_number(json_writer *json, double value)
{
    if (!isfinite(value)) {
        fputs("null", json->stream);
    } else if (value == floor(value) && fabs(value) < 0x1p53) {
        fprintf(json->stream, "%.0f", value);
    } else {
        fprintf(json->stream, "%.6g", value);
    }
}

void json_number(json_writer *json, const char *key, double value)
{
    begin_value(json, key);
    write_number(json, value);
}

void json_numbers(json_writer *json, const char *key, const double *values, uint64_t count)
{
    begin_value(json, key);
    fputc('[', json->stream);
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0) {
            fputs(", ", json->stream);
        }
        write_number(json, values[i]);
    }
    fputc(']', json->stream);
}
