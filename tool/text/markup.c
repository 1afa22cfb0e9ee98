#include "markup.h"

#include <stdint.h>

#include "characters.h"

/* One character, for people. Returns its bytes. */
static size_t put_character(FILE *stream, const char *text)
{
    switch (*text) {
    case '&':
        fputs("&amp;", stream);
        break;
    case '<':
        fputs("&lt;", stream);
        break;
    case '>':
        fputs("&gt;", stream);
        break;
    case '"':
        fputs("&quot;", stream);
        break;
    default:
        return text_put(stream, text);
    }
    return 1;
}

void markup_text(FILE *stream, const char *text)
{
    while (*text != '\0') {
        if (*text == '\n' || *text == '\t') {
            fputc(*text++, stream);
        } else {
            text += put_character(stream, text);
        }
    }
}

void markup_xml_text(FILE *stream, const char *text)
{
    while (*text != '\0') {
        if (*text == '\n') {
            fputs("&#10;", stream);
            text++;
        } else if ((unsigned char)*text < 0x20) {
            fputc(' ', stream);
            text++;
        } else {
            text += put_character(stream, text);
        }
    }
}

void markup_base64(FILE *stream, const void *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i < 3 ? size - i : 3;
        uint32_t group = (uint32_t)bytes[i] << 16;
        group |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        group |= left > 2 ? bytes[i + 2] : 0;
        char text[4] = {digits[group >> 18], digits[group >> 12 & 63],
                        left > 1 ? digits[group >> 6 & 63] : '=',
                        left > 2 ? digits[group & 63] : '='};
        fwrite(text, 1, sizeof text, stream);
    }
}
