/* Grids of quadrilaterals that were divided into triangles by diagonals of any direction. With
 * parallel diagonals they have subdivision connectivity (levels_detect.c), and their vertices stay.
 *
 *        +---+---+      +---+---+     Two faces make a cell if the edge between them is the longest
 *        |\  |  /|      |  /|  /|     of both in material space. Each cell divides the next one
 *        |  \|/  |  ->  |/  |/  |     across an edge in the same direction; corners of a cell are
 *        +---+---+      +---+---+     numbered, and edge k runs from corner k to k + 1, so a cell
 *                                     with the diagonal 0-2 (1-3) has a neighbour with 0-2 (1-3) if
 * its own number of the common edge differs by an even number, with the other one if by an odd. */
#include "cook/levels.h"
#include "core/memory.h"

#include <string.h>

enum { UNKNOWN = 2 };

typedef struct cell {
    int face[2];
    int vert[4];      /* counter-clockwise; the diagonal is 0-2 */
    int edge[4];      /* from vert[k] to vert[k + 1] */
    uint8_t diagonal; /* new one: 0: 0-2, 1: 1-3 */
} cell;

typedef struct grid {
    const vo_mesh *mesh;
    cell *cell; /* [cell_count] */
    int cell_count;
    int *cell_of; /* [face_count] */
    int *queue;   /* [cell_count] */
} grid;

static int longest_side(const vo_mesh *m, int face) {
    int longest = 0;
    double length[3];
    for (int k = 0; k < 3; k++) {
        const int *v = m->face_vert[face];
        length[k] = v2_length(v2_sub(m->vert_u[v[(k + 1) % 3]], m->vert_u[v[k]]));
        if (length[k] > length[longest]) longest = k;
    }
    return longest;
}

/* Corners a, d, b, c of the faces (a, b, c) and (b, a, d), whose side s and t is a-b. */
static cell create_cell(const vo_mesh *m, int f, int s, int g, int t) {
    const int *v = m->face_vert[f], *e = m->face_edge[f], *h = m->face_edge[g];
    return (cell){.face = {f, g},
                  .vert = {v[s], m->face_vert[g][(t + 2) % 3], v[(s + 1) % 3], v[(s + 2) % 3]},
                  .edge = {h[(t + 1) % 3], h[(t + 2) % 3], e[(s + 1) % 3], e[(s + 2) % 3]},
                  .diagonal = UNKNOWN};
}

static bool find_cells(grid *g) {
    const vo_mesh *m = g->mesh;
    for (int f = 0; f < m->face_count; f++) {
        int s = longest_side(m, f), edge = m->face_edge[f][s];
        if (!vo_cook_is_smooth_edge(m, edge)) return false;
        int other = m->edge_face[edge][m->edge_face[edge][0] == f], t = longest_side(m, other);
        if (m->face_edge[other][t] != edge) return false;
        if (other < f) continue;
        g->cell_of[f] = g->cell_of[other] = g->cell_count;
        g->cell[g->cell_count++] = create_cell(m, f, s, other, t);
    }
    return true;
}

/* Sets the diagonals of the cells around one. */
static bool spread(grid *g, int index, int *queued) {
    const vo_mesh *m = g->mesh;
    const cell *c = &g->cell[index];
    for (int k = 0; k < 4; k++) {
        const int *side = m->edge_face[c->edge[k]];
        if (side[1] < 0) continue;
        int a = g->cell_of[side[0]], other = a == index ? g->cell_of[side[1]] : a, j = 0;
        if (other == index) return false;
        cell *next = &g->cell[other];
        while (j < 3 && next->edge[j] != c->edge[k]) j++;
        uint8_t diagonal = (uint8_t)((c->diagonal + k + j) & 1);
        if (next->diagonal == UNKNOWN) {
            next->diagonal = diagonal;
            g->queue[(*queued)++] = other;
        }
        if (next->diagonal != diagonal) return false;
    }
    return true;
}

static bool align_diagonals(grid *g) {
    int queued = 0;
    for (int i = 0, at = 0; i < g->cell_count; i++) {
        if (g->cell[i].diagonal != UNKNOWN) continue;
        g->cell[i].diagonal = 0;
        g->queue[queued++] = i;
        for (; at < queued; at++)
            if (!spread(g, g->queue[at], &queued)) return false;
    }
    return true;
}

/* Writes the faces of a cell; false if one would have no positive area in material space. */
static bool divide(const grid *g, const cell *c, int (*face)[3]) {
    const vo_vec2 *u = g->mesh->vert_u;
    int first = c->diagonal;
    for (int k = 0; k < 2; k++) {
        int *f = face[c->face[k]];
        for (int i = 0; i < 3; i++) f[i] = c->vert[(first + (i ? i + k : 0)) & 3];
        if (!(v2_cross(v2_sub(u[f[1]], u[f[0]]), v2_sub(u[f[2]], u[f[0]])) > 0)) return false;
    }
    return true;
}

/* Builds the mesh with other faces; everything else is that of the grid. */
static vo_result build(vo_context *ctx, const vo_mesh *m, int (*face)[3], vo_mesh **out) {
    vo_mesh_data d = {.node_count = m->node_count,
                      .vert_count = m->vert_count,
                      .face_count = m->face_count,
                      .node_x = m->node_x,
                      .node_label = m->node_label,
                      .vert_u = m->vert_u,
                      .vert_node = m->vert_node,
                      .vert_label = m->vert_label,
                      .face_vert = face,
                      .face_label = m->face_label};
    vo_arena arena;
    vo_arena_init(&arena, ctx);
    /* Only edges with a label, which no diagonal has. */
    d.edge_node = vo_arena_alloc(&arena, (size_t)m->edge_count * sizeof *d.edge_node);
    d.edge_label = vo_arena_array(&arena, int, m->edge_count);
    vo_result result;
    if (d.edge_node && d.edge_label) {
        for (int e = 0; e < m->edge_count; e++) {
            if (m->edge_label[e] == 0) continue;
            memcpy(d.edge_node[d.edge_count], m->edge_node[e], sizeof *d.edge_node);
            d.edge_label[d.edge_count++] = m->edge_label[e];
        }
        result = vo_mesh_build(ctx, &d, out);
    } else {
        result = vo_fail_memory(ctx, "a grid");
    }
    vo_arena_free(&arena);
    return result;
}

static vo_result align(vo_context *ctx, vo_arena *arena, const vo_mesh *mesh, vo_mesh **out) {
    grid g = {.mesh = mesh,
              .cell = vo_arena_array(arena, cell, mesh->face_count),
              .cell_of = vo_arena_array(arena, int, mesh->face_count),
              .queue = vo_arena_array(arena, int, mesh->face_count)};
    int(*face)[3] = vo_arena_alloc(arena, (size_t)mesh->face_count * sizeof *face);
    if (!g.cell || !g.cell_of || !g.queue || !face) return vo_fail_memory(ctx, "a grid");
    if (!find_cells(&g) || !align_diagonals(&g)) return VO_OK;
    for (int i = 0; i < g.cell_count; i++)
        if (!divide(&g, &g.cell[i], face)) return VO_OK;
    return build(ctx, mesh, face, out);
}

vo_result vo_cook_align_grid(vo_context *ctx, const vo_mesh *mesh, vo_mesh **out) {
    vo_arena arena;
    *out = NULL;
    if (mesh->face_count % 2 != 0) return VO_OK;
    vo_arena_init(&arena, ctx);
    vo_result result = align(ctx, &arena, mesh, out);
    vo_arena_free(&arena);
    return result;
}
