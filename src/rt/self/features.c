/* Stages 1 to 4: pairs of clusters, of faces, of features.
 *
 * A cluster is eight consecutive leaves in the order of the hierarchy. Rejected: a voxel hash over
 * single faces. Two thirds of its pairs are adjacent faces, which the SIMD test of two clusters
 * drops at a tenth of the cost (0.2 ms in place of 1.1 ms for 2,900 faces). */
#include "math/simd.h"

#include "rt/self/self_private.h"

/* Contact distance of a pair relative to its query radius, and of features joined by an edge. */
static const float MAX_GAP = 0.8f, MAX_JOINED_GAP = 0.3f;
/* Part of the gap of the set below which features touch: the filter keeps the whole gap. */
static const float TOUCHING = 0.25f;
/* Contact distance of edges and faces from a body, relative to that of vertices. */
static const float BODY_GAP = 0.5f;

typedef struct search {
    vo_rt_self_set *set;
    const vo_rt_self_query *query;
    const vo_rt_self_kernels *kernels;
    vo_rt_self_batch faces, edges; /* vertex and face; edge and edge */
    bool moved_only;               /* only pairs with a vertex that is flagged MOVED */
    bool all_collide;              /* all members move and collide with all obstacles */
    bool is_full;                  /* the memory for pairs is exhausted */
} search;

/* --- Pairs ------------------------------------------------------------------------------------ */

static bool shares_vertex(const vo_rt_self_face *f, const int32_t *v, int count) {
    for (int k = 0; k < count; k++)
        if (f->vertex[0] == v[k] || f->vertex[1] == v[k] || f->vertex[2] == v[k]) return true;
    return false;
}

/* True if a face has vertices of both sides of a pair: an edge joins them. */
static bool is_joined(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    for (int k = 0; k < p->count_a; k++) {
        int v = p->vertex[k];
        for (int i = set->star_begin[v]; i < set->star_begin[v + 1]; i++)
            if (shares_vertex(&set->face[set->star_face[i]], p->vertex + p->count_a,
                              4 - p->count_a))
                return true;
    }
    return false;
}

/* Sum of the largest radii of both sides, m. */
static float pair_radius(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float a = 0, b = 0;
    for (int k = 0; k < 4; k++)
        if (k < p->count_a)
            a = f_max(a, set->radius[p->vertex[k]]);
        else
            b = f_max(b, set->radius[p->vertex[k]]);
    return a + b;
}

static void set_gap(const vo_rt_self_set *set, vo_rt_self_pair *p) {
    float limit = (p->is_joined ? MAX_JOINED_GAP : MAX_GAP) * pair_radius(set, p), gap = 0;
    for (int side = 0; side < 2; side++)
        if (!vo_rt_self_is_obstacle(set, p->member[side]))
            gap += 0.5f * set->member[p->member[side]].thickness;
    for (int side = 0; side < 2; side++)
        if (vo_rt_self_is_obstacle(set, p->member[side]))
            gap = BODY_GAP * (set->obstacle[p->member[side] - set->member_count].offset +
                              set->member[p->member[1 - side]].body_thickness);
    p->gap = f_min(gap, limit);
}

static void note_distance(vo_rt_self_set *set, const vo_rt_self_pair *p) {
    if (p->is_joined || vo_rt_self_has_obstacle(set, p)) return;
    for (int k = 0; k < 4; k++)
        set->near[p->vertex[k]] = f_min(set->near[p->vertex[k]], p->distance);
}

/* Largest thickness of the boxes of both sides, summed, m. */
static float search_radius(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float a = 0, b = 0;
    for (int k = 0; k < 4; k++)
        if (k < p->count_a)
            a = f_max(a, set->high[p->vertex[k]].w);
        else
            b = f_max(b, set->high[p->vertex[k]].w);
    return a + b;
}

/* Part of the distance of the nearest points below which rounding has tilted the direction between
 * them noticeably. */
static const float PRECISE = 0.95f;

/* Normal of the face, or common normal of two edges, towards side A. */
static vo_rt_vec3 find_common_normal(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    vo_rt_vec3 x[4];
    for (int k = 0; k < 4; k++) x[k] = f4_xyz(set->x[p->vertex[k]]);
    vo_rt_vec3 u = p->count_a == 1 ? f3_sub(x[2], x[1]) : f3_sub(x[1], x[0]);
    vo_rt_vec3 v = p->count_a == 1 ? f3_sub(x[3], x[1]) : f3_sub(x[3], x[2]);
    vo_rt_vec3 n = f3_cross(u, v);
    float length2 = f3_length2(n);
    if (!(length2 > 1e-6f * f3_length2(u) * f3_length2(v))) return p->normal;
    return f3_scale((f3_dot(n, p->normal) < 0 ? -1 : 1) / sqrtf(length2), n);
}

/* Distance along the normal: a lower bound of that of the features, whatever the rounding of the
 * weights. */
static float distance_along(const vo_rt_self_set *set, const vo_rt_self_pair *p) {
    float a = INFINITY, b = -INFINITY;
    vo_rt_vec3 origin = f4_xyz(set->x[p->vertex[0]]);
    for (int k = 0; k < 4; k++) {
        float d = f3_dot(p->normal, f3_sub(f4_xyz(set->x[p->vertex[k]]), origin));
        if (k < p->count_a)
            a = f_min(a, d);
        else
            b = f_max(b, d);
    }
    return f_max(a - b, 0);
}

/* Takes the common normal if it separates the features better. */
static void improve_normal(const vo_rt_self_set *set, vo_rt_self_pair *p) {
    vo_rt_self_pair other = *p;
    other.normal = find_common_normal(set, p);
    other.distance = distance_along(set, &other);
    if (other.distance > p->distance) *p = other;
}

/* Features that touch on arrival have no side: they are treated like features that intersect. */
static void mark_touching(vo_rt_self_set *set, const vo_rt_self_pair *p) {
    uint8_t flag = vo_rt_self_has_obstacle(set, p) ? VO_RT_SELF_PRESSED : VO_RT_SELF_TANGLED;
    for (int k = 0; k < 4; k++) set->flags[p->vertex[k]] |= flag;
    set->is_touching = true;
}

static void add_pair(search *s, const vo_rt_self_batch *b, int lane, int count_a) {
    vo_rt_self_set *set = s->set;
    if (set->pair_count == set->pair_capacity) {
        s->is_full = true;
        return;
    }
    vo_rt_self_pair *p = &set->pair[set->pair_count];
    for (int k = 0; k < 4; k++) {
        p->vertex[k] = b->vertex[k][lane];
        p->weight[k] = b->weight[k][lane];
    }
    p->normal = f3(b->normal[0][lane], b->normal[1][lane], b->normal[2][lane]);
    p->count_a = (uint8_t)count_a;
    p->distance = distance_along(set, p);
    if (p->distance < PRECISE * b->distance[lane]) improve_normal(set, p);
    if (p->distance - f_max(vo_rt_self_approach(set->drift, p), 0) >= search_radius(set, p)) return;
    set->pair_count++;
    p->member[0] = set->face[b->face[0][lane]].member;
    p->member[1] = set->face[b->face[1][lane]].member;
    p->is_joined = p->member[0] == p->member[1] && is_joined(set, p);
    set_gap(set, p);
    note_distance(set, p);
    if (p->distance < TOUCHING * set->gap) mark_touching(set, p);
}

static void flush(search *s, vo_rt_self_batch *b, int count_a) {
    if (b->count == 0) return;
    for (int lane = b->count; lane < VO_RT_SELF_BATCH; lane++)
        for (int k = 0; k < 4; k++) b->vertex[k][lane] = 0;
    const vo_rt_vec4 *x = s->set->x;
    unsigned near =
        count_a == 1 ? s->kernels->measure_faces(x, b) : s->kernels->measure_edges(x, b);
    s->set->counts.feature_pairs += b->count;
    for (; near; near &= near - 1) add_pair(s, b, __builtin_ctz(near), count_a);
    b->count = 0;
}

/* --- Features of two faces -------------------------------------------------------------------- */

static bool boxes_overlap(const vo_rt_vec4 *al, const vo_rt_vec4 *ah, const vo_rt_vec4 *b) {
    vo_m4 hit = (f4_load(al) <= f4_load(&b[1])) & (f4_load(&b[0]) <= f4_load(ah));
    return (m4_bits(hit) & 7) == 7;
}

/* True if the search leaves out two features: none of their vertices is flagged MOVED. */
static bool is_left_out(const search *s, const int32_t *a, int count_a, const int32_t *b,
                        int count_b) {
    const uint8_t *flags = s->set->flags;
    unsigned any = 0;
    if (!s->moved_only) return false;
    for (int k = 0; k < count_a; k++) any |= flags[a[k]];
    for (int k = 0; k < count_b; k++) any |= flags[b[k]];
    return !(any & VO_RT_SELF_MOVED);
}

static void add_vertex(search *s, int v, int a, int b, bool is_adjacent) {
    const vo_rt_self_face *fb = &s->set->face[b];
    int32_t own = v;
    if (is_adjacent && shares_vertex(fb, &own, 1)) return;
    if (is_left_out(s, &own, 1, fb->vertex, 3)) return;
    vo_rt_self_batch *batch = &s->faces;
    int lane = batch->count++;
    batch->vertex[0][lane] = v;
    for (int i = 0; i < 3; i++) batch->vertex[1 + i][lane] = fb->vertex[i];
    batch->limit[lane] = s->set->low[v].w + s->set->face_box[2 * b].w;
    batch->face[0][lane] = a;
    batch->face[1][lane] = b;
    if (batch->count == VO_RT_SELF_BATCH) flush(s, batch, 1);
}

/* The edge of a face opposite corner k, with its box. */
typedef struct edge {
    int32_t v[2];
    vo_rt_vec4 low, high;
} edge;

static inline void get_edge(const vo_rt_self_set *set, const vo_rt_self_face *f, unsigned k,
                            edge *out) {
    int a = f->vertex[k == 2 ? 0 : k + 1], b = f->vertex[k == 0 ? 2 : k - 1];
    out->v[0] = a;
    out->v[1] = b;
    f4_store(&out->low, -f4_max(-f4_load(&set->low[a]), -f4_load(&set->low[b])));
    f4_store(&out->high, f4_max(f4_load(&set->high[a]), f4_load(&set->high[b])));
}

static float edge_reach(const vo_rt_self_set *set, const edge *e) {
    return f_max(set->low[e->v[0]].w, set->low[e->v[1]].w);
}

static bool share_vertex(const edge *a, const edge *b) {
    return a->v[0] == b->v[0] || a->v[0] == b->v[1] || a->v[1] == b->v[0] || a->v[1] == b->v[1];
}

static void add_edges(search *s, int a, int b, const edge *ea, const edge *eb) {
    vo_rt_self_batch *batch = &s->edges;
    if (is_left_out(s, ea->v, 2, eb->v, 2)) return;
    int lane = batch->count++;
    for (int i = 0; i < 2; i++) {
        batch->vertex[i][lane] = ea->v[i];
        batch->vertex[2 + i][lane] = eb->v[i];
    }
    batch->limit[lane] = edge_reach(s->set, ea) + edge_reach(s->set, eb);
    batch->face[0][lane] = a;
    batch->face[1][lane] = b;
    if (batch->count == VO_RT_SELF_BATCH) flush(s, batch, 2);
}

/* --- Rows: a face and the faces of a cluster -------------------------------------------------- */

/* Faces [begin, begin + 8) that are tested against one face: bit per lane. */
typedef struct row {
    int face, begin;
    unsigned hits;
    unsigned adjacent; /* of these, faces that share a vertex with it */
} row;

/* Loop over the numbers i of the bits of a set. */
#define FOR_BITS(i, bits)                   \
    for (unsigned i##_left = (bits), i = 0; \
         i##_left && (i = (unsigned)__builtin_ctz(i##_left), 1); i##_left &= i##_left - 1)

/* Edges that the face owns against those that the faces of the row own. */
static void test_edges(search *s, const row *r) {
    const vo_rt_self_set *set = s->set;
    const vo_rt_self_face *fa = &set->face[r->face];
    FOR_BITS(i, (unsigned)fa->owned >> 3) {
        edge ea;
        get_edge(set, fa, i, &ea);
        unsigned hits = s->kernels->find_overlaps(&set->lanes, &ea.low, &ea.high, r->begin);
        FOR_BITS(k, hits & r->hits) {
            int b = r->begin + (int)k;
            const vo_rt_self_face *fb = &set->face[b];
            FOR_BITS(j, (unsigned)fb->owned >> 3) {
                edge eb;
                get_edge(set, fb, j, &eb);
                if (boxes_overlap(&ea.low, &ea.high, &eb.low) &&
                    !(r->adjacent >> k & 1 && share_vertex(&ea, &eb)))
                    add_edges(s, r->face, b, &ea, &eb);
            }
        }
    }
}

/* Vertices that the face owns against the faces of the row, and the reverse. */
static void test_vertices(search *s, const row *r) {
    const vo_rt_self_set *set = s->set;
    const vo_rt_self_face *fa = &set->face[r->face];
    FOR_BITS(i, fa->owned & 7u) {
        int v = fa->vertex[i];
        unsigned hits =
            s->kernels->find_overlaps(&set->lanes, &set->low[v], &set->high[v], r->begin);
        FOR_BITS(k, hits & r->hits) {
            add_vertex(s, v, r->face, r->begin + (int)k, r->adjacent >> k & 1);
        }
    }
    FOR_BITS(k, r->hits) {
        const vo_rt_self_face *fb = &set->face[r->begin + (int)k];
        FOR_BITS(i, fb->owned & 7u) {
            int v = fb->vertex[i];
            if (boxes_overlap(&set->low[v], &set->high[v], &set->face_box[2 * r->face]))
                add_vertex(s, v, r->begin + (int)k, r->face, r->adjacent >> k & 1);
        }
    }
}

static void test_intersections(vo_rt_self_set *set, const row *r) {
    FOR_BITS(k, r->hits) {
        vo_rt_self_intersect(set, r->face, r->begin + (int)k);
        vo_rt_self_intersect(set, r->begin + (int)k, r->face);
    }
}

static bool can_move(const vo_rt_self_set *set, int face) {
    int member = set->face[face].member;
    return !vo_rt_self_is_obstacle(set, member) && set->member[member].moves;
}

/* True if the faces may collide: one of them moves, and the masks of cloth and body agree. */
static bool collide(const vo_rt_self_set *set, int a, int b) {
    int ma = set->face[a].member, mb = set->face[b].member;
    if (!can_move(set, a) && !can_move(set, b)) return false;
    if (vo_rt_self_is_obstacle(set, mb))
        return set->member[ma].obstacles >> (mb - set->member_count) & 1;
    if (vo_rt_self_is_obstacle(set, ma))
        return set->member[mb].obstacles >> (ma - set->member_count) & 1;
    return true;
}

/* Leaves out faces that cannot collide with that of the row. */
static unsigned select_faces(const vo_rt_self_set *set, const row *r) {
    unsigned hits = r->hits;
    FOR_BITS(k, r->hits) {
        if (!collide(set, r->face, r->begin + (int)k)) hits &= ~(1u << k);
    }
    return hits;
}

/* Faces of a cluster, or of its part from `begin` on, that are searched against face a. */
static unsigned searched_faces(const search *s, int a, int begin) {
    int cluster = begin / VO_RT_SELF_CLUSTER;
    if (!s->moved_only || s->set->face[a].is_moved) return 255;
    return (unsigned)s->set->cluster_box[2 * cluster + 1].w >> begin % VO_RT_SELF_CLUSTER;
}

/* Extent of a face along its normal. The sum of the ranges R of both faces is the distance at which
 * their features need not be listed. */
static vo_rt_self_slab find_slab(const vo_rt_self_set *set, int face) {
    vo_rt_vec3 n = set->path[face].normal[0];
    vo_rt_self_slab slab = {.normal = {n.x, n.y, n.z}, .distance = 2 * set->max_range};
    for (int k = 0; k < 3; k++) {
        int v = set->face[face].vertex[k];
        float start = f3_dot(n, f4_xyz(set->x[v])), end = start + f3_dot(n, f4_xyz(set->drift[v]));
        slab.low[0] = k == 0 ? start : f_min(slab.low[0], start);
        slab.high[0] = k == 0 ? start : f_max(slab.high[0], start);
        slab.low[1] = k == 0 ? end : f_min(slab.low[1], end);
        slab.high[1] = k == 0 ? end : f_max(slab.high[1], end);
    }
    return slab;
}

/* Bits 0 to 7. */
static int count_bits(unsigned set) {
    set -= set >> 1 & 0x55;
    set = (set & 0x33) + (set >> 2 & 0x33);
    return (int)((set + (set >> 4)) & 15);
}

/* Tests face a against the faces [begin, end) of a cluster; faces that share a calm vertex with it
 * are left out. */
static void test_row(search *s, int a, int begin, int end) {
    vo_rt_self_set *set = s->set;
    int32_t calm[3];
    unsigned searched = searched_faces(s, a, begin);
    if (!searched) return;
    for (int k = 0; k < 3; k++) {
        int v = set->face[a].vertex[k];
        calm[k] = set->flags[v] & VO_RT_SELF_CALM ? v : -1;
    }
    unsigned found =
        s->kernels->find_faces(&set->lanes, a, calm, set->face[a].neighbours, begin, end);
    row r = {a, begin, found & searched, found >> 8 & searched};
    set->counts.compared_pairs += count_bits(found >> 16);
    if (!r.hits) return;
    r.hits &= ~s->kernels->find_fans(&set->lanes, set->cell[set->face_cell[a]].flat, begin);
    if (!r.hits) return;
    if (!s->all_collide) r.hits = select_faces(set, &r);
    if (!r.hits) return;
    set->counts.face_pairs += count_bits(r.hits);
    vo_rt_self_slab slab = find_slab(set, a);
    if (begin >= VO_RT_SELF_CLUSTER * set->cloth_cluster_count) slab.distance = set->max_range;
    r.hits &= ~s->kernels->find_separated(&set->lanes, &slab, begin);
    if (!r.hits) return;
    set->counts.adjacent_pairs += count_bits(r.adjacent);
    test_vertices(s, &r);
    test_edges(s, &r);
    if (s->query->finds_intersections && !s->moved_only) test_intersections(set, &r);
}

/* --- Clusters --------------------------------------------------------------------------------- */

enum { MAX_CELLS = 3 }; /* of a cluster that is tested as a whole */

static bool is_searched(const search *s, int cluster) {
    return !s->moved_only || s->set->cluster_box[2 * cluster + 1].w > 0;
}

/* True if the faces of two clusters of cloth cannot meet: all lie in flat patches. */
static bool are_flat(vo_rt_self_set *set, int a, int b) {
    if (b >= set->cloth_cluster_count) return false;
    const int32_t *cell = set->face_cell;
    int first_a = cell[a * VO_RT_SELF_CLUSTER], first_b = cell[b * VO_RT_SELF_CLUSTER];
    int end_a = cell[vo_rt_self_cluster_end(set, a) - 1] + 1;
    int end_b = cell[vo_rt_self_cluster_end(set, b) - 1] + 1;
    if (end_a - first_a > MAX_CELLS || end_b - first_b > MAX_CELLS) return false;
    bool is_flat = vo_rt_self_are_flat(set, first_a, end_a, first_b, end_b);
    set->counts.flat_pairs += is_flat;
    return is_flat;
}

static void test_clusters(void *user, int a, int b) {
    search *s = user;
    s->set->counts.cluster_pairs++;
    if (are_flat(s->set, a, b)) return;
    int first = a * VO_RT_SELF_CLUSTER, count = vo_rt_self_cluster_end(s->set, a) - first;
    int begin = b * VO_RT_SELF_CLUSTER, end = vo_rt_self_cluster_end(s->set, b);
    const vo_rt_vec4 *box = &s->set->cluster_box[2 * b];
    unsigned rows = s->kernels->find_overlaps(&s->set->lanes, &box[0], &box[1], first);
    FOR_BITS(i, rows & ((1u << count) - 1)) { test_row(s, first + (int)i, begin, end); }
}

/* Pairs of faces inside a cluster. */
static void test_inside(search *s, int cluster) {
    int end = vo_rt_self_cluster_end(s->set, cluster);
    if (are_flat(s->set, cluster, cluster)) return;
    for (int i = cluster * VO_RT_SELF_CLUSTER; i + 1 < end; i++) test_row(s, i, i + 1, end);
}

/* A cluster with moved faces, of which the pairs are searched again. */
typedef struct moved_cluster {
    search *search;
    int cluster;
} moved_cluster;

/* Pairs of two such clusters belong to the first one. */
static void test_moved(void *user, int b) {
    const moved_cluster *m = user;
    int a = m->cluster;
    if (b == a || (b < a && is_searched(m->search, b))) return;
    test_clusters(m->search, a < b ? a : b, a < b ? b : a);
}

static void search_clusters(search *s) {
    vo_rt_self_set *set = s->set;
    vo_rt_self_hash_boxes(&set->hash, set->cluster_box, set->cluster_count);
    for (int i = 0; i < set->cloth_cluster_count; i++) {
        if (!is_searched(s, i)) continue;
        moved_cluster m = {s, i};
        test_inside(s, i);
        if (s->moved_only)
            vo_rt_self_for_overlaps(&set->hash, set->cluster_box, &set->cluster_box[2 * i],
                                    test_moved, &m);
    }
    if (!s->moved_only)
        vo_rt_self_for_pairs(&set->hash, set->cluster_box, set->cloth_cluster_count, test_clusters,
                             s);
}

static bool all_collide(const vo_rt_self_set *set) {
    uint64_t all = set->obstacle_count < 64 ? ((uint64_t)1 << set->obstacle_count) - 1 : UINT64_MAX;
    for (int k = 0; k < set->member_count; k++)
        if (!set->member[k].moves || (set->member[k].obstacles & all) != all) return false;
    return true;
}

void vo_rt_self_find_pairs(vo_rt_self_set *set, const vo_rt_self_query *query, bool moved_only) {
    search s = {.set = set,
                .query = query,
                .kernels = vo_rt_self_select_kernels(query->use_avx2),
                .moved_only = moved_only,
                .all_collide = all_collide(set)};
    if (!moved_only) set->pair_count = set->hit_count = set->is_full = set->is_touching = 0;
    int before = set->pair_count;
    vo_rt_self_refit(set, moved_only);
    search_clusters(&s);
    flush(&s, &s.faces, 1);
    flush(&s, &s.edges, 2);
    if (!moved_only && set->hit_count > 0) vo_rt_self_direct_hits(set);
    set->counts.near_pairs += set->pair_count - before;
    set->counts.overflows += s.is_full;
    set->is_full |= s.is_full;
}
