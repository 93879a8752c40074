/* voile: the table of commands. */
#include "cli.h"

#include "bench.h"
#include "message.h"
#include "options.h"

#include <limits.h>
#include <string.h>

#define FIELD(name) offsetof(cli_args, name)

/* Options that several commands share. */
#define THREADS                                   \
    "threads", 0, CLI_COUNT, FIELD(threads), "N", \
        "threads to use; default: one per processor. The result does not depend on it"
#define MEMORY                                                                                     \
    "memory", 0, CLI_AMOUNT, FIELD(memory), "GIB",                                                 \
        "memory to take at most, in GiB; default: 80 % of what is available at the start. Beyond " \
        "it the command ends with exit code 3; finished frames stay"
#define SETS                                                                             \
    "set", 0, CLI_SET, FIELD(sets), "KEY=VALUE",                                         \
        "overrides a key of the scene, for example --set 'gravity=[0,0,-1.6]' or --set " \
        "'cloths[0].materials[0].damping=0.01'; may be repeated"
#define QUIET "quiet", 'q', CLI_FLAG, FIELD(quiet), NULL, "shows no progress; warnings stay"
#define VERBOSE                                                                                    \
    "verbose", 'v', CLI_FLAG, FIELD(verbose), NULL,                                                \
        "also says what was done with the scene and its files, on standard error: units and axes " \
        "that were converted or assumed, cuts that were found, how a motion was carried over"
#define JSON_LINES                          \
    "json", 0, CLI_FLAG, FIELD(json), NULL, \
        "prints one JSON object a frame and one at the end instead of the progress"

static const cli_option simulate_options[] = {
    {"output", 'o', CLI_TEXT, FIELD(output), "DIR",
     "folder of the run; default: out/ and the scene's name"},
    {"frames", 0, CLI_RANGE, FIELD(frames), "0:B",
     "stops after frame B; default: the scene's own end. B alone means 0:B"},
    {THREADS},
    {MEMORY},
    {"adapt", 0, CLI_CHOICE, FIELD(adapt), "none|full|view",
     "what meshes of cloths with \"remeshing\" follow. full: what the cloth does; view: that, "
     "where the scene's cameras see it or soon will; none: nothing, each is refined once to its "
     "smallest size. Default: the scene's \"adapt\""},
    {SETS},
    {"force", 0, CLI_FLAG, FIELD(force), NULL,
     "starts again where the folder already has frames: removes them, and what was exported of "
     "them to obj/ inside the run (NNNN_CC.obj, NNNN_obsJJ.obj), but no other file"},
    {QUIET},
    {VERBOSE},
    {JSON_LINES},
    {NULL},
};

static const cli_note simulate_examples[] = {
    {"voile simulate assets/scenes/flag.json", "runs the scene to its end, into out/flag"},
    {"voile simulate assets/scenes/flag.json -o /tmp/flag --frames 0:100 --threads 1",
     "frames 0 to 100 on one thread"},
    {"voile simulate assets/scenes/walker.json --adapt view -o out/view",
     "meshes are fine where the scene's camera looks"},
    {"voile simulate assets/scenes/walker.json --adapt none -o out/none",
     "on a mesh that is equally fine everywhere, to compare with"},
    {"voile simulate assets/scenes/flag.json --set 'wind.velocity=[8,0,0]' --force",
     "again from the start, with more wind"},
    {NULL},
};

static const cli_option resume_options[] = {
    {"frames", 0, CLI_RANGE, FIELD(frames), ":B",
     "stops after frame B; default: the run's end, which is what simulate was given or the scene's "
     "own"},
    {THREADS},
    {MEMORY},
    {SETS},
    {QUIET},
    {VERBOSE},
    {JSON_LINES},
    {NULL},
};

static const cli_note resume_examples[] = {
    {"voile resume out/flag", "goes on to the scene's end"},
    {"voile resume out/flag --frames :200", "goes on to frame 200"},
    {"voile resume out/flag --set 'wind.velocity=[0,0,0]'", "goes on without wind"},
    {NULL},
};

static const cli_option info_options[] = {
    {"json", 0, CLI_FLAG, FIELD(json), NULL, "prints one JSON object"},
    {NULL},
};

static const cli_note info_examples[] = {
    {"voile info out/flag", "a table"},
    {"voile info out/flag --json", "the same for programs"},
    {NULL},
};

static const cli_option check_options[] = {
    {"obstacle", 0, CLI_FLAG, FIELD(obstacle), NULL,
     "the mesh is for an obstacle, which may be closed and needs no texture coordinates"},
    {"frames", 0, CLI_RANGE, FIELD(frames), "A:B",
     "only frames A to B of a run; default: all. A: means from A to the end, B alone means 0:B"},
    {"ply", 0, CLI_TEXT, FIELD(ply), "FILE",
     "writes a coloured picture of what is wrong: faces that intersect red, faces of nodes inside "
     "an obstacle orange, other cloth light grey, obstacles blue-grey. Of a run it shows the first "
     "frame that is not clean; without anything wrong nothing is written"},
    {"frame", 0, CLI_FRAME, FIELD(frame), "N", "with --ply: shows frame N of a run, clean or not"},
    {THREADS},
    {MEMORY},
    {VERBOSE},
    {"json", 0, CLI_FLAG, FIELD(json), NULL,
     "prints one JSON object: path, kind, findings (each with fatal and text), frames (each with "
     "frame, intersections of self, cloth and obstacle, inside with nodes and max_depth_m, yielded "
     "with nodes and max_behind_m, held_steps, max_strain, min_strain, inverted_faces, "
     "lost_nodes), totals and ok"},
    {NULL},
};

static const cli_note check_examples[] = {
    {"voile check assets/scenes/flag.json", "the scene and all files it names"},
    {"voile check shirt.obj", "a mesh: holes are fine, folds over an edge are not"},
    {"voile check --obstacle body.obj", "a mesh that cloth falls on"},
    {"voile check out/flag", "every frame of a run: complete, unaltered, without intersections"},
    {"voile check out/flag --frames 50: --ply bad.ply",
     "the same from frame 50 on, with a picture"},
    {NULL},
};

static const cli_option export_options[] = {
    {"format", 0, CLI_CHOICE, FIELD(format), "obj", "what to write; default: obj"},
    {"topology", 0, CLI_CHOICE, FIELD(topology), "adaptive|original",
     "on which mesh: adaptive, the simulated one, which remeshing changes from frame to frame; or "
     "original, your own. Default: adaptive"},
    {"flat", 0, CLI_FLAG, FIELD(flat), NULL,
     "with --topology original: takes positions from the flat faces that were simulated, not from "
     "a smooth surface through their corners"},
    {"output", 'o', CLI_TEXT, FIELD(output), "DIR", "where to; default: obj/ inside the run"},
    {"frames", 0, CLI_RANGE, FIELD(frames), "A:B",
     "only frames A to B; default: all. A: means from A to the end, B alone means 0:B"},
    {"obstacles", 0, CLI_FLAG, FIELD(obstacles), NULL,
     "also writes the obstacles as NNNN_obsJJ.obj"},
    {MEMORY},
    {QUIET},
    {NULL},
};

static const cli_note export_examples[] = {
    {"voile export out/flag", "all frames into out/flag/obj"},
    {"voile export out/flag -o /tmp/meshes --frames 10:20 --obstacles",
     "frames 10 to 20, with the obstacles"},
    {"voile export out/flag --topology original", "all frames on the mesh that the scene names"},
    {NULL},
};

static const cli_option render_options[] = {
    {"output", 'o', CLI_TEXT, FIELD(output), "FILE|DIR",
     "what to make: .png one picture, .mp4 or .mov a movie (H.264), no ending a folder of "
     "NNNN.png"},
    {"frames", 0, CLI_RANGE, FIELD(frames), "A:B",
     "only frames A to B of a run; default: all, and the last for one picture. A: means from A to "
     "the end, B alone means 0:B"},
    {"frame", 0, CLI_FRAME, FIELD(frame), "N", "only frame N of a run"},
    {"size", 0, CLI_TEXT, FIELD(size), "WxH",
     "pixels; default: those of the scene's camera, else 1280x720. A movie wants even numbers"},
    {"camera", 0, CLI_TEXT, FIELD(camera), "NAME|none|KEY=VALUE,...",
     "a camera of the scene by its name; default: the one that its shots say. With none, or KEY: "
     "azimuth (degrees around to the right, 35; at 0 the camera looks along +y), elevation "
     "(degrees above the horizon, 14), field (opening in degrees along the longer side, 30), zoom "
     "(1: all just fits), fit (all: the camera stands still and has all frames in its picture; "
     "each: it follows)"},
    {"samples", 0, CLI_COUNT, FIELD(samples), "N",
     "rays a pixel to each light; default: 8. More take longer and leave less grain"},
    {"wire", 0, CLI_FLAG, FIELD(wire), NULL,
     "draws the edges of cloth, too, and its faces as they were simulated"},
    {"flat", 0, CLI_FLAG, FIELD(flat), NULL,
     "shows the faces as they were simulated, not a smooth surface through their corners; shading "
     "stays smooth"},
    {"colors", 0, CLI_TEXT, FIELD(colours), "RRGGBB,...",
     "of the cloths' materials, those of the first cloth first; what has none gets one from a "
     "list"},
    {"ground", 0, CLI_TEXT, FIELD(ground), "HEIGHT|none",
     "where the floor is, in metres; default: at the lowest point of what is shown"},
    {THREADS},
    {MEMORY},
    {QUIET},
    {VERBOSE},
    {NULL},
};

static const cli_note render_examples[] = {
    {"voile render out/flag -o flag.mp4", "all frames as a movie"},
    {"voile render out/flag -o flag.png --frame 40 --camera azimuth=60,elevation=5",
     "one picture, from another side"},
    {"voile render out/flag -o stills --frames 0:20 --size 1920x1080 --samples 32",
     "stills/0000.png to stills/0020.png, finer"},
    {"voile render assets/scenes/veil.json -o veil.png --wire",
     "a scene as it starts, with its mesh"},
    {"voile render dress.obj -o dress.png", "a mesh"},
    {NULL},
};

static const cli_option compare_options[] = {
    {"output", 'o', CLI_TEXT, FIELD(output), "DIR",
     "writes frames.csv, runs.csv, compare.json and plots (time, mesh, fidelity; SVG and PNG) into "
     "this folder"},
    {"pictures", 0, CLI_FLAG, FIELD(pictures), NULL,
     "with -o: also pictures of each frame, runN_NNNN.png for run N of the call (from 0): that "
     "run, the reference, and how they differ"},
    {"frames", 0, CLI_RANGE, FIELD(frames), "A:B",
     "only frames A to B; default: all. A: means from A to the end, B alone means 0:B"},
    {"every", 0, CLI_MANY, FIELD(every), "N",
     "looks at every Nth frame only; faces, times and popping are of all. Default: 1"},
    {"size", 0, CLI_TEXT, FIELD(size), "WxH",
     "pixels; default: those of the scene's camera, else 1920x1080"},
    {"camera", 0, CLI_TEXT, FIELD(camera), "NAME|none|KEY=VALUE,...",
     "as for render: a camera of the scene by its name, or none; default: the one that its shots "
     "say. Without one, everything that any of the runs shows is in the picture"},
    {"wavelength", 0, CLI_TEXT, FIELD(wavelength), "PIXELS",
     "waves of the normals that are shorter count as wrinkles; default: a sixteenth of the "
     "picture's shorter side"},
    {"slow", 0, CLI_TEXT, FIELD(slow), "M/S",
     "overlaps are told also of the frames in which the reference's cloth is not faster; default: "
     "0.25"},
    {"flat", 0, CLI_FLAG, FIELD(flat), NULL,
     "looks at the faces as they were simulated, not at a smooth surface through their corners"},
    {THREADS},
    {MEMORY},
    {QUIET},
    {"json", 0, CLI_FLAG, FIELD(json), NULL, "prints what compare.json holds instead of tables"},
    {NULL},
};

static const cli_note compare_examples[] = {
    {"voile compare out/view out/full", "what view-dependence costs and saves"},
    {"voile compare out/view out/full out/none -o out/compared --pictures",
     "two runs against out/full, with plots and pictures"},
    {"voile compare a b --frames 10:20 --camera azimuth=90 --size 1280x720",
     "some frames, from the side"},
    {NULL},
};

static const cli_option sew_options[] = {
    {"output", 'o', CLI_TEXT, FIELD(output), "FILE.obj", "the garment"},
    {"body", 0, CLI_TEXT, FIELD(body), "FILE",
     "body to sew it around, at rest: .obj, .glb, .fbx or .dae. Default: the mannequin"},
    {"units", 0, CLI_CHOICE, FIELD(units), "m|cm|mm",
     "of the body's file; default: as it says, metres for OBJ"},
    {"up", 0, CLI_CHOICE, FIELD(up), "x|y|z",
     "which axis of the body's file points up; default: as it says, z for OBJ"},
    {"height", 0, CLI_TEXT, FIELD(height), "METRES", "of the mannequin; default: 1.75"},
    {"build", 0, CLI_TEXT, FIELD(build), "B", "of the mannequin: -1 slim to 1 heavy; default: 0"},
    {"figure", 0, CLI_TEXT, FIELD(figure), "F",
     "of the mannequin: -1 male to 1 female; default: 0"},
    {"alone", 0, CLI_FLAG, FIELD(alone), NULL, "sews it around nobody"},
    {"no-fit", 0, CLI_FLAG, FIELD(no_fit), NULL,
     "takes the pattern as it is drawn; else one that says for what body it was drawn is redrawn "
     "for this one"},
    {"edge", 0, CLI_TEXT, FIELD(edge), "METRES", "length of edges of the mesh; default: 0.03"},
    {"faces", 0, CLI_MANY, FIELD(faces), "N", "instead of --edge: about so many faces"},
    {"fabric", 0, CLI_TEXT, FIELD(fabric), "NAME|FILE",
     "for all panels, in place of those the pattern names"},
    {"body-output", 0, CLI_TEXT, FIELD(body_output), "FILE.obj",
     "also writes the body, to use as an obstacle"},
    {"svg", 0, CLI_TEXT, FIELD(svg), "FILE.svg",
     "also draws the panels as they are in the pattern; without -o only that"},
    {"merge", 0, CLI_TEXT, FIELD(merge), "MATERIAL.obj",
     "does not sew, but joins what lies together, as ARCSim's merge does: MATERIAL.obj is a mesh "
     "of flat panels, the operand the same mesh in the world"},
    {"threshold", 0, CLI_TEXT, FIELD(threshold), "METRES",
     "with --merge: points of panels' borders that are nearer become one; default: 0.001"},
    {THREADS},
    {MEMORY},
    {QUIET},
    {VERBOSE},
    {NULL},
};

static const cli_note sew_examples[] = {
    {"voile sew assets/garments/dress.json --figure 1 -o dress.obj --body-output body.obj",
     "a dress, and the mannequin that wears it"},
    {"voile sew assets/garments/trousers.json --height 1.9 --build 0.5 --fabric linen -o t.obj",
     "linen trousers for somebody tall"},
    {"voile sew shirt_specification.json --body mean_all.obj --up y -o shirt.obj",
     "a pattern of GarmentCode on its body"},
    {"voile sew assets/garments/jacket.json --svg jacket.svg", "only the drawing"},
    {"voile sew --merge flat.obj placed.obj --threshold 0.002 -o garment.obj",
     "joins panels that were placed by another program"},
    {NULL},
};

static const cli_option bench_options[] = {
    {"threads", 0, CLI_COUNT, FIELD(threads), "N",
     "threads to compare with one in sheet, and to use in the others but ccd; default: 2, for "
     "scaling, solvers and contact 1"},
    {"repeat", 0, CLI_COUNT, FIELD(repeat), "N",
     "measures N times and keeps the best; default: 5, for scaling, ccd and render 3"},
    {"queries", 0, CLI_TEXT, FIELD(queries), "DIR",
     "for ccd: runs every .csv file below this folder; exit code 1 if a collision was missed"},
    {"json", 0, CLI_FLAG, FIELD(json), NULL, "prints one JSON object per benchmark"},
    {NULL},
};

static const cli_note bench_notes[] = {
#define X(name, text) {#name, text},
    CLI_BENCHMARKS(X)
#undef X
        {"ccd", CLI_BENCH_CCD ". Needs --queries"},
    {"contact", CLI_BENCH_CONTACT ". Takes minutes"},
    {"render", CLI_BENCH_RENDER ". Needs a build with Embree"},
    {NULL},
};

static const cli_note bench_examples[] = {
    {"voile bench", "all that need no data"},
    {"voile bench sheet --threads 4", "one thread against four"},
    {"voile bench ccd --queries data/ccd", "collision queries with known answers"},
    {NULL},
};

static const cli_option help_options[] = {
    {"man", 0, CLI_FLAG, FIELD(man), NULL, "prints the manual page instead, as roff"},
    {"output", 'o', CLI_TEXT, FIELD(output), "DIR",
     "with --man: writes the page of every command into this folder"},
    {NULL},
};

static const cli_note help_examples[] = {
    {"voile help simulate", "what simulate does and takes"},
    {"voile help --man simulate | man -l -", "the same as a manual page"},
    {NULL},
};

static const cli_option version_options[] = {{NULL}};

static const cli_note version_examples[] = {{NULL}};

const cli_command cli_commands[] = {
    {"simulate", cmd_simulate, "SCENE", true, "simulates a scene into a run folder",
     "Reads the scene, simulates it frame by frame and writes each finished frame to the run "
     "folder. Frame 0 is the initial state. A run that was stopped or killed at any moment keeps "
     "its finished frames and goes on with \"voile resume\".\n\n"
     "The folder holds scene.json (the scene with every default filled in), inputs/ (copies of "
     "the files it names), frames/NNNN.vof (complete state of a frame, compressed and "
     "checksummed) and stats.jsonl (one line a frame).\n\n"
     "Ctrl-C finishes the current frame and says how to go on; while the scene is set up it stops "
     "there. A second Ctrl-C ends at once, and the frames on disk stay intact.",
     simulate_options, NULL, NULL, simulate_examples, false,
     "make the scene smaller (fewer characters, longer edges)"},
    {"resume", cmd_resume, "DIR", true, "goes on with a run that was stopped or killed",
     "Continues after the last intact frame and gives the same bits as a run that was never "
     "stopped. With --set the scene changes from there on; the run's scene.json records it.",
     resume_options, NULL, NULL, resume_examples, false,
     "make its meshes coarser (--set, remeshing.size of its cloths)"},
    {"info", cmd_info, "DIR", true, "says what a run cost and what happened in it",
     "Prints the number of frames, the least, greatest and mean number of faces, nodes and verts, "
     "the seconds per frame and stage, the largest strain and the warnings of a run. What frame 0 "
     "took, which is the start and the preroll, is told apart.",
     info_options, NULL, NULL, info_examples},
    {"check", cmd_check, "SCENE|MESH|DIR", true, "looks for defects in a scene, a mesh or a run",
     "A folder is taken for a run, a name that ends in .obj for a mesh and anything else for a "
     "scene. Each finding names its file and place. Ends with 0 unless a finding is fatal. Of a "
     "scene it also notes what was done with its files, as others do with --verbose.\n\n"
     "Of a run, every frame must be there, unaltered and clean: no two faces intersect, whether of "
     "one cloth, of two cloths or of a cloth and an obstacle; no node is inside a closed obstacle; "
     "no face has lost its area. Faces that touch intersect. The answers are exact, without a "
     "tolerance, and made by code that shares nothing with the simulation's own. The same of a "
     "scene's initial state, and intersections of a mesh with itself, are warnings. Ctrl-C ends it "
     "after the frame at hand, with what was found so far.",
     check_options, NULL, NULL, check_examples},
    {"export", cmd_export, "DIR", true, "writes a run's frames in other formats",
     "Writes one OBJ file a frame and cloth, named NNNN_CC.obj by frame and cloth, with material "
     "coordinates as texture coordinates. Files of these names are written over; those of frames "
     "or cloths that the run does not have, from an earlier export, stay, and a warning names "
     "them.\n\n"
     "With --topology original each file is the one that the scene names as the cloth's mesh, line "
     "for line: the same vertices in the same order, the same texture coordinates, polygons, "
     "groups and labels, with new positions (v) and velocities (nv). Normals are left out. "
     "Positions are read off the simulated surface where each vertex is in the flat fabric, smooth "
     "across coarse faces; labelled edges stay sharp and seams closed. The smooth surface is for "
     "looking at: between the simulated nodes it may come a little nearer to other cloth and "
     "obstacles than the simulation allows; with --flat less so.",
     export_options, NULL, NULL, export_examples},
    {"render", cmd_render, "DIR|SCENE|MESH", true,
     "draws pictures and movies of a run, a scene or a mesh",
     "A folder is taken for a run, a name that ends in .obj for a mesh (z up), anything else for a "
     "scene, which is shown as it starts. Cloth is shaded smoothly, lit by a soft light from the "
     "upper left, an even sky and a faint light from behind, on a floor that takes shadows; "
     "obstacles are grey.\n\n"
     "A scene with a camera is seen through it, each frame at its time; the lights are set up for "
     "the beginning of each shot. Without one, and with --camera none, the camera stands before, "
     "to the right and a little above, and has everything in its picture but "
     "obstacles much larger than the cloth. Up is against gravity.\n\n"
     "The pixels do not depend on the number of threads. Ctrl-C ends a movie after the frame "
     "under way; what is there can be played. Drawing needs a build with Embree, pictures one "
     "with libpng, movies one with libav: \"voile version\" names them.",
     render_options, NULL, NULL, render_examples, false, "ask for smaller pictures (--size)"},
    {"compare", cmd_compare, "DIR REFERENCE [DIR...]", true,
     "tells how alike runs of a scene look, and what each cost",
     "Looks at the frames that runs have in common with the reference, the second one, through "
     "the scene's camera (or one that is fitted, as for render), and measures per frame: how far "
     "the silhouettes of cloth overlap, the mean angle between the normals, the power of wrinkles "
     "relative to the reference, how long edges are in the picture, and how far remeshing made "
     "the surface jump. Cloth behind bodies does not count. Of each run: faces, verts, seconds a "
     "frame, and how many times as fast as the reference it is.\n\n"
     "The answers do not depend on the number of threads. It needs a build with Embree. "
     "docs/comparing.md defines every measure.",
     compare_options, NULL, NULL, compare_examples, true,
     "ask for smaller pictures (--size), compare fewer runs at a time"},
    {"sew", cmd_sew, "PATTERN", true, "sews a pattern around a body",
     "Places the panels of a pattern (Voile's or GarmentCode's) around a body, draws them together "
     "in a simulation in which nothing passes through the body or the cloth, joins the seams and "
     "lets the garment come to rest. Written is an OBJ that is a cloth's mesh as it is: material "
     "coordinates are those of the flat panels, and face labels number the pattern's fabrics.\n\n"
     "Where a seam does not close, the message says which, by how much, how long its sides are and "
     "what may be in the way. Ctrl-C stops; nothing is written then.",
     sew_options, NULL, NULL, sew_examples, false,
     "make the mesh coarser (a longer --edge, fewer --faces)"},
    {"bench", cmd_bench, "NAME", false, "measures the speed of this machine and build",
     "Runs one benchmark, or all that need no data. Each warms up first, measures the same frames "
     "several times, keeps the best time of each and prints the counters beside it. Ratios are "
     "against a baseline of the same call.",
     bench_options, "benchmarks", bench_notes, bench_examples},
    {"help", cmd_help, "COMMAND", false, "explains a command",
     "Without a command it lists all of them.", help_options, NULL, NULL, help_examples},
    {"version", cmd_version, NULL, false, "prints the version and what this build contains",
     "Prints the version and, in brackets, the optional parts of this build.", version_options,
     NULL, NULL, version_examples},
    {NULL},
};

const cli_command *cli_find_command(const char *name) {
    for (const cli_command *c = cli_commands; c->name; c++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

const char *cli_nearest_command(const char *name) {
    const char *best = NULL;
    int best_distance = INT_MAX;
    for (const cli_command *c = cli_commands; c->name; c++) {
        int distance = cli_distance(name, c->name);
        if (distance < best_distance) best_distance = distance, best = c->name;
    }
    return best && cli_is_near(name, best_distance) ? best : NULL;
}

int cli_fail_command(const char *name) {
    const char *nearest = cli_nearest_command(name);
    if (nearest)
        return cli_fail(CLI_BAD_CALL, "there is no command \"%s\". Did you mean \"%s\"?", name,
                        nearest);
    return cli_fail(CLI_BAD_CALL, "there is no command \"%s\". \"voile help\" lists them.", name);
}
