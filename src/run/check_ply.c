/* PLY file of an inspected state, coloured by the defects found.
 *
 * A vertex has one colour, so a node is written once per colour of its faces: regions stay
 * connected and borders between colours are sharp in every viewer. */
#include "codec/ply.h"
#include "core/memory.h"
#include "run/findings.h"

#include <string.h>

/* X(name, red, green, blue), by ascending priority. */
#define COLOURS(X)             \
    X(OBSTACLE, 112, 128, 152) \
    X(CLOTH, 225, 225, 222)    \
    X(INSIDE, 245, 150, 40)    \
    X(INTERSECTING, 215, 35, 30)

typedef enum colour_index {
#define X(name, red, green, blue) COLOUR_##name,
    COLOURS(X)
#undef X
        COLOUR_COUNT
} colour_index;

static const vo_colour colours[COLOUR_COUNT] = {
#define X(name, red, green, blue) {red, green, blue},
    COLOURS(X)
#undef X
};

/* Arrays of the file. */
typedef struct canvas {
    const vo_inspector *in;
    uint8_t *colour;                /* [face_count] */
    int (*vertex_of)[COLOUR_COUNT]; /* [node_count] -1: not yet added */
    vo_vec3 *x;                     /* [vertices] */
    vo_colour *vertex_colour;       /* [vertices] */
    int (*face)[3];                 /* [face_count] */
    vo_colour *face_colour;         /* [face_count] */
    int vertex_count;
} canvas;

static int max_vertices(const vo_inspector *in) { return 3 * in->face_count; }

static bool create(canvas *c) {
    vo_context *ctx = c->in->ctx;
    int faces = c->in->face_count, vertices = max_vertices(c->in);
    c->colour = vo_alloc_zero(ctx, (size_t)faces);
    c->vertex_of = vo_alloc(ctx, (size_t)c->in->node_count * sizeof *c->vertex_of);
    c->x = vo_new_array(ctx, vo_vec3, vertices);
    c->vertex_colour = vo_new_array(ctx, vo_colour, vertices);
    c->face = vo_alloc(ctx, (size_t)faces * sizeof *c->face);
    c->face_colour = vo_new_array(ctx, vo_colour, faces);
    return c->colour && c->vertex_of && c->x && c->vertex_colour && c->face && c->face_colour;
}

static void destroy(canvas *c) {
    vo_context *ctx = c->in->ctx;
    int faces = c->in->face_count, vertices = max_vertices(c->in);
    vo_free(ctx, c->colour, (size_t)faces);
    vo_free(ctx, c->vertex_of, (size_t)c->in->node_count * sizeof *c->vertex_of);
    vo_free_array(ctx, c->x, vertices);
    vo_free_array(ctx, c->vertex_colour, vertices);
    vo_free(ctx, c->face, (size_t)faces * sizeof *c->face);
    vo_free_array(ctx, c->face_colour, faces);
}

static void colour_faces(canvas *c) {
    const vo_inspector *in = c->in;
    for (int i = 0; i < in->part_count; i++)
        for (int f = in->part[i].face; f < in->part[i].face_end; f++) {
            const int *n = in->face[f];
            bool inside = in->is_inside[n[0]] || in->is_inside[n[1]] || in->is_inside[n[2]];
            c->colour[f] = in->part[i].obstacle ? COLOUR_OBSTACLE
                           : inside             ? COLOUR_INSIDE
                                                : COLOUR_CLOTH;
        }
    for (int i = 0; i < in->intersections.count; i++)
        for (int k = 0; k < 2; k++) c->colour[in->intersections.pair[i][k]] = COLOUR_INTERSECTING;
}

/* Vertex of a node in a colour, added on first use. */
static int add_vertex(canvas *c, int node, int colour) {
    int *known = &c->vertex_of[node][colour];
    if (*known >= 0) return *known;
    c->x[c->vertex_count] = c->in->x[node];
    c->vertex_colour[c->vertex_count] = colours[colour];
    return *known = c->vertex_count++;
}

static void make_vertices(canvas *c) {
    memset(c->vertex_of, 0xff, (size_t)c->in->node_count * sizeof *c->vertex_of);
    for (int f = 0; f < c->in->face_count; f++) {
        c->face_colour[f] = colours[c->colour[f]];
        for (int k = 0; k < 3; k++) c->face[f][k] = add_vertex(c, c->in->face[f][k], c->colour[f]);
    }
}

static vo_result save(const canvas *c, const char *path) {
    vo_ply ply = {.comment =
                      "red: faces that intersect; orange: faces with a node inside an obstacle",
                  .vertex_count = c->vertex_count,
                  .x = c->x,
                  .vertex_colour = c->vertex_colour,
                  .face_count = c->in->face_count,
                  .face = (const int(*)[3])c->face,
                  .face_colour = c->face_colour};
    return vo_ply_save(c->in->ctx, &ply, path);
}

vo_result vo_inspector_save_ply(vo_inspector *in, const char *path) {
    if (in->face_count == 0)
        return vo_fail(in->ctx, VO_BAD_DATA, "%s: not written: there are no faces", path);
    canvas c = {.in = in};
    vo_result result = VO_OK;
    if (create(&c)) {
        colour_faces(&c);
        make_vertices(&c);
        result = save(&c, path);
    } else
        result = vo_fail_memory(in->ctx, path);
    destroy(&c);
    return result;
}
