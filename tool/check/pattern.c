/* Names that fit a pattern, as a shell has them, without its C library: it is not everywhere. */
#include "check.h"

/* Whether a character is in the set that stands behind a '['; *end is set behind its ']'. A set
   that never ends is none: *end is NULL. */
static bool is_in_set(const char *set, char c, const char **end)
{
    bool inverted = *set == '!' || *set == '^', found = false;
    const char *at = set + inverted;
    *end = NULL;
    do {
        const unsigned char low = (unsigned char)*at;
        unsigned char high = low;
        if (low == '\0') {
            return false;
        }
        if (at[1] == '-' && at[2] != ']' && at[2] != '\0') {
            high = (unsigned char)at[2];
            at += 2;
        }
        at++;
        found = found || (low <= (unsigned char)c && (unsigned char)c <= high);
    } while (*at != ']');
    *end = at + 1;
    return found != inverted;
}

/* Whether the first character of a name fits the first of a pattern; *rest is the pattern after it.
 */
static bool fits_one(const char *pattern, char c, const char **rest)
{
    *rest = pattern + 1;
    if (*pattern == '[') {
        const char *end = NULL;
        bool found = is_in_set(pattern + 1, c, &end);
        if (end != NULL) {
            *rest = end;
            return found;
        }
    } else if (*pattern == '?') {
        return true;
    } else if (*pattern == '\\' && pattern[1] != '\0') {
        *rest = pattern + 2;
        return pattern[1] == c;
    }
    return *pattern == c;
}

/* A '*' takes as little as it can; where that leads nowhere, the last one takes one character more.
 */
bool check_name_fits(const char *pattern, const char *name)
{
    const char *star = NULL, *taken = NULL, *rest = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            taken = name;
        } else if (*pattern != '\0' && fits_one(pattern, *name, &rest)) {
            pattern = rest;
            name++;
        } else if (star != NULL) {
            pattern = star;
            name = ++taken;
        } else {
            return false;
        }
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == '\0';
}
