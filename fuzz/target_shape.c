/* Fuzzing of the shape block's reader: reads the bytes, and uses the shape if there is one. */
#include "pliant/pliant.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(pliant_context *context, const pliant_shape *shape)
{
    pliant_body *body = NULL;
    pliant_query *query = NULL;
    pliant_contacts contacts;
    pliant_box box;
    if (pliant_body_create(shape, NULL, &body) == PLIANT_OK &&
        pliant_query_create(context, &query) == PLIANT_OK) {
        pliant_collide_self(query, body, NULL, &contacts);
        pliant_body_bounds(body, &box);
    }
    pliant_query_destroy(query);
    pliant_body_destroy(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pliant_context *context = NULL;
    pliant_shape *shape = NULL;
    if (pliant_context_create(NULL, &context) == PLIANT_OK &&
        pliant_shape_read(context, data, size, &shape) == PLIANT_OK) {
        use(context, shape);
    }
    pliant_shape_destroy(shape);
    pliant_context_destroy(context);
    return 0;
}
