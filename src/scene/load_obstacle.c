/* Obstacles of a scene file: a list, or a pattern such as bodies/body%04d.obj. */
#include "codec/obj.h"
#include "scene/build.h"
#include "scene/load.h"

#include <stdio.h>
#include <string.h>

/* A pattern taken apart: what stands before and after its one conversion. No pattern is ever handed
 * to printf. */
typedef struct pattern {
    char before[VO_PATH_SIZE], after[VO_PATH_SIZE];
    int width;
    bool zeros;
} pattern;

/* Copies up to the next conversion or the end, with %% as %; where it stopped. */
static const char *copy_plain(const char *from, char *to) {
    while (*from && (from[0] != '%' || from[1] == '%')) {
        from += from[0] == '%';
        *to++ = *from++;
    }
    *to = 0;
    return from;
}

/* %d, %4d, %04d, with i or u for d as well. */
static bool read_pattern(const char *text, pattern *out) {
    if (strlen(text) >= VO_PATH_SIZE) return false;
    const char *at = copy_plain(text, out->before);
    if (*at++ != '%') return false;
    out->zeros = *at == '0';
    at += out->zeros;
    out->width = 0;
    for (; *at >= '0' && *at <= '9' && out->width < 10; at++)
        out->width = out->width * 10 + (*at - '0');
    if (*at != 'd' && *at != 'i' && *at != 'u') return false;
    return *copy_plain(at + 1, out->after) == 0 && out->width <= 20;
}

/* False if the name is too long. */
static bool write_name(const pattern *p, int number, char *out, size_t size) {
    char digits[32];
    snprintf(digits, sizeof digits, p->zeros ? "%0*d" : "%*d", p->width, number);
    int length = snprintf(out, size, "%s%s%s", p->before, digits, p->after);
    return length >= 0 && (size_t)length < size;
}

/* Appends what the pattern means for file number i. */
static vo_result put_obstacle(const vo_loader *loader, const vo_json_at *list, const char *name,
                              int i) {
    vo_json_at obstacle;
    VO_TRY(vo_json_put_object(list, NULL, &obstacle));
    VO_TRY(vo_json_put_string(&obstacle, "mesh", name));
    return vo_json_put_int(&obstacle, "motion", i < loader->scene->motion_count ? i : -1);
}

/* Appends an obstacle for each file there is: 0, 1, 2... */
static vo_result expand(vo_loader *loader, vo_json_at at, const pattern *p,
                        const vo_json_at *list) {
    char name[VO_PATH_SIZE], path[VO_PATH_SIZE];
    for (int i = 0;; i++) {
        bool found;
        if (!write_name(p, i, name, sizeof name)) return vo_json_fail(at, "the path is too long");
        VO_TRY(vo_loader_find(loader, at, name, i == 0 ? NULL : &found, path));
        if (i > 0 && !found) return VO_OK;
        VO_TRY(put_obstacle(loader, list, name, i));
    }
}

/* Replaces the pattern in the document by the list it stands for. */
static vo_result expand_pattern(vo_loader *loader, const vo_json_at *root) {
    vo_json_at at = vo_json_get(root, "obstacles"), list;
    static const char advice[] = "expected a path with one whole number, such as body%04d.obj";
    pattern p;
    if (!read_pattern(vo_get_string(root, "obstacles"), &p)) return vo_json_fail(at, "%s", advice);
    vo_json_doc made;
    VO_TRY(vo_json_new(loader->ctx, at.file, &made));
    vo_json_at top = vo_json_root(&made);
    vo_result result = vo_json_put_array(&top, "obstacles", &list);
    if (result == VO_OK) result = expand(loader, at, &p, &list);
    if (result == VO_OK) result = vo_json_put_copy(root, "obstacles", list);
    vo_json_free(&made);
    if (result != VO_OK) return result;
    return vo_scene_check(loader->doc, (char[2]){0}, 2); /* fills in the new objects' defaults */
}

/* From a file, or made to measure. */
static vo_result load_mesh(vo_loader *loader, const vo_json_at *at, vo_mesh **out) {
    bool has_mesh = vo_has(at, "mesh"), has_shape = vo_has(at, "shape");
    if (has_mesh && has_shape)
        return vo_json_fail(vo_json_get(at, "shape"), "mesh and shape exclude each other");
    if (!has_mesh && !has_shape)
        return vo_json_fail(vo_json_get(at, "mesh"),
                            "is missing; an obstacle needs a mesh or a shape");
    if (has_shape) return vo_load_shape(loader, vo_json_get(at, "shape"), out);
    char path[VO_PATH_SIZE];
    VO_TRY(vo_loader_file(loader, at, "mesh", path));
    return vo_at_fault(vo_json_get(at, "mesh"),
                       vo_obj_load(loader->ctx, path, VO_MESH_FOR_OBSTACLE, out));
}

static vo_result load_obstacle(vo_loader *loader, vo_json_at at) {
    vo_mesh *mesh = NULL;
    VO_TRY(load_mesh(loader, &at, &mesh));
    vo_obstacle_def def = {.motion = vo_get_int(&at, "motion", -1),
                           .start = vo_get_real(&at, "start_time"),
                           .end = vo_get_limit(&at, "end_time", INFINITY)};
    vo_transform placement =
        xf_mul(loader->frame, vo_pose_transform(vo_get_pose(&at, "transform")));
    vo_result result = vo_scene_take_obstacle(loader->scene, &def, mesh, placement, NULL);
    if (result != VO_OK) vo_mesh_destroy(mesh);
    return vo_at_fault(at, result);
}

vo_result vo_load_obstacles(vo_loader *loader, const vo_json_at *root) {
    if (vo_json_kind(vo_json_get(root, "obstacles")) == VO_JSON_STRING)
        VO_TRY(expand_pattern(loader, root));
    vo_json_at list = vo_json_get(root, "obstacles");
    for (int i = 0; i < vo_json_length(list); i++)
        VO_TRY(load_obstacle(loader, vo_json_item(&list, i)));
    return VO_OK;
}
