/* Names from files, lists of names from the command line, and words for numbers of things. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "tool/text/characters.h"

const char *check_plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

char *check_clean_text(const char *text)
{
    size_t length = strlen(text);
    char *clean = malloc(length + 1);
    if (clean == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < length;) {
        uint32_t code;
        size_t size = text_character(text + i, &code);
        if (size == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0)) {
            clean[i++] = '?';
        } else {
            memcpy(clean + i, text + i, size);
            i += size;
        }
    }
    clean[length] = '\0';
    return clean;
}

static bool fits(const char *pattern, const char *name)
{
    return strcmp(pattern, name) == 0 || check_name_fits(pattern, name);
}

const char *check_next_item(const char *list, char item[CHECK_ITEM])
{
    const char *end = strchr(list, ',');
    size_t length = end != NULL ? (size_t)(end - list) : strlen(list);
    length = length < CHECK_ITEM - 1 ? length : CHECK_ITEM - 1;
    memcpy(item, list, length);
    item[length] = '\0';
    return end != NULL ? end + 1 : NULL;
}

bool check_list_has(const char *list, const char *name)
{
    if (list != NULL && fits(list, name)) {
        return true;
    }
    while (list != NULL) {
        char item[CHECK_ITEM];
        list = check_next_item(list, item);
        if (fits(item, name)) {
            return true;
        }
    }
    return false;
}

bool check_list_has_pair(const char *list, const char *a, const char *b)
{
    while (list != NULL) {
        char item[CHECK_ITEM];
        list = check_next_item(list, item);
        /* Names may hold a '+' too: every one may be the one between the two. */
        for (char *plus = strchr(item, '+'); plus != NULL; plus = strchr(plus + 1, '+')) {
            *plus = '\0';
            bool found =
                (fits(item, a) && fits(plus + 1, b)) || (fits(item, b) && fits(plus + 1, a));
            *plus = '+';
            if (found) {
                return true;
            }
        }
    }
    return false;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether one begins as the other does, whatever the case, for most of the shorter one's length. */
bool check_is_alike(const char *item, const char *name)
{
    for (const char *from = name; *from != '\0'; from++) {
        size_t same = 0;
        while (item[same] != '\0' && lower(item[same]) == lower(from[same])) {
            same++;
        }
        size_t length = strlen(item);
        if (same >= 3 && 4 * same >= 3 * length) {
            return true;
        }
    }
    return false;
}
