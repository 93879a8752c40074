#include "preview.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char USAGE[] =
    "usage: voile-preview [options] FILE.obj... -o FILE.png\n"
    "\n"
    "  -o FILE             where the picture goes\n"
    "  --size WxH          pixels (960x720)\n"
    "  --azimuth DEGREES   turn the camera around the up axis (30)\n"
    "  --elevation DEGREES raise it (15)\n"
    "  --field DEGREES     vertical opening (28)\n"
    "  --zoom FACTOR       1 fits everything into the picture\n"
    "  --fit X,Y,Z,X,Y,Z   fit this box instead, the same for every frame of a movie\n"
    "  --up y|z            the up axis (z)\n"
    "  --ground [HEIGHT]   shadows on the ground, at the lowest point or at HEIGHT\n"
    "  --wire              draw the edges\n"
    "  --samples N         N x N samples a pixel (3)\n"
    "  --background RRGGBB (f4f2ee)\n"
    "these hold for the files after them:\n"
    "  --color RRGGBB      without it each file gets the next of a list\n"
    "  --move X,Y,Z        shift\n";

static const unsigned PALETTE[] = {0xb5404a, 0x9a948c, 0x3c6fa3, 0xd79b3b, 0x4f8a5b, 0x7d5a94};

bool complain(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("voile-preview: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return false;
}

static double decode(unsigned byte) {
    double x = byte / 255.0;
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4); /* sRGB */
}

static vo_vec3 linear_color(unsigned rgb) {
    return v3(decode(rgb >> 16 & 255), decode(rgb >> 8 & 255), decode(rgb & 255));
}

/* What the command line says. */
typedef struct options {
    view v;
    model m;
    const char *output;
    int files;
    bool color_given;
    vo_vec3 color, move;
} options;

/* The arguments that are left. */
typedef struct arguments {
    int count;
    char **list;
} arguments;

static const char *next(arguments *a, const char *name) {
    if (a->count == 0) {
        complain("%s needs a value", name);
        return NULL;
    }
    a->count--;
    return *a->list++;
}

/* Exactly `count` finite numbers with commas between. */
static bool parse_reals(const char *text, double *out, int count) {
    for (int i = 0; i < count; i++) {
        char *end;
        out[i] = strtod(text, &end);
        if (end == text || !isfinite(out[i]) || *end != (i + 1 < count ? ',' : '\0')) return false;
        text = end + 1;
    }
    return true;
}

static bool read_reals(arguments *a, const char *name, double *out, int count) {
    const char *text = next(a, name);
    if (!text) return false;
    if (parse_reals(text, out, count)) return true;
    complain("%s: expected %d number%s, found %s", name, count, count > 1 ? "s" : "", text);
    return false;
}

static bool read_color(arguments *a, const char *name, vo_vec3 *out) {
    const char *text = next(a, name);
    if (!text) return false;
    if (strlen(text) != 6 || strspn(text, "0123456789abcdefABCDEF") != 6)
        return complain("%s: expected six hexadecimal digits, found %s", name, text);
    *out = linear_color((unsigned)strtoul(text, NULL, 16));
    return true;
}

static bool read_size(arguments *a, const char *name, view *v) {
    const char *text = next(a, name);
    if (!text) return false;
    char *middle = NULL, *end = NULL;
    long width = strtol(text, &middle, 10);
    long height = *middle == 'x' ? strtol(middle + 1, &end, 10) : 0;
    if (!end || *end || width < 1 || width > 8192 || height < 1 || height > 8192)
        return complain("--size: expected for example 960x720, found %s", text);
    v->width = (int)width;
    v->height = (int)height;
    return true;
}

static bool read_samples(arguments *a, const char *name, view *v) {
    double n;
    if (!read_reals(a, name, &n, 1)) return false;
    if (!(n >= 1 && n <= 8)) return complain("%s: expected 1 to 8", name);
    v->samples = (int)n;
    return true;
}

static bool read_box(arguments *a, const char *name, view *v) {
    double b[6];
    if (!read_reals(a, name, b, 6)) return false;
    v->fit_given = true;
    v->fit_low = v3_min(v3(b[0], b[1], b[2]), v3(b[3], b[4], b[5]));
    v->fit_high = v3_max(v3(b[0], b[1], b[2]), v3(b[3], b[4], b[5]));
    return true;
}

static bool read_move(arguments *a, const char *name, vo_vec3 *move) {
    double x[3];
    if (!read_reals(a, name, x, 3)) return false;
    *move = v3(x[0], x[1], x[2]);
    return true;
}

static bool read_up(arguments *a, const char *name, view *v) {
    const char *text = next(a, name);
    if (!text) return false;
    v->y_up = strcmp(text, "y") == 0;
    return v->y_up || strcmp(text, "z") == 0 || complain("--up: expected y or z, found %s", text);
}

/* Its number may be left out. */
static bool read_ground(arguments *a, view *v) {
    v->ground = true;
    if (a->count > 0 && parse_reals(*a->list, &v->ground_height, 1))
        next(a, "--ground");
    else
        v->ground_height = NAN;
    return true;
}

static bool load_file(options *o, const char *path) {
    vo_vec3 color = o->color;
    if (!o->color_given)
        color = linear_color(PALETTE[(size_t)o->files % (sizeof PALETTE / sizeof *PALETTE)]);
    o->files++;
    return model_load_obj(&o->m, path, o->move, color);
}

static bool read_option(options *o, arguments *a, const char *name) {
    view *v = &o->v;
    if (!strcmp(name, "-o")) return (o->output = next(a, name)) != NULL;
    if (!strcmp(name, "--size")) return read_size(a, name, v);
    if (!strcmp(name, "--azimuth")) return read_reals(a, name, &v->azimuth, 1);
    if (!strcmp(name, "--elevation")) return read_reals(a, name, &v->elevation, 1);
    if (!strcmp(name, "--field")) return read_reals(a, name, &v->field, 1);
    if (!strcmp(name, "--zoom")) return read_reals(a, name, &v->zoom, 1);
    if (!strcmp(name, "--fit")) return read_box(a, name, v);
    if (!strcmp(name, "--up")) return read_up(a, name, v);
    if (!strcmp(name, "--ground")) return read_ground(a, v);
    if (!strcmp(name, "--wire")) return v->wire = true;
    if (!strcmp(name, "--samples")) return read_samples(a, name, v);
    if (!strcmp(name, "--background")) return read_color(a, name, &v->background);
    if (!strcmp(name, "--color")) return o->color_given = read_color(a, name, &o->color);
    if (!strcmp(name, "--move")) return read_move(a, name, &o->move);
    if (name[0] == '-') return complain("no such option: %s", name);
    return load_file(o, name);
}

static bool check_options(const options *o) {
    if (!o->output) return complain("no -o FILE.png given");
    if (o->m.face_count == 0) return complain("no triangles to draw");
    if (!(o->v.field > 0.1 && o->v.field < 170)) return complain("--field: expected 0.1 to 170");
    if (!(o->v.zoom > 0)) return complain("--zoom: expected a positive number");
    return true;
}

static bool draw(options *o) {
    unsigned char *rgb = malloc((size_t)o->v.width * (size_t)o->v.height * 3);
    bool good = rgb ? model_find_normals(&o->m) && render(&o->m, &o->v, rgb) &&
                          png_write(o->output, o->v.width, o->v.height, rgb)
                    : complain("out of memory");
    free(rgb);
    return good;
}

int main(int count, char **list) {
    options o = {.v = {.width = 960,
                       .height = 720,
                       .samples = 3,
                       .azimuth = 30,
                       .elevation = 15,
                       .field = 28,
                       .zoom = 1,
                       .background = linear_color(0xf4f2ee)}};
    arguments a = {count - 1, list + 1};
    if (count < 2 || !strcmp(list[1], "--help")) {
        fputs(USAGE, count < 2 ? stderr : stdout);
        return count < 2 ? 2 : 0;
    }
    bool good = true;
    while (good && a.count > 0) good = read_option(&o, &a, next(&a, ""));
    good = good && check_options(&o);
    int code = good ? (draw(&o) ? 0 : 1) : 2;
    model_free(&o.m);
    return code;
}
