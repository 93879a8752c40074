/* Detection of subdivision connectivity.
 *
 * After Taubin 2000, "Detecting and Reconstructing Subdivision Connectivity". A mesh that results
 * from 1-to-4 splits is covered by tiles: a middle face and the three faces across its edges.
 *
 *              A            Corner nodes A B C of tiles are even, the others odd. The role of one
 *             / \           face determines that of its neighbours: across its edges a middle face
 *            o---o          has corner faces, whose even node is the opposite one; a corner face
 *           / \ / \         has the middle face opposite its even node, and across its other edges
 *          B---o---C        corner faces with the same even node.
 *
 * So four hypotheses about the first face of each connected component are tested. Odd nodes have
 * three faces per side. A tile is accepted only if nothing inside it would be lost: no seam or
 * labelled edge between its faces, one face label, and labels of odd nodes that are those of the
 * midpoints of labelled nodes. Triangulated grids with parallel diagonals are covered as well: a
 * cell of 2 x 2 cells makes two tiles. */
#include "cook/levels.h"
#include "core/memory.h"

#include <string.h>

enum { MIDDLE = 3, UNKNOWN = 4 }; /* roles of a face besides the corner of its even node */

/* A face of the next coarser mesh: the faces at its corners, then the middle one. turn[k] is the
 * corner of face[k] at corner k of the tile; of the middle face, the one opposite corner 0. */
typedef struct tile {
    int face[4];
    uint8_t turn[4];
} tile;

typedef struct detection {
    vo_context *ctx;
    const vo_mesh *mesh;
    uint8_t *role; /* [face_count] */
    int *queue;    /* [face_count] faces whose role is known, in order */
    int queue_count;
} detection;

/* Index of the edge in the face. */
static int edge_index(const vo_mesh *m, int face, int edge) {
    const int *e = m->face_edge[face];
    return e[0] == edge ? 0 : e[1] == edge ? 1 : 2;
}

/* Face across edge i, from corner i to i + 1; -1: border. */
static int across(const vo_mesh *m, int face, int i) {
    const int *side = m->edge_face[m->face_edge[face][i]];
    return side[0] == face ? side[1] : side[0];
}

/* --- Roles ------------------------------------------------------------------------------------ */

static bool set_role(detection *d, int face, int role) {
    if (d->role[face] != UNKNOWN) return d->role[face] == role;
    d->role[face] = (uint8_t)role;
    d->queue[d->queue_count++] = face;
    return true;
}

/* Corner of `other` opposite the common edge. */
static int opposite_corner(const vo_mesh *m, int other, int edge) {
    return (edge_index(m, other, edge) + 2) % 3;
}

static bool spread_middle(detection *d, int face) {
    const vo_mesh *m = d->mesh;
    for (int i = 0; i < 3; i++) {
        int edge = m->face_edge[face][i], other = across(m, face, i);
        if (!vo_cook_is_smooth_edge(m, edge) ||
            !set_role(d, other, opposite_corner(m, other, edge)))
            return false;
    }
    return true;
}

/* Corner of a face at a node. */
static int corner_at(const vo_mesh *m, int face, int node) {
    int k = 0;
    while (k < 2 && vo_mesh_face_node(m, face, k) != node) k++;
    return k;
}

static bool spread_corner(detection *d, int face) {
    const vo_mesh *m = d->mesh;
    int even = d->role[face], middle = across(m, face, (even + 1) % 3);
    if (middle < 0 || !set_role(d, middle, MIDDLE)) return false;
    for (int i = 0; i < 2; i++) {
        int other = across(m, face, (even + 2 * i) % 3);
        if (other < 0) continue;
        if (!set_role(d, other, corner_at(m, other, vo_mesh_face_node(m, face, even))))
            return false;
    }
    return true;
}

/* Tests one hypothesis; a failed one is undone. */
static bool spread_from(detection *d, int face, int role) {
    int first = d->queue_count;
    bool is_consistent = set_role(d, face, role);
    for (int i = first; is_consistent && i < d->queue_count; i++) {
        int at = d->queue[i];
        is_consistent = d->role[at] == MIDDLE ? spread_middle(d, at) : spread_corner(d, at);
    }
    if (is_consistent) return true;
    while (d->queue_count > first) d->role[d->queue[--d->queue_count]] = UNKNOWN;
    return false;
}

static bool find_roles(detection *d) {
    const int order[4] = {MIDDLE, 0, 1, 2};
    memset(d->role, UNKNOWN, (size_t)d->mesh->face_count);
    for (int f = 0; f < d->mesh->face_count; f++) {
        bool is_known = d->role[f] != UNKNOWN;
        for (int i = 0; i < 4 && !is_known; i++) is_known = spread_from(d, f, order[i]);
        if (!is_known) return false;
    }
    return true;
}

/* --- Tiles ------------------------------------------------------------------------------------ */

static tile tile_of(const detection *d, int middle) {
    tile t = {.face = {0, 0, 0, middle}, .turn = {0}};
    for (int k = 0; k < 3; k++) {
        t.face[k] = across(d->mesh, middle, (k + 1) % 3);
        t.turn[k] = d->role[t.face[k]];
    }
    return t;
}

static int tile_vert(const vo_mesh *m, const tile *t, int corner) {
    return m->face_vert[t->face[corner]][t->turn[corner]];
}

/* The label of a midpoint is the one that the ends have in common. */
static bool are_labels_kept(const vo_mesh *m, const tile *t) {
    for (int k = 0; k < 3; k++) {
        int a = m->node_label[m->vert_node[tile_vert(m, t, (k + 1) % 3)]];
        int b = m->node_label[m->vert_node[tile_vert(m, t, (k + 2) % 3)]];
        int middle = m->node_label[vo_mesh_face_node(m, t->face[3], k)];
        if (middle != 0 ? a != middle || b != middle : a != 0 && b != 0) return false;
    }
    return true;
}

/* Odd nodes have three faces per tile at their edge: six, or three on a border. */
static bool are_degrees_valid(const vo_mesh *m, const detection *d, int *degree, int *border) {
    memset(degree, 0, (size_t)m->node_count * sizeof *degree);
    memset(border, 0, (size_t)m->node_count * sizeof *border);
    for (int i = 0; i < 3 * m->face_count; i++) degree[vo_mesh_face_node(m, i / 3, i % 3)]++;
    for (int e = 0; e < m->edge_count; e++)
        for (int k = 0; k < 2 && m->edge_face[e][1] < 0; k++) border[m->edge_node[e][k]]++;
    for (int f = 0; f < m->face_count; f++)
        for (int k = 0; k < 3 && d->role[f] == MIDDLE; k++) {
            int n = vo_mesh_face_node(m, f, k);
            if (degree[n] != (border[n] ? 3 : 6)) return false;
        }
    return true;
}

/* Both halves of the edges of a tile have the same label. */
static bool are_edges_alike(const vo_mesh *m, const tile *t) {
    for (int k = 0; k < 3; k++) {
        int a = m->face_edge[t->face[k]][t->turn[k]], next = (k + 1) % 3;
        int b = m->face_edge[t->face[next]][(t->turn[next] + 2) % 3];
        if (m->edge_label[a] != m->edge_label[b]) return false;
    }
    return true;
}

static bool are_tiles_valid(const vo_mesh *m, const tile *t, int count) {
    for (int i = 0; i < count; i++)
        if (!are_labels_kept(m, &t[i]) || !are_edges_alike(m, &t[i])) return false;
    return true;
}

/* Fills `tiles` [face_count / 4]; false if the mesh has no subdivision connectivity. */
static bool find_tiles(detection *d, int *scratch[2], tile *tiles) {
    int count = 0;
    if (!find_roles(d) || !are_degrees_valid(d->mesh, d, scratch[0], scratch[1])) return false;
    for (int f = 0; f < d->mesh->face_count; f++)
        if (d->role[f] == MIDDLE) tiles[count++] = tile_of(d, f);
    return 4 * count == d->mesh->face_count && are_tiles_valid(d->mesh, tiles, count);
}

/* --- Coarse mesh ------------------------------------------------------------------------------ */

static bool allocate_data(vo_arena *a, vo_mesh_data *d, const vo_mesh *m) {
    d->node_x = vo_arena_array(a, vo_vec3, m->node_count);
    d->node_label = vo_arena_array(a, int, m->node_count);
    d->vert_u = vo_arena_array(a, vo_vec2, m->vert_count);
    d->vert_node = vo_arena_array(a, int, m->vert_count);
    d->vert_label = vo_arena_array(a, int, m->vert_count);
    d->face_vert = vo_arena_alloc(a, (size_t)d->face_count * sizeof *d->face_vert);
    d->face_label = vo_arena_array(a, int, d->face_count);
    d->edge_node = vo_arena_alloc(a, 3 * (size_t)d->face_count * sizeof *d->edge_node);
    d->edge_label = vo_arena_array(a, int, 3 * d->face_count);
    return d->node_x && d->node_label && d->vert_u && d->vert_node && d->vert_label &&
           d->face_vert && d->face_label && d->edge_node && d->edge_label;
}

/* Number of a vert of the fine mesh in the coarse one; adds it with its node if it is new. */
static int add_vert(vo_mesh_data *d, const vo_mesh *m, int vert, int *node_of, int *vert_of) {
    int node = m->vert_node[vert];
    if (vert_of[vert] >= 0) return vert_of[vert];
    if (node_of[node] < 0) {
        node_of[node] = d->node_count;
        d->node_x[d->node_count] = m->node_x[node];
        d->node_label[d->node_count++] = m->node_label[node];
    }
    d->vert_u[d->vert_count] = m->vert_u[vert];
    d->vert_label[d->vert_count] = m->vert_label[vert];
    d->vert_node[d->vert_count] = node_of[node];
    return vert_of[vert] = d->vert_count++;
}

static void add_edge_labels(vo_mesh_data *d, const vo_mesh *m, const tile *t, int face) {
    for (int k = 0; k < 3; k++) {
        int edge = m->face_edge[t->face[k]][t->turn[k]];
        if (m->edge_label[edge] == 0) continue;
        d->edge_node[d->edge_count][0] = d->vert_node[d->face_vert[face][k]];
        d->edge_node[d->edge_count][1] = d->vert_node[d->face_vert[face][(k + 1) % 3]];
        d->edge_label[d->edge_count++] = m->edge_label[edge];
    }
}

static vo_result build_coarse(vo_context *ctx, vo_arena *arena, const vo_mesh *m, const tile *tiles,
                              vo_mesh **out) {
    vo_mesh_data d = {.face_count = m->face_count / 4};
    int *node_of = vo_arena_array(arena, int, m->node_count);
    int *vert_of = vo_arena_array(arena, int, m->vert_count);
    if (!node_of || !vert_of || !allocate_data(arena, &d, m))
        return vo_fail_memory(ctx, "a base mesh");
    memset(node_of, -1, (size_t)m->node_count * sizeof *node_of);
    memset(vert_of, -1, (size_t)m->vert_count * sizeof *vert_of);
    for (int f = 0; f < d.face_count; f++) {
        for (int k = 0; k < 3; k++)
            d.face_vert[f][k] = add_vert(&d, m, tile_vert(m, &tiles[f], k), node_of, vert_of);
        d.face_label[f] = m->face_label[tiles[f].face[3]];
        add_edge_labels(&d, m, &tiles[f], f);
    }
    return vo_mesh_build(ctx, &d, out);
}

/* --- Levels ----------------------------------------------------------------------------------- */

/* Lattice points of the corners of a face. */
typedef struct corners {
    int i[3], j[3];
} corners;

typedef struct filler {
    const vo_mesh *mesh;
    tile *const *tiles; /* by level: those of the mesh that was coarsened first */
    vo_cook_levels *levels;
    int first; /* index of the first point of the base face */
} filler;

static void set_point(const filler *f, int i, int j, vo_vec3 x, vo_vec2 u) {
    int at = f->first + vo_cook_lattice_index(1 << f->levels->max_level, i, j);
    f->levels->positions[at] = (vo_rt_vec3){(float)x.x, (float)x.y, (float)x.z};
    f->levels->coordinates[at] = (vo_rt_vec2){(float)u.x, (float)u.y};
}

/* Interpolates the lattice points of a face of the input. */
static void fill_face(const filler *f, int face, int turn, const corners *c, int steps) {
    const vo_mesh *m = f->mesh;
    for (int b = 0; b <= steps; b++)
        for (int a = 0; a + b <= steps; a++) {
            double w[3] = {(double)(steps - a - b) / steps, (double)a / steps, (double)b / steps};
            vo_vec3 x = v3_zero();
            vo_vec2 u = v2(0, 0);
            for (int k = 0; k < 3; k++) {
                int v = m->face_vert[face][(turn + k) % 3];
                x = v3_add_scaled(x, w[k], m->node_x[m->vert_node[v]]);
                u = v2_add(u, v2_scale(w[k], m->vert_u[v]));
            }
            set_point(f, c->i[0] + ((c->i[1] - c->i[0]) * a + (c->i[2] - c->i[0]) * b) / steps,
                      c->j[0] + ((c->j[1] - c->j[0]) * a + (c->j[2] - c->j[0]) * b) / steps, x, u);
        }
}

static corners child_corners(const corners *c, int child) {
    corners m, out;
    for (int k = 0; k < 3; k++) {
        m.i[k] = (c->i[(k + 1) % 3] + c->i[(k + 2) % 3]) / 2;
        m.j[k] = (c->j[(k + 1) % 3] + c->j[(k + 2) % 3]) / 2;
    }
    if (child == 3) return m;
    int p = (child + 1) % 3, q = (child + 2) % 3;
    out.i[0] = c->i[child], out.i[1] = m.i[q], out.i[2] = m.i[p];
    out.j[0] = c->j[child], out.j[1] = m.j[q], out.j[2] = m.j[p];
    return out;
}

/* Fills the part of the lattice that a face of a coarsened mesh covers; its corner `turn` is at the
 * first of the lattice points. `level` counts the coarsenings, 0: the input. */
static void fill(const filler *f, int level, int face, int turn, const corners *c, int steps) {
    if (level == 0) {
        fill_face(f, face, turn, c, steps);
        return;
    }
    const tile *t = &f->tiles[level - 1][face];
    for (int k = 0; k < 4; k++) {
        int child = k == 3 ? 3 : (turn + k) % 3;
        corners part = child_corners(c, k);
        fill(f, level - 1, t->face[child], k == 3 ? turn : t->turn[child], &part, steps);
    }
}

static void fill_levels(const vo_mesh *mesh, tile *const *tiles, int found, vo_cook_levels *out) {
    int n = 1 << out->max_level;
    filler f = {.mesh = mesh, .tiles = tiles, .levels = out};
    for (int face = 0; face < out->base->face_count; face++) {
        corners c = {{0, n, 0}, {0, 0, n}};
        f.first = face * vo_cook_lattice_count(out->max_level);
        fill(&f, found, face, 0, &c, n >> found);
    }
}

/* Coarsens *mesh once; *next stays NULL if that is not possible. */
static vo_result coarsen(vo_context *ctx, vo_arena *arena, const vo_mesh *mesh, tile **tiles,
                         vo_mesh **next) {
    *next = NULL;
    if (mesh->face_count % 4 != 0 || mesh->face_count < 4) return VO_OK;
    detection d = {.ctx = ctx,
                   .mesh = mesh,
                   .role = vo_arena_array(arena, uint8_t, mesh->face_count),
                   .queue = vo_arena_array(arena, int, mesh->face_count)};
    int *scratch[2] = {vo_arena_array(arena, int, mesh->node_count),
                       vo_arena_array(arena, int, mesh->node_count)};
    *tiles = vo_arena_array(arena, tile, mesh->face_count / 4);
    if (!d.role || !d.queue || !scratch[0] || !scratch[1] || !*tiles)
        return vo_fail_memory(ctx, "a hierarchy");
    return find_tiles(&d, scratch, *tiles) ? build_coarse(ctx, arena, mesh, *tiles, next) : VO_OK;
}

static vo_result detect(vo_context *ctx, vo_arena *arena, const vo_mesh *mesh, int *found,
                        vo_cook_levels *out) {
    tile *tiles[VO_RT_MAX_LEVEL];
    while (*found < out->max_level) {
        vo_mesh *next;
        const vo_mesh *fine = out->base ? out->base : mesh;
        VO_TRY(coarsen(ctx, arena, fine, &tiles[*found], &next));
        if (!next) break;
        vo_mesh_destroy(out->base);
        out->base = next;
        (*found)++;
    }
    if (*found == 0) return VO_OK;
    VO_TRY(vo_cook_levels_allocate(ctx, out));
    fill_levels(mesh, tiles, *found, out);
    return VO_OK;
}

vo_result vo_cook_detect_levels(vo_context *ctx, const vo_mesh *mesh, int max_level, int *found,
                                vo_cook_levels *out) {
    vo_arena arena;
    *found = 0;
    *out = (vo_cook_levels){.max_level = max_level};
    vo_arena_init(&arena, ctx);
    vo_result result = detect(ctx, &arena, mesh, found, out);
    vo_arena_free(&arena);
    if (result != VO_OK) vo_cook_levels_free(ctx, out);
    return result;
}
