/* Mannequins coarser than their fingers: made as coarse as a lattice can, then thinned. For bodies
 * in the distance, whose fingers nobody sees, and which are most of what a crowd costs. */
#include "collide/crossings.h"
#include "core/memory.h"
#include "mesh/thin.h"
#include "scene/mannequin.h"

#include <string.h>

enum { MOST_TRIES = 12 };

/* Nodes without a face go; the others move up. `number` has room for all. */
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
        memmove(skin->share[count], skin->share[n], sizeof skin->share[n]);
        count++;
    }
    for (int i = 0; i < 3 * m->face_count; i++)
        m->face[i / 3][i % 3] = number[m->face[i / 3][i % 3]];
    skin->node_count = count;
}

static vo_result is_apart(vo_context *ctx, const vo_mannequin *m, bool *apart) {
    vo_crossings crossings = {0};
    vo_face_soup soup = {m->skin.rest, (const int(*)[3])m->face, m->face_count, m->face_count};
    vo_result result = vo_crossings_find(ctx, &crossings, &soup);
    *apart = crossings.count == 0;
    vo_crossings_free(ctx, &crossings);
    return result;
}

/* A copy of the mannequin with fewer faces, whose arrays have their new sizes. */
static vo_result thin(vo_context *ctx, const vo_mannequin *from, int faces, vo_mannequin *out) {
    vo_mannequin all;
    VO_TRY(vo_mannequin_copy(ctx, from, &all));
    int nodes = all.skin.node_count, count = all.face_count;
    int *number = vo_new_array(ctx, int, nodes);
    vo_result result =
        number ? vo_surface_thin(ctx, nodes, all.skin.rest, faces, &all.face_count, all.face)
               : vo_fail_memory(ctx, "a mannequin");
    if (result == VO_OK) {
        renumber(&all, number);
        result = vo_mannequin_copy(ctx, &all, out);
    }
    vo_free_array(ctx, number, nodes);
    all.skin.node_count = nodes; /* as they were made */
    all.face_count = count;
    vo_mannequin_free(ctx, &all);
    return result;
}

/* Where thin parts come through each other there were too few faces for them: a few more are
 * tried. */
vo_result vo_mannequin_thin(vo_context *ctx, vo_mannequin *m, int faces) {
    for (int i = 0; i < MOST_TRIES; i++) {
        vo_mannequin coarse;
        bool apart;
        VO_TRY(thin(ctx, m, faces + faces * i / 32, &coarse));
        vo_result result = is_apart(ctx, &coarse, &apart);
        if (result == VO_OK && apart) {
            vo_mannequin_free(ctx, m);
            *m = coarse;
            return VO_OK;
        }
        vo_mannequin_free(ctx, &coarse);
        VO_TRY(result);
    }
    return vo_fail(ctx, VO_BAD_CALL,
                   "mannequin: parts of the body come through each other at %d faces; choose more",
                   faces);
}
