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
        return cli_fail(CLI_BAD_CALL,
                        "--size wants pixels as WxH, for example 1280x720 and at most "
                        "16384x16384, not \"%s\".",
                        words);
    *width = (int)w;
    *height = (int)h;
    return CLI_DONE;
}

/* One KEY=VALUE of --camera. */
static int set_key(const char *key, const char *value, vo_shot *shot, vo_fit_kind *fit) {
    struct {
        const char *name;
        double *field;
    } keys[] = {{"azimuth", &shot->azimuth},
                {"elevation", &shot->elevation},
                {"field", &shot->field},
                {"zoom", &shot->zoom}};
    if (strcmp(key, "fit") == 0) {
        *fit = strcmp(value, "each") == 0 ? VO_FIT_EACH : VO_FIT_ALL;
        if (*fit == VO_FIT_EACH || strcmp(value, "all") == 0) return CLI_DONE;
        return cli_fail(CLI_BAD_CALL, "--camera fit=%s: it is all or each.", value);
    }
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(key, keys[i].name) != 0) continue;
        if (view_read_real(value, keys[i].field)) return CLI_DONE;
        return cli_fail(CLI_BAD_CALL, "--camera %s=%s: wants a number.", key, value);
    }
    return cli_fail(CLI_BAD_CALL,
                    "--camera knows azimuth, elevation, field, zoom and fit, not \"%s\".", key);
}

/* "azimuth=30,zoom=2" */
static int read_keys(const char *words, vo_shot *shot, vo_fit_kind *fit) {
    char part[64];
    while (*words) {
        size_t length = strcspn(words, ",");
        if (length >= sizeof part)
            return cli_fail(CLI_BAD_CALL, "--camera wants KEY=VALUE, not \"%.*s\".", (int)length,
                            words);
        memcpy(part, words, length);
        part[length] = 0;
        char *equals = strchr(part, '=');
        if (!equals) return cli_fail(CLI_BAD_CALL, "--camera wants KEY=VALUE, not \"%s\".", part);
        *equals = 0;
        int code = set_key(part, equals + 1, shot, fit);
        if (code != CLI_DONE) return code;
        words += length + (words[length] == ',');
    }
    return CLI_DONE;
}

int view_read_camera(const char *words, vo_shot *shot, vo_fit_kind *fit, const char **camera) {
    if (!words) return CLI_DONE;
    bool keys = strchr(words, '=') != NULL;
    *camera = keys ? "none" : words;
    return keys ? read_keys(words, shot, fit) : CLI_DONE;
}
