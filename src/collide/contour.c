#include "collide/contour.h"

#include "collide/dense_region.h"
#include "collide/intersect.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "math/predicates.h"

vo_soup vo_soup_from_surface(const vo_surface *s, const unsigned char *part_flags) {
    return (vo_soup){.node_count = s->node_count,
                     .edge_count = s->edge_count,
                     .face_count = s->face_count,
                     .part_count = s->part_count,
                     .face = (const int(*)[3])s->face,
                     .face_edge = (const int(*)[3])s->face_edge,
                     .edge = (const int(*)[2])s->edge,
                     .face_part = s->face_part,
                     .part_flags = part_flags,
                     .inverse_mass = s->inverse_mass};
}

enum { CLOTHS, OBSTACLES };
enum { BOX_GRAIN = 1024, TEST_GRAIN = 256 };

/* ---- creation ------------------------------------------------------------------------------- */

/* Returns the tree of a face; -1: none. */
static int face_tree(const vo_soup *soup, int f) {
    int flags = soup->part_flags[soup->face_part[f]];
    if (flags & VO_SOUP_ABSENT) return -1;
    return flags & VO_SOUP_OBSTACLE ? OBSTACLES : CLOTHS;
}

static void sort_faces(vo_contours *c) {
    int count[2] = {0, 0};
    for (int f = 0; f < c->soup.face_count; f++) {
        int tree = face_tree(&c->soup, f);
        if (tree >= 0) c->face[tree][count[tree]++] = f;
    }
}

static void count_faces(vo_contours *c) {
    for (int f = 0; f < c->soup.face_count; f++) {
        int tree = face_tree(&c->soup, f);
        if (tree >= 0) c->face_count[tree]++;
    }
}

/* Returns the budget of face pairs. */
static int pair_budget(const vo_contours *c, int per_face) {
    int64_t faces = (int64_t)c->face_count[CLOTHS] + c->face_count[OBSTACLES];
    return vo_max_int(vo_pair_budget(per_face, faces), VO_CONTOUR_MIN_PAIRS);
}

/* Counts the pairs of cloth faces with a common node, at most VO_CONTOUR_STAR_PAIRS. */
static vo_result count_star_pairs(vo_contours *c, int *out) {
    size_t bytes = (size_t)c->soup.node_count * sizeof(int);
    int *valence = vo_alloc_zero(c->ctx, bytes);
    int64_t sum = 0;
    if (bytes && !valence) return vo_fail_memory(c->ctx, "intersection contours");
    for (int i = 0; i < c->face_count[CLOTHS]; i++)
        for (int k = 0; k < 3; k++) sum += valence[c->soup.face[c->face[CLOTHS][i]][k]]++;
    vo_free(c->ctx, valence, bytes);
    *out = (int)(sum < VO_CONTOUR_STAR_PAIRS ? sum : VO_CONTOUR_STAR_PAIRS);
    return VO_OK;
}

/* Sets the budgets of overlapping boxes. */
static vo_result set_budgets(vo_contours *c) {
    int stars = 0, budget = pair_budget(c, VO_CONTOUR_NEAR_PAIRS);
    VO_TRY(count_star_pairs(c, &stars));
    c->near_pairs[CLOTHS].max_pairs = budget + stars;
    c->near_pairs[OBSTACLES].max_pairs = budget;
    return VO_OK;
}

static bool allocate(vo_contours *c) {
    bool ok = true;
    for (int t = 0; t < 2; t++) {
        int n = c->face_count[t];
        if (n == 0) continue;
        c->face[t] = vo_new_array(c->ctx, int, n);
        c->box[t] = vo_new_array(c->ctx, vo_box, n);
        ok = ok && c->face[t] && c->box[t];
    }
    if (c->soup.edge_count > 0) {
        c->edge_first = vo_new_array(c->ctx, int, c->soup.edge_count);
        ok = ok && c->edge_first;
    }
    for (int e = 0; ok && e < c->soup.edge_count; e++) c->edge_first[e] = -1;
    return ok;
}

typedef struct box_job {
    vo_contours *c;
    const vo_vec3 *x;
    int tree;
    double margin;
} box_job;

static void make_boxes(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    box_job *job = arg;
    for (int i = begin; i < end; i++) {
        const int *n = job->c->soup.face[job->c->face[job->tree][i]];
        vo_box box = box_triangle(job->x[n[0]], job->x[n[1]], job->x[n[2]]);
        job->c->box[job->tree][i] = box_grow(box, job->margin);
    }
}

static void set_boxes(vo_contours *c, const vo_vec3 *x, int tree, double margin) {
    box_job job = {c, x, tree, margin};
    vo_parallel_for(c->ctx, c->face_count[tree], BOX_GRAIN, make_boxes, &job);
}

vo_result vo_contours_create(vo_context *ctx, const vo_soup *soup, const vo_vec3 *x,
                             vo_contours *out) {
    *out = (vo_contours){.ctx = ctx, .soup = *soup};
    count_faces(out);
    vo_result result = allocate(out) ? VO_OK : vo_fail_memory(ctx, "intersection contours");
    if (result == VO_OK) sort_faces(out);
    if (result == VO_OK) result = set_budgets(out);
    for (int t = 0; t < 2 && result == VO_OK; t++) {
        set_boxes(out, x, t, 0);
        result = vo_bvh_build(ctx, &out->tree[t], out->box[t], out->face_count[t]);
    }
    if (result != VO_OK) vo_contours_free(out);
    return result;
}

void vo_contours_set_obstacles(vo_contours *c, const vo_vec3 *x) {
    set_boxes(c, x, OBSTACLES, 0);
    vo_bvh_refit(c->ctx, &c->tree[OBSTACLES], c->box[OBSTACLES]);
}

void vo_contours_free(vo_contours *c) {
    vo_context *ctx = c->ctx;
    if (!ctx) return;
    for (int t = 0; t < 2; t++) {
        vo_free_array(ctx, c->face[t], c->face_count[t]);
        vo_free_array(ctx, c->box[t], c->face_count[t]);
        vo_bvh_free(ctx, &c->tree[t]);
        vo_pair_list_free(ctx, &c->near_pairs[t]);
    }
    vo_free_array(ctx, c->pair, c->pair_capacity);
    vo_free_array(ctx, c->contour, c->contour_capacity);
    vo_free_array(ctx, c->vertex, c->vertex_capacity);
    vo_free_array(ctx, c->touching, c->touching_capacity);
    vo_free_array(ctx, c->intersects, c->intersects_capacity);
    vo_free_array(ctx, c->ends, c->ends_capacity);
    vo_free_array(ctx, c->edge_first, c->soup.edge_count);
    vo_free_array(ctx, c->end_next, c->end_next_capacity);
    vo_free_array(ctx, c->visited, c->visited_capacity);
    *c = (vo_contours){0};
}

/* ---- pairs of faces ------------------------------------------------------------------------- */

vo_result vo_contours_find_near(vo_contours *c, const vo_vec3 *x, double margin) {
    set_boxes(c, x, CLOTHS, margin);
    vo_bvh_refit(c->ctx, &c->tree[CLOTHS], c->box[CLOTHS]);
    VO_TRY(vo_bvh_self_pairs(c->ctx, &c->tree[CLOTHS], &c->near_pairs[CLOTHS]));
    VO_TRY(vo_bvh_tree_pairs(c->ctx, &c->tree[CLOTHS], &c->tree[OBSTACLES],
                             &c->near_pairs[OBSTACLES]));
    c->over_budget = c->near_pairs[CLOTHS].over_budget || c->near_pairs[OBSTACLES].over_budget;
    c->tested += (int64_t)c->near_pairs[CLOTHS].count + c->near_pairs[OBSTACLES].count;
    if (c->over_budget) c->near_pairs[CLOTHS].count = c->near_pairs[OBSTACLES].count = 0;
    return VO_OK;
}

/* Returns the faces of a near pair. */
static vo_pair face_pair(const vo_contours *c, int list, vo_pair near) {
    int a = c->face[CLOTHS][near.a], b = c->face[list][near.b];
    return a < b ? (vo_pair){a, b} : (vo_pair){b, a};
}

typedef struct test_job {
    vo_contours *c;
    const vo_vec3 *x;
    int list;
} test_job;

static void test_pairs(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    test_job *job = arg;
    vo_contours *c = job->c;
    for (int i = begin; i < end; i++) {
        vo_pair p = face_pair(c, job->list, c->near_pairs[job->list].pairs[i]);
        c->intersects[i] = vo_faces_intersect(job->x, c->soup.face[p.a], c->soup.face[p.b]);
    }
}

/* Returns the budget of intersecting pairs. The minimum for small meshes does not apply if only the
 * allowance for stars keeps the boxes within budget: a fan without intersections has none. */
static int intersection_budget(const vo_contours *c, const vo_pair_list *near) {
    int64_t faces = (int64_t)c->face_count[CLOTHS] + c->face_count[OBSTACLES];
    bool dense = near->count > pair_budget(c, VO_CONTOUR_NEAR_PAIRS);
    return dense ? vo_pair_budget(VO_CONTOUR_PAIRS, faces) : pair_budget(c, VO_CONTOUR_PAIRS);
}

/* Collects the intersecting pairs of a list, up to the budget. */
static vo_result collect_pairs(vo_contours *c, const vo_vec3 *x, int list) {
    const vo_pair_list *near = &c->near_pairs[list];
    if (!vo_reserve(c->ctx, &c->intersects, &c->intersects_capacity, near->count))
        return vo_fail_memory(c->ctx, "intersecting faces");
    test_job job = {c, x, list};
    vo_parallel_for(c->ctx, near->count, TEST_GRAIN, test_pairs, &job);
    int found = 0;
    for (int i = 0; i < near->count; i++) found += c->intersects[i];
    if (found > intersection_budget(c, near) - c->pair_count) {
        c->pair_count = 0;
        c->over_budget = true;
        return VO_OK;
    }
    if (!vo_reserve(c->ctx, &c->pair, &c->pair_capacity, c->pair_count + found))
        return vo_fail_memory(c->ctx, "intersecting faces");
    for (int i = 0; i < near->count; i++)
        if (c->intersects[i]) c->pair[c->pair_count++] = face_pair(c, list, near->pairs[i]);
    return VO_OK;
}

/* ---- crossings ------------------------------------------------------------------------------ */

static bool face_has(const int face[3], int node) {
    return face[0] == node || face[1] == node || face[2] == node;
}

static vo_vec3 exact(const vo_vec3 *x, int node) { return vo_exact_point(x[node]); }

/* Returns the side on which the edge passes the side ab of a face, 1 or -1. Ties are broken by node
 * indices, so that the face beyond that side gets the opposite result. */
static int passing_side(const vo_vec3 *x, const int edge[2], int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a;
    int orientation =
        vo_orient3d(exact(x, edge[0]), exact(x, edge[1]), exact(x, low), exact(x, high));
    if (orientation == 0) orientation = 1;
    return a < b ? orientation : -orientation;
}

/* Returns the side of the face plane, 1 or -1; 1 for nodes on the plane. */
static int plane_side(const vo_vec3 *x, const int face[3], int node) {
    int side = vo_orient3d(exact(x, face[0]), exact(x, face[1]), exact(x, face[2]), exact(x, node));
    return side < 0 ? -1 : 1;
}

/* Returns true if the edge passes through the face; they share no node. */
static bool edge_crosses(const vo_vec3 *x, const int edge[2], const int face[3]) {
    if (plane_side(x, face, edge[0]) == plane_side(x, face, edge[1])) return false;
    int first = passing_side(x, edge, face[0], face[1]);
    return passing_side(x, edge, face[1], face[2]) == first &&
           passing_side(x, edge, face[2], face[0]) == first;
}

/* Adds the crossings of the edges of one face with the other to the ends of their pair; returns the
 * number of ends. */
static int add_ends(const vo_contours *c, const vo_vec3 *x, int of, int through, int side,
                    vo_contour_end ends[2], int count) {
    const int *face = c->soup.face[through];
    for (int i = 0; i < 3 && count < 2; i++) {
        int e = c->soup.face_edge[of][i];
        const int *edge = c->soup.edge[e];
        if (face_has(face, edge[0]) || face_has(face, edge[1])) continue;
        if (edge_crosses(x, edge, face)) ends[count++] = (vo_contour_end){e, through, side, -1};
    }
    return count;
}

typedef struct end_job {
    vo_contours *c;
    const vo_vec3 *x;
} end_job;

static void find_ends(void *arg, int begin, int end, int chunk) {
    (void)chunk;
    end_job *job = arg;
    vo_contours *c = job->c;
    for (int i = begin; i < end; i++) {
        vo_contour_end *ends = c->ends + 2 * i;
        ends[0] = ends[1] = (vo_contour_end){-1, -1, 0, -1};
        int count = add_ends(c, job->x, c->pair[i].a, c->pair[i].b, 0, ends, 0);
        add_ends(c, job->x, c->pair[i].b, c->pair[i].a, 1, ends, count);
    }
}

/* Links ends that are the same crossing. Each end is linked to an earlier one at its edge; if an
 * edge has more than two faces, consecutive ends are linked. */
static void link_ends(vo_contours *c) {
    for (int i = 0; i < 2 * c->pair_count; i++) {
        vo_contour_end *end = &c->ends[i];
        if (end->edge < 0) continue;
        for (int j = c->edge_first[end->edge]; j >= 0; j = c->end_next[j])
            if (c->ends[j].face == end->face && c->ends[j].link < 0) {
                end->link = j;
                c->ends[j].link = i;
                break;
            }
        c->end_next[i] = c->edge_first[end->edge];
        c->edge_first[end->edge] = i;
    }
    for (int i = 0; i < 2 * c->pair_count; i++)
        if (c->ends[i].edge >= 0) c->edge_first[c->ends[i].edge] = -1;
}

/* ---- curves --------------------------------------------------------------------------------- */

/* Returns the intersection of the edge with the face plane. */
static vo_vec3 crossing_point(const vo_contours *c, const vo_vec3 *x, int e, int f) {
    const int *face = c->soup.face[f], *edge = c->soup.edge[e];
    vo_vec3 a = x[face[0]], p = x[edge[0]], q = x[edge[1]];
    vo_vec3 n = v3_cross(v3_sub(x[face[1]], a), v3_sub(x[face[2]], a));
    double dp = fabs(v3_dot(n, v3_sub(p, a))), dq = fabs(v3_dot(n, v3_sub(q, a)));
    return v3_lerp(p, q, dp + dq > 0 ? dp / (dp + dq) : 0.5);
}

/* Returns a common node of two faces; -1: none. */
static int common_node(const vo_soup *soup, vo_pair p) {
    for (int i = 0; i < 3; i++)
        if (face_has(soup->face[p.b], soup->face[p.a][i])) return soup->face[p.a][i];
    return -1;
}

/* Returns the end point of a segment: its crossing, the common node, or (at a tie) its other
 * end. */
static vo_vec3 end_point(const vo_contours *c, const vo_vec3 *x, int end) {
    const vo_contour_end *e = &c->ends[end];
    if (e->edge >= 0) return crossing_point(c, x, e->edge, e->face);
    int node = common_node(&c->soup, c->pair[end / 2]);
    if (node >= 0) return x[node];
    e = &c->ends[end ^ 1];
    return crossing_point(c, x, e->edge, e->face);
}

/* Position of a traversal along a contour: entering the segment of a pair at an end. */
typedef struct cursor {
    int end;  /* 2 pair + 0 or 1 */
    int flip; /* 1: the pair's first face lies on surface 1 */
} cursor;

static void add_vertex(vo_contours *c, const vo_vec3 *x, cursor w, bool has_segment) {
    const vo_contour_end *e = &c->ends[w.end];
    vo_pair p = c->pair[w.end / 2];
    vo_contour_vertex *v = &c->vertex[c->vertex_count++];
    *v = (vo_contour_vertex){.p = end_point(c, x, w.end), .edge = e->edge, .face = e->face};
    v->side = e->side ^ w.flip;
    v->segment[0] = v->segment[1] = -1;
    if (has_segment) {
        v->segment[w.flip] = p.a;
        v->segment[!w.flip] = p.b;
    }
}

/* Returns the entry into the next segment. The crossed face stays on its surface. */
static cursor next_segment(const vo_contours *c, cursor leave) {
    const vo_contour_end *e = &c->ends[leave.end];
    int surface = 1 ^ e->side ^ leave.flip;
    int slot = c->pair[e->link / 2].a == e->face ? 0 : 1;
    return (cursor){e->link, slot ^ surface};
}

static double contour_length(const vo_contours *c, const vo_contour *k) {
    double length = 0;
    for (int v = k->begin; v + 1 < k->end; v++)
        length += v3_distance(c->vertex[v].p, c->vertex[v + 1].p);
    if (k->closed) length += v3_distance(c->vertex[k->end - 1].p, c->vertex[k->begin].p);
    return length;
}

/* Traces the curve that enters a segment at this end, until it ends or closes. */
static void trace_contour(vo_contours *c, const vo_vec3 *x, int start) {
    vo_contour k = {.begin = c->vertex_count};
    cursor at = {start, 0};
    for (;;) {
        c->visited[at.end / 2] = 1;
        add_vertex(c, x, at, true);
        cursor leave = {at.end ^ 1, at.flip};
        int link = c->ends[leave.end].link;
        k.closed = link >= 0 && c->visited[link / 2];
        if (link < 0) add_vertex(c, x, leave, false);
        if (link < 0 || k.closed) break;
        at = next_segment(c, leave);
    }
    k.end = c->vertex_count;
    k.length = contour_length(c, &k);
    c->length += k.length;
    c->contour[c->contour_count++] = k;
}

/* Traces open curves from one of their ends, then closed ones. Pairs without a crossing are
 * touching. */
static void trace_all(vo_contours *c, const vo_vec3 *x) {
    for (int i = 0; i < c->pair_count; i++) {
        const vo_contour_end *ends = c->ends + 2 * i;
        c->visited[i] = ends[0].edge < 0;
        if (c->visited[i]) c->touching[c->touching_count++] = c->pair[i];
    }
    for (int i = 0; i < 2 * c->pair_count; i++)
        if (!c->visited[i / 2] && c->ends[i].link < 0) trace_contour(c, x, i);
    for (int i = 0; i < c->pair_count; i++)
        if (!c->visited[i]) trace_contour(c, x, 2 * i);
}

static bool reserve_curves(vo_contours *c) {
    int n = c->pair_count;
    return vo_reserve(c->ctx, &c->ends, &c->ends_capacity, 2 * n) &&
           vo_reserve(c->ctx, &c->end_next, &c->end_next_capacity, 2 * n) &&
           vo_reserve(c->ctx, &c->visited, &c->visited_capacity, n) &&
           vo_reserve(c->ctx, &c->touching, &c->touching_capacity, n) &&
           vo_reserve(c->ctx, &c->contour, &c->contour_capacity, n) &&
           vo_reserve(c->ctx, &c->vertex, &c->vertex_capacity, 2 * n);
}

vo_result vo_contours_find(vo_contours *c, const vo_vec3 *x) {
    c->pair_count = c->contour_count = c->vertex_count = c->touching_count = 0;
    c->length = 0;
    VO_TRY(vo_contours_find_near(c, x, 0));
    VO_TRY(collect_pairs(c, x, CLOTHS));
    if (!c->over_budget) VO_TRY(collect_pairs(c, x, OBSTACLES));
    if (!reserve_curves(c)) return vo_fail_memory(c->ctx, "intersection contours");
    end_job job = {c, x};
    vo_parallel_for(c->ctx, c->pair_count, TEST_GRAIN, find_ends, &job);
    link_ends(c);
    trace_all(c, x);
    return VO_OK;
}
