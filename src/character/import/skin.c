/* Linear blend skinning of imported characters. */
#include "character/import/import.h"
#include "core/parallel.h"

enum { SKIN_GRAIN = 1024 };

typedef struct skin_work {
    const vo_character *character;
    const vo_affine *motion; /* [bind_count] bind pose -> world */
    vo_vec3 *x;
} skin_work;

static vo_vec3 skin_node(const skin_work *w, int node) {
    const vo_character *c = w->character;
    vo_vec3 sum = v3_zero();
    for (int i = c->weight_begin[node]; i < c->weight_begin[node + 1]; i++) {
        vo_vec3 p = vo_affine_point(w->motion[c->weight_bind[i]], c->node_x[node]);
        sum = v3_add_scaled(sum, c->weight[i], p);
    }
    return sum;
}

static void skin_range(void *arg, int begin, int end, int chunk) {
    const skin_work *w = arg;
    (void)chunk;
    for (int n = begin; n < end; n++) w->x[n] = skin_node(w, n);
}

void vo_character_skin_linear(vo_context *ctx, const vo_character *character,
                              const vo_affine *motion, vo_vec3 *x) {
    skin_work work = {character, motion, x};
    vo_parallel_for(ctx, character->node_count, SKIN_GRAIN, skin_range, &work);
}
