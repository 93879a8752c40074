#include "view_words.h"

#include "message.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool view_read_real(const char *words, double *out) {
    char *end;
    *out = strtod(words, &end);
    return end != words && *end == 0 && isfinite(*out);
}

int view_read_size(const char *words, int *width, int *height) {
    char *middle = NULL, *end = NULL;
    if (!words) return CLI_DONE;
    long w = strtol(words, &middle, 10);
    long h = *middle == 'x' ? strtol(middle + 1, &end, 10) : 0;
    if (!end || *end || w < 1 || w > 16384 || h < 1 || h > 16384)
        return cli_fail(CLI_USAGE_ERROR,
                        "--size needs pixels as WxH, for example 1280x720 and at most "
                        "16384x16384, not \"%s\".",
                        words);
    *width = (int)w;
    *height = (int)h;
    return CLI_DONE;
}

/* Sets one KEY=VALUE of --camera. Prints a message and returns CLI_USAGE_ERROR if it is invalid. */
static int set_key(const char *key, const char *value, vo_render_options *shot,
                   vo_framing_mode *fit) {
    struct {
        const char *name;
        double *field;
    } keys[] = {{"azimuth", &shot->azimuth},
                {"elevation", &shot->elevation},
                {"fov", &shot->fov_long_side},
                {"zoom", &shot->zoom}};
    if (strcmp(key, "fit") == 0) {
        *fit = strcmp(value, "each") == 0 ? VO_FRAMING_PER_FRAME : VO_FRAMING_WHOLE_RUN;
        if (*fit == VO_FRAMING_PER_FRAME || strcmp(value, "all") == 0) return CLI_DONE;
        return cli_fail(CLI_USAGE_ERROR, "--camera fit=%s: must be all or each.", value);
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i].name) != 0) continue;
        if (view_read_real(value, keys[i].field)) return CLI_DONE;
        return cli_fail(CLI_USAGE_ERROR, "--camera %s=%s: must be a number.", key, value);
    }
    return cli_fail(CLI_USAGE_ERROR,
                    "--camera has the keys azimuth, elevation, fov, zoom and fit, not \"%s\".",
                    key);
}

/* Parses a list of settings: "azimuth=30,zoom=2". */
static int read_keys(const char *words, vo_render_options *shot, vo_framing_mode *fit) {
    char part[64];
    while (*words) {
        size_t length = strcspn(words, ",");
        if (length >= sizeof part)
            return cli_fail(CLI_USAGE_ERROR, "--camera needs KEY=VALUE, not \"%.*s\".", (int)length,
                            words);
        memcpy(part, words, length);
        part[length] = 0;
        char *equals = strchr(part, '=');
        if (!equals)
            return cli_fail(CLI_USAGE_ERROR, "--camera needs KEY=VALUE, not \"%s\".", part);
        *equals = 0;
        int code = set_key(part, equals + 1, shot, fit);
        if (code != CLI_DONE) return code;
        words += length + (words[length] == ',');
    }
    return CLI_DONE;
}

int view_read_camera(const char *words, vo_render_options *shot, vo_framing_mode *fit,
                     const char **camera) {
    if (!words) return CLI_DONE;
    bool keys = strchr(words, '=') != NULL;
    *camera = keys ? "none" : words;
    return keys ? read_keys(words, shot, fit) : CLI_DONE;
}
