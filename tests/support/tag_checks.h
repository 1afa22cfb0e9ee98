/* Checks of calls that take a struct with a tag, whatever they are. */
#ifndef PLIANT_TESTS_TAG_CHECKS_H
#define PLIANT_TESTS_TAG_CHECKS_H

#include "fixture.h"

typedef struct tagged_call {
    const char *type;
    uint32_t size, tag;
    pliant_result (*call)(const void *given);
} tagged_call;

#define TAGGED_CALL(type, function)                                                                \
    (tagged_call)                                                                                  \
    {                                                                                              \
#type, (uint32_t)sizeof(type), type##_default().tag, function                              \
    }

/* Tags hold the sizes of their structs, and differ where the structs do. */
void check_tags_differ(const tagged_call *calls, int count);

/* What is zeroed or another struct is refused, with a sentence that says where to start. */
void check_others_refused(const tagged_call *calls, int count);

/* So is the right struct of another size; the sentence names both. */
void check_other_sizes_refused(const tagged_call *calls, int count);

#endif
