#include "shown.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* One unit of a text: a character, or a byte that begins none. */
typedef struct unit {
    uint32_t code; /* of the character; otherwise the byte */
    size_t size;   /* in the text */
    bool is_character;
} unit;

/* Reads a unit of UTF-8. Overlong forms, surrogates and codes above 0x10ffff are bytes. */
static unit next_unit(const uint8_t *at, size_t left)
{
    unit byte = {.code = at[0], .size = 1, .is_character = at[0] < 0x80};
    size_t size = at[0] < 0xc2 ? 1 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : at[0] < 0xf5 ? 4 : 1;
    if (size == 1 || size > left) {
        return byte;
    }
    uint32_t code = at[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return byte;
        }
        code = code << 6 | (at[i] & 0x3f);
    }
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    bool valid = code >= least[size] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return valid ? (unit){code, size, true} : byte;
}

/* Returns true for characters that control a terminal, change the direction of text, have no width
   or are no characters. */
static bool is_unsafe(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        {0x0000, 0x001f}, {0x007f, 0x009f},   {0x00ad, 0x00ad},   {0x034f, 0x034f},
        {0x061c, 0x061c}, {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},
        {0x200b, 0x200f}, {0x2028, 0x202e},   {0x2060, 0x206f},   {0x3164, 0x3164},
        {0xfdd0, 0xfdef}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
        {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (code >= ranges[i][0] && code <= ranges[i][1]) {
            return true;
        }
    }
    return (code & 0xfffe) == 0xfffe; /* the last two of each plane */
}

const char *pli_show(char *shown, size_t room, const char *text, size_t size)
{
    static const char cut[] = "...";
    size_t used = 0, fitting = 0; /* the latter: with the mark of a cut behind it */
    for (size_t at = 0; at < size;) {
        unit next = next_unit((const uint8_t *)text + at, size - at);
        char piece[12];
        size_t length = next.size;
        bool unsafe = is_unsafe(next.code);
        if (!next.is_character || (unsafe && next.code < 0x80)) {
            length = (size_t)snprintf(piece, sizeof piece, "\\x%02x", (unsigned)next.code);
        } else if (unsafe) {
            length = (size_t)snprintf(piece, sizeof piece,
                                      next.code <= 0xffff ? "\\u%04x" : "\\U%08x", next.code);
        } else {
            memcpy(piece, text + at, length);
        }
        if (used + length >= room) {
            memcpy(shown + fitting, cut, sizeof cut);
            return shown;
        }
        memcpy(shown + used, piece, length);
        used += length;
        fitting = used + sizeof cut <= room ? used : fitting;
        at += next.size;
    }
    shown[used] = '\0';
    return shown;
}

const char *pli_show_string(char *shown, size_t room, const char *text)
{
    return pli_show(shown, room, text, strlen(text));
}

const char *pli_show_end(char *shown, size_t room, const char *text)
{
    size_t length = strlen(text);
    const char *end = length > room - 2 ? text + length - (room - 2) : text;
    while (end > text && ((uint8_t)*end & 0xc0) == 0x80) {
        end++; /* not inside a character */
    }
    return pli_show_string(shown, room, end);
}
