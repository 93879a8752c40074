#include "preview.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Faces that meet at a sharper angle than this keep their crease. */
static const double SMOOTH_COSINE = 0.5;

/* Makes room for one more element of each of the arrays that share a capacity. */
static bool grow(int count, int *capacity, void **array, size_t size) {
    if (count < *capacity) return true;
    int wanted = *capacity < 1024 ? 1024 : *capacity / 2 * 3;
    void *bigger = realloc(*array, (size_t)wanted * size);
    if (!bigger) return complain("out of memory");
    *array = bigger;
    *capacity = wanted;
    return true;
}

static bool add_node(model *m, vo_vec3 p) {
    if (!grow(m->node_count, &m->node_capacity, (void **)&m->node, sizeof *m->node)) return false;
    m->node[m->node_count++] = p;
    return true;
}

static bool add_face(model *m, const int node[3], vo_vec3 color) {
    int capacity = m->face_capacity;
    if (!grow(m->face_count, &capacity, (void **)&m->face_color, sizeof *m->face_color))
        return false;
    if (!grow(m->face_count, &m->face_capacity, (void **)&m->face, sizeof *m->face)) return false;
    memcpy(m->face[m->face_count], node, sizeof m->face[0]);
    m->face_color[m->face_count++] = color;
    return true;
}

/* A file while it is read: the number of its first node and of the current line. */
typedef struct reader {
    model *m;
    const char *path;
    int first, line;
    vo_vec3 move, color;
} reader;

static bool bad_line(const reader *r, const char *what) {
    return complain("%s: line %d: %s", r->path, r->line, what);
}

static bool read_node(reader *r, const char *text) {
    double x[3];
    for (int i = 0; i < 3; i++) {
        char *end;
        x[i] = strtod(text, &end);
        if (end == text || !isfinite(x[i])) return bad_line(r, "a vertex needs three numbers");
        text = end;
    }
    return add_node(r->m, v3_add(v3(x[0], x[1], x[2]), r->move));
}

/* One "a/b/c" of a face; counts from 1, negative numbers from the end. -1 if it is no node. */
static int read_corner(const reader *r, const char **text) {
    char *end;
    long n = strtol(*text, &end, 10);
    if (end == *text) return -1;
    while (*end && !isspace((unsigned char)*end)) end++;
    *text = end;
    long node = n < 0 ? r->m->node_count + n : r->first + n - 1;
    return node >= r->first && node < r->m->node_count ? (int)node : -1;
}

static const char *skip_space(const char *text) {
    while (isspace((unsigned char)*text)) text++;
    return text;
}

static bool read_face(reader *r, const char *text) {
    int corner[3] = {-1, -1, -1}, count = 0;
    for (text = skip_space(text); *text && *text != '#'; text = skip_space(text)) {
        int node = read_corner(r, &text);
        if (node < 0) return bad_line(r, "a face names a vertex that does not exist");
        if (count < 2) {
            corner[count] = node;
        } else {
            corner[2] = node;
            if (!add_face(r->m, corner, r->color)) return false;
            corner[1] = node;
        }
        count++;
    }
    return count >= 3 || bad_line(r, "a face needs three vertices");
}

static bool read_line(reader *r, const char *text) {
    text = skip_space(text);
    if (text[0] == 'v' && isspace((unsigned char)text[1])) return read_node(r, text + 1);
    if (text[0] == 'f' && isspace((unsigned char)text[1])) return read_face(r, text + 1);
    return true;
}

bool model_load_obj(model *m, const char *path, vo_vec3 move, vo_vec3 color) {
    FILE *file = fopen(path, "r");
    if (!file) return complain("%s: %s", path, strerror(errno));
    reader r = {.m = m, .path = path, .first = m->node_count, .move = move, .color = color};
    char *text = NULL;
    size_t size = 0;
    bool good = true;
    while (good && getline(&text, &size, file) >= 0) {
        r.line++;
        good = read_line(&r, text);
    }
    if (good && ferror(file)) good = complain("%s: %s", path, strerror(errno));
    free(text);
    fclose(file);
    return good;
}

/* Twice the area, along the normal. */
static vo_vec3 face_area_vector(const model *m, int f) {
    const int *n = m->face[f];
    return v3_cross(v3_sub(m->node[n[1]], m->node[n[0]]), v3_sub(m->node[n[2]], m->node[n[0]]));
}

/* The faces around each node: [start[n], start[n + 1]) of list. */
static void list_faces(const model *m, int *start, int *list) {
    for (int f = 0; f < m->face_count; f++)
        for (int i = 0; i < 3; i++) start[m->face[f][i] + 1]++;
    for (int n = 0; n < m->node_count; n++) start[n + 1] += start[n];
    for (int f = m->face_count - 1; f >= 0; f--)
        for (int i = 0; i < 3; i++) list[--start[m->face[f][i] + 1]] = f;
    /* Filling moved each end back to its beginning: shift by one to put them right. */
    memmove(start, start + 1, (size_t)m->node_count * sizeof *start);
    start[m->node_count] = 3 * m->face_count;
}

/* The mean of the faces around a corner, weighted by area, without those beyond a crease. */
static vo_vec3 corner_normal(const model *m, const int *start, const int *list, int f, int node) {
    vo_vec3 own = v3_normalize(face_area_vector(m, f)), sum = v3_zero();
    for (int i = start[node]; i < start[node + 1]; i++) {
        vo_vec3 other = face_area_vector(m, list[i]);
        if (v3_dot(own, v3_normalize(other)) > SMOOTH_COSINE) sum = v3_add(sum, other);
    }
    return v3_normalize(v3_length2(sum) > 0 ? sum : own);
}

bool model_find_normals(model *m) {
    int *start = calloc((size_t)m->node_count + 1, sizeof *start);
    int *list = malloc((3 * (size_t)m->face_count + 1) * sizeof *list);
    m->face_normal = malloc(((size_t)m->face_count + 1) * sizeof *m->face_normal);
    bool good = start && list && m->face_normal;
    if (good) {
        list_faces(m, start, list);
        for (int f = 0; f < m->face_count; f++)
            for (int i = 0; i < 3; i++)
                m->face_normal[f][i] = corner_normal(m, start, list, f, m->face[f][i]);
    } else {
        complain("out of memory");
    }
    free(start);
    free(list);
    return good;
}

void model_free(model *m) {
    free(m->node);
    free(m->face);
    free(m->face_color);
    free(m->face_normal);
    *m = (model){0};
}
