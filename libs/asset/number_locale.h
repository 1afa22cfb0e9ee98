/* Numbers in files are written with a point, whatever the caller's language. */
#ifndef PLI_ASSET_NUMBER_LOCALE_H
#define PLI_ASSET_NUMBER_LOCALE_H

#include <locale.h>

#if defined(_WIN32)
#include <string.h>

typedef struct pli_number_locale {
    int per_thread;
    char callers[128];
} pli_number_locale;

/* Makes this thread read and write numbers as the C language does. */
static inline pli_number_locale pli_number_locale_enter(void)
{
    pli_number_locale saved = {.per_thread = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE)};
    const char *callers = setlocale(LC_NUMERIC, NULL);
    if (callers != NULL && strlen(callers) < sizeof saved.callers) {
        strcpy(saved.callers, callers);
        setlocale(LC_NUMERIC, "C");
    }
    return saved;
}

static inline void pli_number_locale_leave(pli_number_locale saved)
{
    if (saved.callers[0] != '\0') {
        setlocale(LC_NUMERIC, saved.callers);
    }
    _configthreadlocale(saved.per_thread);
}
#else
typedef struct pli_number_locale {
    locale_t numbers, callers;
} pli_number_locale;

/* Makes this thread read and write numbers as the C language does. */
static inline pli_number_locale pli_number_locale_enter(void)
{
    pli_number_locale saved = {.numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0)};
    if (saved.numbers != (locale_t)0) {
        saved.callers = uselocale(saved.numbers);
    }
    return saved;
}

static inline void pli_number_locale_leave(pli_number_locale saved)
{
    if (saved.numbers != (locale_t)0) {
        uselocale(saved.callers);
        freelocale(saved.numbers);
    }
}
#endif

#endif
