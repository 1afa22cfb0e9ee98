#include "characters.h"

#include <inttypes.h>

size_t text_character(const char *text, uint32_t *code)
{
    const unsigned char *bytes = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t size = bytes[0] < 0x80   ? 1
                  : bytes[0] < 0xc0 ? 0
                  : bytes[0] < 0xe0 ? 2
                  : bytes[0] < 0xf0 ? 3
                  : bytes[0] < 0xf8 ? 4
                                    : 0;
    *code = size > 1 ? bytes[0] & (0x7fu >> size) : bytes[0];
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (bytes[i] & 0x3fu);
    }
    bool is_surrogate = *code >= 0xd800 && *code < 0xe000;
    return *code < least[size] || *code > 0x10ffff || is_surrogate ? 0 : size;
}

bool text_is_visible(uint32_t code)
{
    static const uint32_t hidden[][2] = {
        {0x0000, 0x001f},   /* controls */
        {0x007f, 0x009f},   /* delete and more controls */
        {0x00ad, 0x00ad},   /* soft hyphen */
        {0x034f, 0x034f},   /* grapheme joiner */
        {0x061c, 0x061c},   /* Arabic letter mark */
        {0x115f, 0x1160},   /* Hangul fillers */
        {0x17b4, 0x17b5},   /* Khmer vowels without a shape */
        {0x180b, 0x180f},   /* Mongolian variation selectors */
        {0x200b, 0x200f},   /* zero width, left-to-right and right-to-left marks */
        {0x2028, 0x202e},   /* separators of lines and paragraphs, bidirectional controls */
        {0x2060, 0x206f},   /* word joiner, isolates, deprecated controls */
        {0x3164, 0x3164},   /* Hangul filler */
        {0xfe00, 0xfe0f},   /* variation selectors */
        {0xfeff, 0xfeff},   /* byte order mark */
        {0xffa0, 0xffa0},   /* Hangul filler */
        {0xfff0, 0xfffb},   /* unassigned, interlinear annotation */
        {0x1bca0, 0x1bca3}, /* shorthand controls */
        {0x1d173, 0x1d17a}, /* musical controls */
        {0xe0000, 0xe0fff}, /* tags, more variation selectors */
    };
    if ((code & 0xfffe) == 0xfffe || (code >= 0xfdd0 && code <= 0xfdef)) {
        return false; /* codes that will never be characters */
    }
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (code >= hidden[i][0] && code <= hidden[i][1]) {
            return false;
        }
    }
    return true;
}

size_t text_put(FILE *stream, const char *text)
{
    uint32_t code;
    size_t size = text_character(text, &code);
    bool visible = size > 0 && text_is_visible(code);
    if (stream != NULL) {
        fwrite(visible ? text : "?", 1, visible ? size : 1, stream);
    }
    return size > 0 ? size : 1;
}

int text_show(FILE *stream, const char *text)
{
    int width = 0;
    for (; *text != '\0'; width++) {
        text += text_put(stream, text);
    }
    return width;
}

const char *text_group(uint64_t number, char text[TEXT_GROUPED])
{
    char digits[TEXT_GROUPED];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number), out = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) {
            text[out++] = ',';
        }
        text[out++] = digits[i];
    }
    text[out] = '\0';
    return text;
}
