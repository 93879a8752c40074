/* A crowd: the characters of a scene and what they wear, at many places. The document is written
 * out: what the other loaders see, and what a run keeps, is a long list of characters and garments
 * and no crowd. Equal bodies and garments are made once all the same (scene/body.h, sim/sew.h). */
#include "core/random.h"
#include "scene/load.h"

#include <string.h>

enum { MOST_CHARACTERS = 100000 };

/* Where a copy of the set-up goes. */
typedef struct place {
    vo_transform transform; /* in the file's units and axes */
    double start;           /* s, further into the motions */
} place;

/* ---- places --------------------------------------------------------------------------------- */

typedef struct grid {
    int rows, columns;
    double spacing[2], turn, delay;
    vo_vec3 across, along, up; /* unit vectors of the file's axes */
    vo_random random;
} grid;

static grid read_grid(const vo_json_at *root, const vo_json_at *crowd) {
    grid g = {.spacing = {2, 2},
              .rows = vo_get_int(crowd, "rows", 1),
              .columns = vo_get_int(crowd, "columns", 1),
              .turn = vo_get_real(crowd, "turn"),
              .delay = vo_get_real(crowd, "delay"),
              .random = vo_random_seed((uint64_t)vo_get_int(crowd, "seed", 1))};
    (void)vo_json_read_reals(vo_json_get(crowd, "spacing"), g.spacing, 2);
    char axis = vo_get_string(root, "up_axis")[0];
    g.up = v3(axis == 'x', axis == 'y', axis == 'z');
    g.across = axis == 'x' ? v3(0, 1, 0) : v3(1, 0, 0);
    g.along = v3_cross(g.up, g.across);
    return g;
}

/* The grid has keys that would mean nothing beside a list of places. */
static vo_result exclude_grid(const vo_json_at *crowd) {
    static const char *const keys[] = {"rows", "columns", "spacing", "turn", "delay", "seed"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (vo_has(crowd, keys[i]))
            return vo_json_fail(vo_json_get(crowd, keys[i]), "places and %s exclude each other",
                                keys[i]);
    return VO_OK;
}

/* The k-th place of the grid, by rows; the grid lies around the origin. */
static place grid_place(grid *g, int k) {
    double x = (k % g->columns - 0.5 * (g->columns - 1)) * g->spacing[0];
    double y = (k / g->columns - 0.5 * (g->rows - 1)) * g->spacing[1];
    double turn = vo_random_real(&g->random, -g->turn, g->turn);
    place p = {.transform = xf_identity(), .start = vo_random_real(&g->random, 0, g->delay)};
    p.transform.translation = v3_add(v3_scale(x, g->across), v3_scale(y, g->along));
    p.transform.rotation = q_axis_angle(g->up, turn * (VO_PI / 180));
    return p;
}

static place given_place(const vo_json_at *places, int k) {
    vo_json_at at = vo_json_item(places, k);
    return (place){vo_pose_transform(vo_get_pose(&at, "transform")), vo_get_real(&at, "start")};
}

/* ---- copies --------------------------------------------------------------------------------- */

static vo_result put_transform(const vo_json_at *in, vo_transform t) {
    vo_json_at at;
    double angle = 2 * atan2(v3_length(v3(t.rotation.x, t.rotation.y, t.rotation.z)), t.rotation.w);
    double turn[4] = {angle * (180 / VO_PI), t.rotation.x, t.rotation.y, t.rotation.z};
    VO_TRY(vo_json_put_object(in, "transform", &at));
    VO_TRY(vo_json_put_reals(&at, "translate", &t.translation.x, 3));
    VO_TRY(vo_json_put_real(&at, "scale", t.scale));
    return vo_json_put_reals(&at, "rotate", turn, 4);
}

/* A motion that is a path becomes an object, so that it can have a start. */
static vo_result put_start(const vo_json_at *character, vo_json_at motion, double start) {
    vo_json_at at;
    if (!vo_json_present(motion) || start == 0) return VO_OK;
    if (vo_json_kind(motion) == VO_JSON_STRING) {
        VO_TRY(vo_json_put_object(character, "motion", &at));
        VO_TRY(vo_json_put_copy(&at, "file", motion));
        return vo_json_put_real(&at, "start", start);
    }
    at = vo_json_get(character, "motion");
    return vo_json_put_real(&at, "start", start + vo_get_real(&motion, "start"));
}

static vo_result copy_character(const vo_json_at *list, vo_json_at from, const place *p) {
    VO_TRY(vo_json_put_copy(list, NULL, from));
    vo_json_at made = vo_json_item(list, vo_json_length(*list) - 1);
    vo_transform own = vo_pose_transform(vo_get_pose(&from, "transform"));
    VO_TRY(put_transform(&made, xf_mul(p->transform, own)));
    return put_start(&made, vo_json_get(&from, "motion"), p->start);
}

static vo_result copy_garment(const vo_json_at *list, vo_json_at from, int first) {
    VO_TRY(vo_json_put_copy(list, NULL, from));
    vo_json_at made = vo_json_item(list, vo_json_length(*list) - 1);
    return vo_json_put_int(&made, "character", first + vo_get_int(&from, "character", 0));
}

/* Everybody and what they wear, once more. */
static vo_result copy_all(const vo_json_at *root, const vo_json_at *made, const place *p, int k) {
    vo_json_at characters = vo_json_get(root, "characters"),
               garments = vo_json_get(root, "garments");
    vo_json_at to_characters = vo_json_get(made, "characters");
    vo_json_at to_garments = vo_json_get(made, "garments");
    int count = vo_json_length(characters);
    for (int i = 0; i < count; i++)
        VO_TRY(copy_character(&to_characters, vo_json_item(&characters, i), p));
    for (int i = 0; i < vo_json_length(garments); i++)
        VO_TRY(copy_garment(&to_garments, vo_json_item(&garments, i), k * count));
    return VO_OK;
}

static vo_result write_out(const vo_json_at *root, const vo_json_at *crowd,
                           const vo_json_at *made) {
    vo_json_at places = vo_json_get(crowd, "places"), list;
    grid g = read_grid(root, crowd);
    bool given = vo_json_length(places) > 0;
    double count = given ? vo_json_length(places) : (double)g.rows * g.columns;
    int each = vo_json_length(vo_json_get(root, "characters"));
    if (given) VO_TRY(exclude_grid(crowd));
    if (each == 0) return vo_json_fail(*crowd, "the scene has no characters to be copied");
    if (count * each > MOST_CHARACTERS)
        return vo_json_fail(*crowd, "%g characters are more than %d", count * each,
                            MOST_CHARACTERS);
    VO_TRY(vo_json_put_array(made, "characters", &list));
    VO_TRY(vo_json_put_array(made, "garments", &list));
    for (int k = 0; k < (int)count; k++) {
        VO_TRY(vo_check_stop(root->ctx));
        place p = given ? given_place(&places, k) : grid_place(&g, k);
        VO_TRY(copy_all(root, made, &p, k));
    }
    return VO_OK;
}

vo_result vo_load_crowd(vo_loader *loader, const vo_json_at *root) {
    vo_json_at crowd = vo_json_get(root, "crowd");
    if (!vo_json_present(crowd)) return VO_OK;
    loader->detail = vo_get_real(&crowd, "detail");
    loader->copied = vo_json_length(vo_json_get(root, "characters"));
    vo_json_doc doc;
    VO_TRY(vo_json_new(loader->ctx, crowd.file, &doc));
    vo_json_at made = vo_json_root(&doc);
    vo_result result = write_out(root, &crowd, &made);
    if (result == VO_OK)
        result = vo_json_put_copy(root, "characters", vo_json_get(&made, "characters"));
    if (result == VO_OK)
        result = vo_json_put_copy(root, "garments", vo_json_get(&made, "garments"));
    vo_json_free(&doc);
    VO_TRY(result);
    vo_json_remove(root, "crowd");
    return vo_scene_check(loader->doc, (char[2]){0}, 2); /* fills in the new objects' defaults */
}
