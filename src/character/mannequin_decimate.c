/* Mannequins with fewer faces than fingers need: extracted at the coarsest lattice, then decimated.
 * They serve as bodies in the distance, which dominate the cost of a crowd. */
#include "character/mannequin.h"
#include "collide/intersections.h"
#include "core/memory.h"
#include "mesh/decimate.h"

#include <string.h>

enum { MOST_TRIES = 12 };

/* Removes nodes without faces and compacts the arrays. `number` has room for all nodes. */
static void renumber(vo_mannequin *m, int *number) {
    vo_skin *skin = &m->skin;
    int count = 0;
    for (int n = 0; n < skin->node_count; n++) number[n] = -1;
    for (int i = 0; i < 3 * m->face_count; i++) number[m->face[i / 3][i % 3]] = 0;
    for (int n = 0; n < skin->node_count; n++) {
        if (number[n] < 0) continue;
        number[n] = count;
        skin->rest[count] = skin->rest[n];
        memmove(skin->bone[count], skin->bone[n], sizeof skin->bone[n]);
        memmove(skin->weight[count], skin->weight[n], sizeof skin->weight[n]);
        count++;
    }
    for (int i = 0; i < 3 * m->face_count; i++)
        m->face[i / 3][i % 3] = number[m->face[i / 3][i % 3]];
    skin->node_count = count;
}

static vo_result is_apart(vo_context *ctx, const vo_mannequin *m, bool *apart) {
    vo_intersections crossings = {0};
    vo_face_soup soup = {m->skin.rest, (const int(*)[3])m->face, m->face_count, m->face_count};
    vo_result result = vo_intersections_find(ctx, &crossings, &soup);
    *apart = crossings.count == 0;
    vo_intersections_free(ctx, &crossings);
    return result;
}

/* Creates a copy with fewer faces, whose arrays have their new sizes. */
static vo_result decimate_copy(vo_context *ctx, const vo_mannequin *from, int faces,
                               vo_mannequin *out) {
    vo_mannequin all;
    VO_TRY(vo_mannequin_copy(ctx, from, &all));
    int nodes = all.skin.node_count, count = all.face_count;
    int *number = vo_new_array(ctx, int, nodes);
    vo_result result =
        number ? vo_surface_decimate(ctx, nodes, all.skin.rest, faces, &all.face_count, all.face)
               : vo_fail_memory(ctx, "a mannequin");
    if (result == VO_OK) {
        renumber(&all, number);
        result = vo_mannequin_copy(ctx, &all, out);
    }
    vo_free_array(ctx, number, nodes);
    all.skin.node_count = nodes; /* capacity of the arrays */
    all.face_count = count;
    vo_mannequin_free(ctx, &all);
    return result;
}

/* Self-intersections of thin parts indicate too few faces: retries with a few more. */
vo_result vo_mannequin_decimate(vo_context *ctx, vo_mannequin *m, int faces) {
    for (int i = 0; i < MOST_TRIES; i++) {
        vo_mannequin coarse;
        bool apart;
        VO_TRY(decimate_copy(ctx, m, faces + faces * i / 32, &coarse));
        vo_result result = is_apart(ctx, &coarse, &apart);
        if (result == VO_OK && apart) {
            vo_mannequin_free(ctx, m);
            *m = coarse;
            return VO_OK;
        }
        vo_mannequin_free(ctx, &coarse);
        VO_TRY(result);
    }
    return vo_fail(ctx, VO_BAD_ARGUMENT,
                   "mannequin: parts of the body come through each other at %d faces; choose more",
                   faces);
}
