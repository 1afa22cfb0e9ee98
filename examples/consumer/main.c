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

    char header[32];
    snprintf(header, sizeof header, "%d.%d.%d", PLIANT_VERSION_MAJOR, PLIANT_VERSION_MINOR,
             PLIANT_VERSION_PATCH);
    printf("pliant %s\n", pliant_version());
    return strcmp(header, pliant_version()) == 0 ? 0 : 1;
}
