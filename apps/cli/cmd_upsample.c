/* voile upsample: actions of learned upsampling. */
#include "cli.h"

#include "message.h"
#include "progress.h"
#include "sew_options.h"
#include "signal_handler.h"
#include "text.h"
#include "upsample_print.h"
#include "view_words.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LIST = 64, MAX_SURFACES = 8, MAX_SURFACE_TEXT = 1024 };

/* Words of --surfaces. */
typedef struct surface_list {
    char text[MAX_SURFACE_TEXT];
    const char *name[MAX_SURFACES];
    int count;
} surface_list;

/* A running action. */
typedef struct session {
    vo_context *ctx;
    const cli_args *args;
    progress bar;
    double start; /* s */
    int scene;    /* of the last progress */
} session;

/* ---- the call -------------------------------------------------------------------------------- */

/* Index of a word in a list that ends with NULL; `fallback` if it is not given. */
static int find_word(const char *word, const char *const *words, int fallback) {
    for (int i = 0; word && words[i]; i++)
        if (strcmp(word, words[i]) == 0) return i;
    return fallback;
}

static int read_whole(const char *option, const char *words, int low, int high, int *out) {
    double value = *out;
    const cli_number number = {option, words, low, high, &value};
    int code = cli_read_numbers(1, &number);
    if (code == CLI_DONE && value != (int)value)
        return cli_fail(CLI_USAGE_ERROR, "--%s needs a whole number, not \"%s\".", option, words);
    *out = (int)value;
    return code;
}

/* Reads --rank: a whole number or "auto". */
static int read_rank(const cli_args *args, int *rank) {
    *rank = 0;
    if (args->rank && strcmp(args->rank, "auto") == 0) {
        *rank = VO_UPSAMPLE_RANK_AUTO;
        return CLI_DONE;
    }
    return read_whole("rank", args->rank, 1, CLI_MAX_MANY, rank);
}

/* Reads "1,1e5". */
static int read_gamma(const char *words, vo_upsample_fit_def *fit) {
    char *comma = NULL, *end = NULL;
    if (!words) return CLI_DONE;
    double first = strtod(words, &comma), last = 0;
    if (comma != words && *comma == ',') last = strtod(comma + 1, &end);
    if (!end || *end || !(first >= 1e-6) || !(last >= first) || !(last <= 1e9))
        return cli_fail(
            CLI_USAGE_ERROR,
            "--gamma needs two penalties from 1e-6 to 1e9, the second not smaller, for example "
            "1,1e5, not \"%s\".",
            words);
    fit->gamma_first = first;
    fit->gamma_last = last;
    return CLI_DONE;
}

/* Reads whole numbers separated by commas. */
static int read_list(const char *option, const char *words, int low, int *count, int *out) {
    *count = 0;
    for (const char *at = words; at;) {
        char *end;
        long value = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || value < low || value > CLI_MAX_MANY)
            return cli_fail(CLI_USAGE_ERROR,
                            "--%s needs whole numbers from %d, such as 3,17, not "
                            "\"%s\".",
                            option, low, words);
        if (*count == MAX_LIST)
            return cli_fail(CLI_USAGE_ERROR, "--%s takes up to %d numbers.", option, MAX_LIST);
        out[(*count)++] = (int)value;
        at = *end ? end + 1 : NULL;
    }
    return CLI_DONE;
}

static int read_fit(const cli_args *args, vo_upsample_fit_def *fit, bool *choose) {
    static const char *const kinds[] = {"harmonic", "laplacian", "tikhonov", "linear",
                                        "cutoff",   "none",      NULL};
    static const char *const bases[] = {"barycentric", "loop", "none", NULL};
    *choose = args->exponent && strcmp(args->exponent, "auto") == 0;
    fit->regularisation = (vo_upsample_regularisation)find_word(args->regularisation, kinds,
                                                                (int)fit->regularisation);
    fit->base = (vo_upsample_base)find_word(args->base, bases, (int)fit->base);
    if (args->cutoff) fit->cutoff = args->cutoff;
    const cli_number numbers[] = {
        {"exponent", *choose ? NULL : args->exponent, 0.1, 100, &fit->exponent},
        {"alpha", args->alpha, 0, 1e9, &fit->alpha},
        {"beta", args->beta, 0, 1e9, &fit->beta}};
    int code = cli_read_numbers(sizeof numbers / sizeof *numbers, numbers);
    if (code == CLI_DONE) code = read_gamma(args->gamma, fit);
    if (code == CLI_DONE)
        code = read_whole("harmonics", args->harmonics, 1, CLI_MAX_MANY, &fit->harmonic_count);
    if (code == CLI_DONE) code = read_whole("history", args->history, 0, 4, &fit->history);
    if (code == CLI_DONE) code = read_whole("modes", args->modes, 0, 16, &fit->mode_count);
    return code;
}

static int read_tracking(const cli_args *args, vo_upsample_test_kind *kind, int *count) {
    static const char *const kinds[] = {"harmonic", "clustered", "none", NULL};
    *kind = (vo_upsample_test_kind)find_word(args->tracking, kinds, (int)*kind);
    return read_whole("test-functions", args->test_functions, 0, CLI_MAX_MANY, count);
}

/* Splits --surfaces at its commas. */
static int read_surfaces(const char *words, surface_list *out) {
    out->count = 0;
    if (!words) return CLI_DONE;
    if (strlen(words) >= sizeof out->text)
        return cli_fail(CLI_USAGE_ERROR, "--surfaces is longer than %d characters.",
                        MAX_SURFACE_TEXT - 1);
    strcpy(out->text, words);
    for (char *at = out->text; at;) {
        char *comma = strchr(at, ',');
        if (comma) *comma = 0;
        if (*at == 0 || out->count == MAX_SURFACES)
            return cli_fail(CLI_USAGE_ERROR, "--surfaces needs 1 to %d names, not \"%s\".",
                            MAX_SURFACES, words);
        out->name[out->count++] = at;
        at = comma ? comma + 1 : NULL;
    }
    return CLI_DONE;
}

static int read_view(const cli_args *args, vo_upsample_view *view) {
    vo_render_options options = vo_render_options_default();
    vo_framing_mode fit = VO_FRAMING_WHOLE_RUN;
    const char *camera = NULL;
    options.azimuth = view->azimuth;
    options.elevation = view->elevation;
    options.zoom = view->zoom;
    if (args->samples) view->samples = args->samples;
    int code = view_read_size(args->size, &view->width, &view->height);
    if (code == CLI_DONE) code = view_read_camera(args->camera, &options, &fit, &camera);
    if (code == CLI_DONE && camera && strcmp(camera, "none") != 0)
        code = cli_fail(CLI_USAGE_ERROR, "--camera needs KEY=VALUE,..., not \"%s\".", camera);
    view->azimuth = options.azimuth;
    view->elevation = options.elevation;
    view->zoom = options.zoom;
    return code;
}

/* Number of frames up to the last one; 0: all. */
static int count_frames(const cli_args *args) {
    return args->frames.last >= 0 ? args->frames.last + 1 : 0;
}

/* Checks the number of operands after the action, and that files can be read. */
static int need_files(const cli_args *args, int low, int high, const char *what) {
    int count = args->operand_count - 1;
    if (count < low || count > high)
        return cli_fail(CLI_USAGE_ERROR, "upsample %s needs %s.", args->operands[0], what);
    for (int i = 1; i <= count; i++) {
        if (cli_is_folder(args->operands[i])) continue;
        int code = cli_need_input(args->operands[i]);
        if (code != CLI_DONE) return code;
    }
    return CLI_DONE;
}

/* ---- progress -------------------------------------------------------------------------------- */

/* A vo_upsample_progress_fn. */
static bool after_frame(void *user, const vo_upsample_progress *state) {
    session *s = user;
    signal_wait_for_frame(true);
    if (state->scene != s->scene) {
        s->bar.seen_at = s->bar.frame_s = -1;
        s->scene = state->scene;
    }
    const vo_progress shown = {.frame = state->frame,
                               .last = state->frame_count - 1,
                               .elapsed_s = text_clock() - s->start};
    progress_show(&s->bar, &shown);
    return cli_flush() && !signal_received();
}

static int end_action(session *s, vo_result result) {
    progress_clear(&s->bar);
    if (result == VO_OK) return CLI_DONE;
    if (result == VO_CANCELLED) return cli_fail(CLI_CANCELLED, "%s", vo_context_message(s->ctx));
    return cli_fail_result(s->ctx, result);
}

/* ---- actions --------------------------------------------------------------------------------- */

/* Operands after the action: scenes, or folders of runs. */
static int set_inputs(const cli_args *args, vo_upsample_train_def *def) {
    int count = args->operand_count - 1, folders = 0;
    for (int i = 1; i <= count; i++) folders += cli_is_folder(args->operands[i]);
    if (folders == 0) {
        def->scene_count = count;
        def->scenes = args->operands + 1;
        return CLI_DONE;
    }
    if (folders < count || count % 2)
        return cli_fail(CLI_USAGE_ERROR,
                        "upsample train needs scenes, or folders of runs in pairs: first the "
                        "coarse, then the fine run.");
    if (args->override_count || args->tracking || args->test_functions)
        return cli_fail(CLI_USAGE_ERROR,
                        "--set, --tracking and --test-functions change simulations; runs have "
                        "been simulated already.");
    def->run_count = count;
    def->runs = args->operands + 1;
    return CLI_DONE;
}

/* Checks that no file is written twice, or both read and replaced by another kind. */
static int check_outputs(const cli_args *args, const char *file) {
    bool replaces = cli_is_same_file(args->asset, file);
    for (int i = 1; i < args->operand_count; i++) {
        replaces = replaces || cli_is_same_file(args->asset, args->operands[i]);
        if (strcmp(args->operands[0], "train") == 0 && cli_is_same_file(file, args->operands[i]))
            return cli_fail(CLI_USAGE_ERROR, "%s: is an input and would be overwritten.", file);
    }
    if (!replaces) return CLI_DONE;
    return cli_fail(CLI_USAGE_ERROR,
                    "%s: --asset would replace an input or the training file; name another file, "
                    "such as garment.vrt.",
                    args->asset);
}

static int train(session *s) {
    const cli_args *args = s->args;
    vo_upsample_train_def def = vo_upsample_train_def_default();
    vo_upsample_report report;
    int rank;
    if (!args->output)
        return cli_fail(CLI_USAGE_ERROR, "upsample train needs an output: -o FILE.vru.");
    int code = need_files(args, 1, 1024, "scenes, or a coarse and a fine run");
    if (code == CLI_DONE) code = set_inputs(args, &def);
    if (code == CLI_DONE) code = read_fit(args, &def.fit, &def.choose_exponent);
    if (code == CLI_DONE) code = read_tracking(args, &def.test_kind, &def.test_functions);
    if (code == CLI_DONE) code = cli_need_output(args->output);
    if (code == CLI_DONE) code = cli_need_output(args->asset);
    if (code == CLI_DONE) code = read_rank(args, &rank);
    if (code == CLI_DONE) code = check_outputs(args, args->output);
    if (code != CLI_DONE) return code;
    def.output = (vo_upsample_output){args->output, args->name, args->asset, rank};
    def.max_frames = count_frames(args);
    def.override_count = args->override_count;
    def.overrides = args->overrides;
    if (args->every) def.save_interval = args->every;
    def.restart = args->force;
    def.progress = after_frame;
    def.user = s;
    code = end_action(s, vo_upsample_train(s->ctx, &def, &report));
    if (code == CLI_DONE) upsample_print_report(args, args->output, &report);
    return code;
}

static int fit(session *s) {
    const cli_args *args = s->args;
    vo_upsample_refit_def def = vo_upsample_refit_def_default();
    vo_upsample_report report;
    int rank;
    int code = need_files(args, 1, 1, "a .vru file");
    if (code == CLI_DONE) code = read_fit(args, &def.fit, &def.choose_exponent);
    if (code == CLI_DONE) code = cli_need_output(args->output);
    if (code == CLI_DONE) code = cli_need_output(args->asset);
    if (code == CLI_DONE) code = read_rank(args, &rank);
    if (code != CLI_DONE) return code;
    def.validate = args->validate;
    def.input = args->operands[1];
    def.first_sequence = args->sequences.first;
    if (args->sequences.last >= 0)
        def.sequence_count = args->sequences.last - args->sequences.first + 1;
    const char *file = args->output ? args->output : def.input;
    code = check_outputs(args, file);
    if (code != CLI_DONE) return code;
    def.output = (vo_upsample_output){file, args->name, args->asset, rank};
    code = end_action(s, vo_upsample_refit(s->ctx, &def, &report));
    if (code == CLI_DONE) upsample_print_report(args, file, &report);
    return code;
}

static int run(session *s) {
    const cli_args *args = s->args;
    vo_upsample_run_def def = vo_upsample_run_def_default();
    vo_upsample_run_report report;
    int code = need_files(args, 2, 2, "a .vru file and a scene");
    if (code == CLI_DONE && args->pictures && !args->output)
        code = cli_fail(CLI_USAGE_ERROR, "--pictures needs a folder: -o DIR.");
    if (code == CLI_DONE) code = read_view(args, &def.view);
    if (code == CLI_DONE) code = read_rank(args, &def.rank);
    if (code != CLI_DONE) return code;
    def.input = args->operands[1];
    def.scene = args->operands[2];
    def.folder = args->output;
    def.images = args->pictures ? args->output : NULL;
    def.max_frames = count_frames(args);
    if (args->every) def.every = args->every;
    def.override_count = args->override_count;
    def.overrides = args->overrides;
    def.progress = after_frame;
    def.user = s;
    code = end_action(s, vo_upsample_run(s->ctx, &def, &report));
    if (code == CLI_DONE) upsample_print_run(args, &report);
    return code;
}

static int compare(session *s) {
    const cli_args *args = s->args;
    vo_upsample_compare_def def = vo_upsample_compare_def_default();
    vo_upsample_comparison comparison;
    surface_list surfaces;
    int code = need_files(args, 1, 2, "a .vru file and at most one scene");
    if (code == CLI_DONE && args->pictures && !args->output)
        code = cli_fail(CLI_USAGE_ERROR, "--pictures needs a folder: -o DIR.");
    if (code == CLI_DONE) code = read_view(args, &def.view);
    if (code == CLI_DONE) code = read_rank(args, &def.rank);
    if (code == CLI_DONE) code = read_tracking(args, &def.test_kind, &def.test_functions);
    if (code == CLI_DONE) code = read_surfaces(args->surfaces, &surfaces);
    if (code != CLI_DONE) return code;
    def.input = args->operands[1];
    def.scene = args->operand_count > 2 ? args->operands[2] : NULL;
    def.images = args->pictures ? args->output : NULL;
    def.image_surface_count = surfaces.count;
    if (surfaces.count) def.image_surfaces = surfaces.name;
    def.first_image = args->frames.first;
    def.noise_floor = args->noise_floor;
    def.max_frames = count_frames(args);
    if (args->every) def.every = args->every;
    def.override_count = args->override_count;
    def.overrides = args->overrides;
    def.progress = after_frame;
    def.user = s;
    code = end_action(s, vo_upsample_compare(s->ctx, &def, &comparison));
    return code == CLI_DONE ? upsample_print_comparison(args, &comparison) : code;
}

static bool has_ending(const char *name, const char *ending) {
    size_t length = strlen(name), end = strlen(ending);
    return length > end && strcmp(name + length - end, ending) == 0;
}

static int show(session *s) {
    const cli_args *args = s->args;
    vo_upsample_show_def def = vo_upsample_show_def_default();
    int columns[MAX_LIST], harmonics[MAX_LIST];
    int code = need_files(args, 1, 1, "a .vru file");
    if (code == CLI_DONE && !args->output)
        code = cli_fail(CLI_USAGE_ERROR, "upsample show needs an output: -o FILE.png.");
    if (code == CLI_DONE && !args->columns && !args->harmonics)
        code = cli_fail(CLI_USAGE_ERROR, "upsample show needs --columns LIST or --harmonics LIST.");
    if (code == CLI_DONE) code = read_list("columns", args->columns, 0, &def.column_count, columns);
    if (code == CLI_DONE)
        code = read_list("harmonics", args->harmonics, 1, &def.harmonic_count, harmonics);
    if (code == CLI_DONE) code = read_view(args, &def.view);
    if (code == CLI_DONE) code = cli_need_output(args->output);
    if (code == CLI_DONE && !has_ending(args->output, ".png"))
        code = cli_fail(CLI_USAGE_ERROR, "%s: the image is a PNG file; name it FILE.png.",
                        args->output);
    if (code != CLI_DONE) return code;
    def.input = args->operands[1];
    def.name = args->name;
    def.image = args->output;
    def.columns = columns;
    def.harmonics = harmonics;
    def.residual = args->residual;
    code = end_action(s, vo_upsample_show(s->ctx, &def));
    if (code == CLI_DONE && !args->quiet) printf("%s\n", args->output);
    return code;
}

int cmd_upsample(const cli_args *args) {
    static const struct {
        const char *name;
        int (*run)(session *s);
    } actions[] = {
        {"train", train}, {"fit", fit}, {"run", run}, {"compare", compare}, {"show", show}};
    for (size_t i = 0; i < sizeof actions / sizeof *actions; i++) {
        if (strcmp(args->operands[0], actions[i].name) != 0) continue;
        session s = {
            .args = args, .bar = progress_create(args->quiet || args->json), .start = text_clock()};
        cli_log log = {.before_warning = progress_hide, .user = &s.bar, .cancellable = true};
        int code = cli_open(args, &log, &s.ctx);
        if (code != CLI_DONE) return code;
        signal_install();
        signal_wait_for_frame(false);
        code = actions[i].run(&s);
        vo_context_destroy(s.ctx);
        return code;
    }
    return cli_fail(CLI_USAGE_ERROR,
                    "upsample has the actions train, fit, run, compare and show, not \"%s\".",
                    args->operands[0]);
}
