#include "markup.h"

#include <stdint.h>

static void put_character(FILE *stream, char character)
{
    switch (character) {
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
        fputc(character, stream);
        break;
    }
}

void markup_text(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        put_character(stream, *text);
    }
}

void markup_xml_text(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            fputs("&#10;", stream);
        } else {
            put_character(stream, (unsigned char)*text < 0x20 ? ' ' : *text);
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
