/* The smallest use of an installed Pliant. With pkg-config:
 *     cc main.c $(pkg-config --cflags --libs pliant) -o consumer
 */
#include <pliant/pliant.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    const pliant_triangle a = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}};
    const pliant_triangle b = {{{0.25f, 0.25f, -1}, {0.25f, 0.25f, 1}, {2, 2, 1}}};
    pliant_context *context = NULL;
    if (!pliant_triangle_overlap(&a, &b) || pliant_context_create(NULL, &context) != PLIANT_OK) {
        return 1;
    }
    pliant_context_destroy(context);

    /* The library that runs has the version of the headers, and says what else is in it. */
    printf("pliant %s\n", pliant_version());
    return strncmp(pliant_version(), PLIANT_VERSION_TEXT " ", sizeof PLIANT_VERSION_TEXT) == 0 ? 0
                                                                                               : 1;
}
