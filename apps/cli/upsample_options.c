#include "upsample_options.h"

#include "common_options.h"

const char upsample_text[] =
    "Learned upsampling (docs/upsampling.md): an operator maps the 100 to 200 vertices of a coarse "
    "simulation to the 5,000 to 10,000 of a fine mesh and adds the folds of fine cloth. It is "
    "learned from one simulation of both, and works for other motions of the same garment. The "
    "first operand is the action.\n\nA .vru file holds the simulations and the operators; a .vrt "
    "file (--asset) the garment for the real-time library, which computes the fine mesh "
    "(vo_rt_cloth_detail). Training that was cancelled or killed continues with the same command; "
    "the result is bit-identical to uninterrupted training.";

const cli_note upsample_notes[] = {
    {"train SCENE... -o FILE.vru",
     "simulates the coarse and the fine cloth of scenes of one garment and fits an operator. "
     "Scenes need the key \"upsampling\""},
    {"train COARSE_RUN FINE_RUN... -o FILE.vru",
     "the same with the frames of runs, of either engine, in place of new simulations. The fine "
     "cloth should follow the coarse one"},
    {"fit FILE.vru", "fits an operator to the stored simulations, with other parameters"},
    {"run FILE.vru SCENE -o DIR",
     "simulates the coarse cloth of a scene, upsamples it and writes NNNN.obj"},
    {"compare FILE.vru [SCENE]",
     "measures upsampled cloth, Loop subdivision and barycentric interpolation against the fine "
     "simulation of a scene, or against the stored simulations"},
    {"show FILE.vru -o FILE.png", "draws columns of an operator or mesh harmonics"},
    {NULL},
};

const cli_option upsample_options[] = {
    {"output", 'o', CLI_TEXT, FIELD(output), "FILE|DIR",
     "train, fit: .vru file; for fit the default is to change the input. run, compare: folder of "
     "the results. show: .png file"},
    {"operator", 0, CLI_TEXT, FIELD(name), "NAME",
     "name of the operator in the file; an existing one is replaced. A garment blends all "
     "operators "
     "by its motion. Default: \"default\"; for show the first one"},
    {"asset", 0, CLI_TEXT, FIELD(asset), "FILE.vrt",
     "train, fit: also writes the coarse garment with all operators of the file"},
    {"rank", 0, CLI_TEXT, FIELD(rank), "N|auto",
     "compresses the operators to this rank, in half floats; auto: the lowest one that hardly adds "
     "to their error, at most 1 MB. Default: dense floats. train, fit: those of --asset. run, "
     "compare: those of the real-time library"},
    {"tracking", 0, CLI_CHOICE, FIELD(tracking), "harmonic|clustered|none",
     "train, compare: test functions by which the fine cloth follows the coarse one; default: "
     "harmonic"},
    {"test-functions", 0, CLI_TEXT, FIELD(test_functions), "N",
     "train, compare: their number; default: that of the scene, for compare of the training"},
    {"frames", 0, CLI_RANGE, FIELD(frames), "A:B",
     "train, run, compare: simulates up to frame B; default: to the end of the scene. Images of "
     "compare begin with frame A"},
    {"regularisation", 0, CLI_CHOICE, FIELD(regularisation),
     "harmonic|laplacian|tikhonov|linear|cutoff|none",
     "train, fit: penalty of the n-th mesh harmonic. harmonic: a (1 + b (n - 1) / N)^c; laplacian: "
     "alpha lambda; tikhonov: alpha; linear: alpha + beta lambda; cutoff: alpha up to --cutoff. "
     "Default: harmonic"},
    {"gamma", 0, CLI_TEXT, FIELD(gamma), "FIRST,LAST",
     "train, fit: penalties of the first and the last harmonic; they determine a and b"},
    {"exponent", 0, CLI_TEXT, FIELD(exponent), "C|auto",
     "train, fit: c; larger values admit finer folds, which other motions may not have. auto: "
     "chosen by cross-validation"},
    {"alpha", 0, CLI_TEXT, FIELD(alpha), "A", "train, fit: alpha"},
    {"beta", 0, CLI_TEXT, FIELD(beta), "B", "train, fit: beta"},
    {"cutoff", 0, CLI_MANY, FIELD(cutoff), "N", "train, fit: number of harmonics of cutoff"},
    {"base", 0, CLI_CHOICE, FIELD(base), "barycentric|loop|none",
     "train, fit: interpolation to which the operator learns the difference; none: the whole "
     "operator is learned"},
    {"harmonics", 0, CLI_TEXT, FIELD(harmonics), "N|LIST",
     "train, fit: number of harmonics that the operator uses; default: as many as matter. show: "
     "draws these harmonics, numbered from 1"},
    {"history", 0, CLI_TEXT, FIELD(history), "N",
     "train, fit: earlier states of the coarse cloth that are used as input, 0 to 4"},
    {"modes", 0, CLI_TEXT, FIELD(modes), "N",
     "train, fit: largest number of oscillatory modes, for cloth in strong wind, 0 to 16"},
    {"sequences", 0, CLI_RANGE, FIELD(sequences), "A:B",
     "fit: uses only the simulations of training scenes A to B, numbered from 0; default: all. B "
     "alone means 0:B"},
    {"columns", 0, CLI_TEXT, FIELD(columns), "LIST",
     "show: columns of the operator, which are coarse vertices from 0, such as 3,17"},
    {"validate", 0, CLI_FLAG, FIELD(validate), NULL,
     "fit: reports the error on frames that the fit has not seen, by cross-validation"},
    {"residual", 0, CLI_FLAG, FIELD(residual), NULL,
     "show: draws what was learned, without the base operator"},
    {"pictures", 0, CLI_FLAG, FIELD(pictures), NULL,
     "run: also writes NNNN.png. compare: writes NNNN.png with surfaces side by side"},
    {"surfaces", 0, CLI_TEXT, FIELD(surfaces), "LIST",
     "compare: surfaces of the images: coarse, barycentric, loop, run (the upsampled cloth), fine, "
     "and operators by name; default: coarse,loop,run,fine"},
    {"noise-floor", 0, CLI_FLAG, FIELD(noise_floor), NULL,
     "compare: simulates the scene again with gravity of the fine cloth changed by a millionth and "
     "lists the difference of both fine cloths as \"repeat\""},
    {"every", 0, CLI_MANY, FIELD(every), "N",
     "run, compare: writes every Nth frame only; default: 1. train: saves the state every N "
     "frames, "
     "to continue from there; default: 100"},
    {"size", 0, CLI_TEXT, FIELD(size), "WxH", "pixels of one surface; default: 480x480"},
    {"camera", 0, CLI_TEXT, FIELD(camera), "KEY=VALUE,...",
     "azimuth (degrees, 25; 0 looks along +y), elevation (10), zoom (1)"},
    {"samples", 0, CLI_COUNT, FIELD(samples), "N", "rays per pixel and light; default: 8"},
    {"force", 0, CLI_FLAG, FIELD(force), NULL,
     "train: starts again in place of continuing interrupted training"},
    {SETS},
    {THREADS},
    {MEMORY},
    {NO_CACHE},
    {QUIET},
    {VERBOSE},
    {"json", 0, CLI_FLAG, FIELD(json), NULL, "prints the results as one JSON object"},
    {NULL},
};

const cli_note upsample_examples[] = {
    {"voile upsample train walk.json -o skirt.vru --asset skirt.vrt", "trains a skirt"},
    {"voile upsample fit skirt.vru --exponent 3", "a smoother operator, in a second"},
    {"voile upsample compare skirt.vru dance.json -o out/dance --pictures",
     "the same operator in another motion, with images"},
    {"voile upsample run skirt.vru dance.json -o out/dance", "the fine meshes of that motion"},
    {"voile upsample show skirt.vru --columns 70,75 -o columns.png", "two shape functions"},
    {NULL},
};
