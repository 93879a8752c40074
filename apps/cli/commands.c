/* voile: the table of commands. */
#include "cli.h"

#include "bench.h"
#include "common_options.h"
#include "message.h"
#include "options.h"
#include "upsample_options.h"

#include <limits.h>
#include <string.h>

static const cli_option simulate_options[] = {
    {"output", 'o', CLI_TEXT, FIELD(output), "DIR",
     "folder of the run; default: out/ and the scene's name"},
    {"frames", 0, CLI_RANGE, FIELD(frames), "0:B",
     "stops after frame B; default: the scene's own end. B alone means 0:B"},
    {THREADS},
    {MEMORY},
    {NO_CACHE},
    {"adapt", 0, CLI_CHOICE, FIELD(adapt), "none|full|view",
     "adaptation of meshes with \"remeshing\". full: to the geometry and motion of the cloth; "
     "view: the same, reduced where the scene's cameras do not see it; none: uniform refinement at "
     "the start. Default: the scene's \"adapt\""},
    {"engine", 0, CLI_CHOICE, FIELD(engine), "quality|realtime",
     "quality: implicit integration, remeshing and exact collision handling; realtime: the "
     "real-time library. Default: the scene's \"engine\""},
    {SETS},
    {"force", 0, CLI_FLAG, FIELD(force), NULL,
     "starts again in a folder that already has frames: removes them and their exports in obj/ "
     "inside the run (NNNN_CC.obj, NNNN_obsJJ.obj), but no other file"},
    {QUIET},
    {VERBOSE},
    {JSON_LINES},
    {NULL},
};

static const cli_note simulate_examples[] = {
    {"voile simulate assets/scenes/flag.json", "simulates the scene to its end, into out/flag"},
    {"voile simulate assets/scenes/flag.json -o /tmp/flag --frames 0:100 --threads 1",
     "frames 0 to 100 on one thread"},
    {"voile simulate assets/scenes/walker.json --adapt view -o out/view",
     "fine meshes only where the scene's camera sees them"},
    {"voile simulate assets/scenes/walker.json --adapt none -o out/none",
     "uniformly fine meshes, for comparison"},
    {"voile simulate assets/scenes/flag.json --set 'wind.velocity=[8,0,0]' --force",
     "starts again, with more wind"},
    {NULL},
};

static const cli_option resume_options[] = {
    {"frames", 0, CLI_RANGE, FIELD(frames), ":B",
     "stops after frame B; default: the end given to simulate, else that of the scene"},
    {THREADS},
    {MEMORY},
    {SETS},
    {QUIET},
    {VERBOSE},
    {JSON_LINES},
    {NULL},
};

static const cli_note resume_examples[] = {
    {"voile resume out/flag", "continues to the end of the run"},
    {"voile resume out/flag --frames :200", "continues to frame 200"},
    {"voile resume out/flag --set 'wind.velocity=[0,0,0]'", "continues without wind"},
    {NULL},
};

static const cli_option info_options[] = {
    {"json", 0, CLI_FLAG, FIELD(json), NULL, "prints one JSON object"},
    {NULL},
};

static const cli_note info_examples[] = {
    {"voile info out/flag", "statistics of a run, as a table"},
    {"voile info out/flag --json", "the same as JSON"},
    {"voile info dancer.glb", "meshes, bones, clips and cameras of a character file"},
    {"voile info tshirt.vrt", "size and contents of a garment file"},
    {NULL},
};

static const cli_option check_options[] = {
    {"obstacle", 0, CLI_FLAG, FIELD(obstacle), NULL,
     "treats the mesh as an obstacle, which may be closed and needs no texture coordinates"},
    {"frames", 0, CLI_RANGE, FIELD(frames), "A:B",
     "only frames A to B of a run; default: all. A: means from A to the end, B alone means 0:B"},
    {"ply", 0, CLI_TEXT, FIELD(ply), "FILE",
     "writes a coloured mesh of the defects: intersecting faces red, faces of nodes inside an "
     "obstacle orange, other cloth light grey, obstacles blue-grey. For a run, of the first frame "
     "with a defect; nothing is written without a defect"},
    {"frame", 0, CLI_FRAME, FIELD(frame), "N",
     "with --ply: writes frame N of a run, with or without a defect"},
    {THREADS},
    {MEMORY},
    {VERBOSE},
    {"json", 0, CLI_FLAG, FIELD(json), NULL,
     "prints one JSON object: path, kind, findings (each with fatal and text), frames (each with "
     "frame, intersections of self, cloth and obstacle, inside with nodes and max_depth_m, "
     "lagging_nodes with nodes and max_lag_m, frozen_substeps, max_strain, min_strain, "
     "inverted_faces, "
     "lost_nodes), totals and ok"},
    {NULL},
};

static const cli_note check_examples[] = {
    {"voile check assets/scenes/flag.json", "the scene and all files it names"},
    {"voile check shirt.obj", "a mesh: holes are fine, folds over an edge are not"},
    {"voile check --obstacle body.obj", "a mesh that cloth collides with"},
    {"voile check out/flag", "every frame of a run: complete, unaltered, without intersections"},
    {"voile check out/flag --frames 50: --ply bad.ply",
     "the same from frame 50 on, with a mesh of the defects"},
    {NULL},
};

static const cli_option export_options[] = {
    {"format", 0, CLI_CHOICE, FIELD(format), "obj", "file format; default: obj"},
    {"topology", 0, CLI_CHOICE, FIELD(topology), "adaptive|original",
     "adaptive: the simulated mesh, which remeshing changes from frame to frame; original: the "
     "mesh that the scene names. Default: adaptive"},
    {"flat", 0, CLI_FLAG, FIELD(flat), NULL,
     "with --topology original: samples the simulated flat faces, not a smooth surface through "
     "their corners"},
    {"output", 'o', CLI_TEXT, FIELD(output), "DIR", "output folder; default: obj/ inside the run"},
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
     "output: .png for one image, .mp4 or .mov for a movie (H.264), no extension for a folder of "
     "NNNN.png"},
    {"frames", 0, CLI_RANGE, FIELD(frames), "A:B",
     "only frames A to B of a run or a clip; default: all, and the last of a run for one image. A: "
     "means from A to the end, B alone means 0:B"},
    {"frame", 0, CLI_FRAME, FIELD(frame), "N", "only frame N of a run or a clip"},
    {"size", 0, CLI_TEXT, FIELD(size), "WxH",
     "pixels; default: those of the scene's camera, else 1280x720. Movies need even numbers"},
    {"camera", 0, CLI_TEXT, FIELD(camera), "NAME|none|KEY=VALUE,...",
     "name of a camera of the scene; default: the active camera. With none or KEY, a camera that "
     "frames the scene: azimuth (degrees to the right, 35; 0 looks along +y), elevation (degrees "
     "above the horizon, 14), fov (field of view along the longer side, degrees, 30), zoom (1: "
     "everything fits), fit (all: a static camera frames all frames; each: the camera frames each "
     "frame)"},
    {"samples", 0, CLI_COUNT, FIELD(samples), "N",
     "rays per pixel to each light; default: 8. More rays give less noise and take longer"},
    {"wire", 0, CLI_FLAG, FIELD(wire), NULL,
     "draws the edges of cloth and its simulated flat faces"},
    {"flat", 0, CLI_FLAG, FIELD(flat), NULL,
     "draws the simulated flat faces, not a smooth surface through their corners; shading stays "
     "smooth"},
    {"colors", 0, CLI_TEXT, FIELD(colours), "RRGGBB,...",
     "colours of the cloths' materials, those of the first cloth first; others get default "
     "colours"},
    {"ground", 0, CLI_TEXT, FIELD(ground), "HEIGHT|none",
     "height of the floor in metres; default: the lowest point of the scene"},
    {THREADS},
    {MEMORY},
    {QUIET},
    {VERBOSE},
    {NULL},
};

static const cli_note render_examples[] = {
    {"voile render out/flag -o flag.mp4", "all frames as a movie"},
    {"voile render out/flag -o flag.png --frame 40 --camera azimuth=60,elevation=5",
     "one image, from another side"},
    {"voile render out/flag -o stills --frames 0:20 --size 1920x1080 --samples 32",
     "stills/0000.png to stills/0020.png, with less noise"},
    {"voile render assets/scenes/veil.json -o veil.png --wire",
     "initial state of a scene, with its mesh"},
    {"voile render dress.obj -o dress.png", "a mesh"},
    {"voile render dancer.glb -o dancer.mp4", "the first clip of a character"},
    {NULL},
};

static const cli_option compare_options[] = {
    {"output", 'o', CLI_TEXT, FIELD(output), "DIR",
     "writes frames.csv, runs.csv, compare.json and plots (time, mesh, fidelity; SVG and PNG) into "
     "this folder"},
    {"pictures", 0, CLI_FLAG, FIELD(pictures), NULL,
     "with -o: also writes images of each frame, runN_NNNN.png for run N (from 0): the run, the "
     "reference and their difference"},
    {"frames", 0, CLI_RANGE, FIELD(frames), "A:B",
     "only frames A to B; default: all. A: means from A to the end, B alone means 0:B"},
    {"every", 0, CLI_MANY, FIELD(every), "N",
     "renders every Nth frame only; faces, times and popping are of all frames. Default: 1"},
    {"size", 0, CLI_TEXT, FIELD(size), "WxH",
     "pixels; default: those of the scene's camera, else 1920x1080"},
    {"camera", 0, CLI_TEXT, FIELD(camera), "NAME|none|KEY=VALUE,...",
     "as for render: name of a camera of the scene, or none; default: the active camera. Without "
     "one, a camera frames everything in all runs"},
    {"wavelength", 0, CLI_TEXT, FIELD(wavelength), "PIXELS",
     "longest wavelength of the normals that is a wrinkle; default: a sixteenth of the image's "
     "shorter side"},
    {"slow", 0, CLI_TEXT, FIELD(slow), "M/S",
     "speed limit of the reference's cloth in slow frames, for which the overlap is also printed "
     "separately; default: 0.25"},
    {"flat", 0, CLI_FLAG, FIELD(flat), NULL,
     "renders the simulated flat faces, not a smooth surface through their corners"},
    {THREADS},
    {MEMORY},
    {QUIET},
    {"json", 0, CLI_FLAG, FIELD(json), NULL,
     "prints the contents of compare.json instead of tables"},
    {NULL},
};

static const cli_note compare_examples[] = {
    {"voile compare out/view out/full", "costs and differences of view-dependent refinement"},
    {"voile compare out/view out/full out/none -o out/compared --pictures",
     "two runs against out/full, with plots and images"},
    {"voile compare a b --frames 10:20 --camera azimuth=90 --size 1280x720",
     "some frames, from the side"},
    {NULL},
};

static const cli_option sew_options[] = {
    {"output", 'o', CLI_TEXT, FIELD(output), "FILE.obj", "file of the garment"},
    {"body", 0, CLI_TEXT, FIELD(body), "FILE",
     "body in its rest pose: .obj, .glb, .fbx or .dae. Default: a mannequin"},
    {"units", 0, CLI_CHOICE, FIELD(units), "m|cm|mm",
     "unit of the body's file; default: the file's own, metres for OBJ"},
    {"up", 0, CLI_CHOICE, FIELD(up), "x|y|z",
     "up axis of the body's file; default: the file's own, z for OBJ"},
    {"height", 0, CLI_TEXT, FIELD(height), "METRES", "height of the mannequin; default: 1.75"},
    {"build", 0, CLI_TEXT, FIELD(build), "B",
     "build of the mannequin, -1 slim to 1 heavy; default: 0"},
    {"figure", 0, CLI_TEXT, FIELD(figure), "F",
     "figure of the mannequin, -1 male to 1 female; default: 0"},
    {"no-body", 0, CLI_FLAG, FIELD(no_body), NULL, "sews without a body"},
    {"no-fit", 0, CLI_FLAG, FIELD(no_fit), NULL, "does not grade the pattern to the body"},
    {"edge", 0, CLI_TEXT, FIELD(edge), "METRES", "edge length of the mesh; default: 0.03"},
    {"faces", 0, CLI_MANY, FIELD(faces), "N", "instead of --edge: approximate number of faces"},
    {"fabric", 0, CLI_TEXT, FIELD(fabric), "NAME|FILE",
     "fabric of all panels, instead of those that the pattern names"},
    {"body-output", 0, CLI_TEXT, FIELD(body_output), "FILE.obj",
     "also writes the body, for use as an obstacle"},
    {"svg", 0, CLI_TEXT, FIELD(svg), "FILE.svg",
     "also draws the panels of the pattern; without -o it does only that"},
    {"merge", 0, CLI_TEXT, FIELD(merge), "MATERIAL.obj",
     "joins coincident borders instead of sewing, like ARCSim's merge: MATERIAL.obj is a mesh of "
     "flat panels, the operand the same mesh in world space"},
    {"threshold", 0, CLI_TEXT, FIELD(threshold), "METRES",
     "with --merge: distance below which border points are merged; default: 0.001"},
    {THREADS},
    {MEMORY},
    {NO_CACHE},
    {QUIET},
    {VERBOSE},
    {NULL},
};

static const cli_note sew_examples[] = {
    {"voile sew assets/garments/dress.json --figure 1 -o dress.obj --body-output body.obj",
     "a dress and the mannequin that wears it"},
    {"voile sew assets/garments/trousers.json --height 1.9 --build 0.5 --fabric linen -o t.obj",
     "linen trousers for a tall body"},
    {"voile sew shirt_specification.json --body mean_all.obj --up y -o shirt.obj",
     "a GarmentCode pattern on its body"},
    {"voile sew assets/garments/jacket.json --svg jacket.svg", "only the drawing"},
    {"voile sew --merge flat.obj placed.obj --threshold 0.002 -o garment.obj",
     "joins panels that were placed by another program"},
    {NULL},
};

static const cli_option cook_options[] = {
    {"output", 'o', CLI_TEXT, FIELD(output), "FILE.vrt", "file of the garment"},
    {"faces", 0, CLI_MANY, FIELD(faces), "N",
     "approximate number of base triangles; default: 316 for a pattern, all faces of a mesh. A "
     "mesh with more faces is coarsened and becomes the render mesh"},
    {"levels", 0, CLI_TEXT, FIELD(levels), "N", "levels of refinement, 0 to 6; default: 3"},
    {"tolerance", 0, CLI_TEXT, FIELD(tolerance), "METRES",
     "levels that follow a mesh: the finest is at most this far from it. A mesh with subdivision "
     "connectivity is used as it is, any other one is remeshed, with about --faces base triangles "
     "or as many as are needed. Default: levels are midpoints of the base mesh"},
    {"body", 0, CLI_TEXT, FIELD(body), "FILE",
     "body in its rest pose: .obj, .glb, .fbx or .dae. Default: a mannequin for a pattern, none "
     "for a mesh"},
    {"mannequin", 0, CLI_FLAG, FIELD(mannequin), NULL, "the mesh is worn by the mannequin"},
    {"units", 0, CLI_CHOICE, FIELD(units), "m|cm|mm",
     "unit of the body's file; default: the file's own, metres for OBJ"},
    {"up", 0, CLI_CHOICE, FIELD(up), "x|y|z",
     "up axis of the body's file; default: the file's own, z for OBJ"},
    {"height", 0, CLI_TEXT, FIELD(height), "METRES", "height of the mannequin; default: 1.75"},
    {"build", 0, CLI_TEXT, FIELD(build), "B",
     "build of the mannequin, -1 slim to 1 heavy; default: 0"},
    {"figure", 0, CLI_TEXT, FIELD(figure), "F",
     "figure of the mannequin, -1 male to 1 female; default: 0"},
    {"no-body", 0, CLI_FLAG, FIELD(no_body), NULL, "sews a pattern without a body"},
    {"no-fit", 0, CLI_FLAG, FIELD(no_fit), NULL, "does not grade the pattern to the body"},
    {"edge", 0, CLI_TEXT, FIELD(edge), "METRES",
     "edge length with which a pattern is sewn, before the base mesh is sampled; default: 0.03"},
    {"fabric", 0, CLI_TEXT, FIELD(fabric), "NAME|FILE",
     "fabric; default: those that the pattern names, for a mesh a fabric of 0.2 kg/m^2"},
    {"friction", 0, CLI_TEXT, FIELD(friction), "MU",
     "friction coefficient against bodies; default: 0.4"},
    {"attach", 0, CLI_TEXT, FIELD(attach), "LABEL[=W],...",
     "labels of the pattern, or numbers of node labels (nl) of the mesh, whose vertices follow the "
     "animated pose with weight W (default: 1), in addition to pinned labels"},
    {"maps", 0, CLI_TEXT, FIELD(maps), "FILE.json",
     "painted maps, one value per base vertex: attachment, max_distance, backstop, "
     "backstop_radius, stiffness_factor"},
    {"links", 0, CLI_TEXT, FIELD(links), "FILE",
     "joins the pieces of a mesh: lines \"v VERTEX VERTEX...\" and \"e A0 A1 B0 B1\", vertices "
     "numbered from 0"},
    {"uv-scale", 0, CLI_TEXT, FIELD(uv_scale), "METRES",
     "metres per unit of the mesh's texture coordinates; default: such that its area in texture "
     "space equals that in 3D"},
    {"render", 0, CLI_TEXT, FIELD(render), "FILE.obj",
     "render mesh, in the pose of the base mesh; default: the base mesh, refined"},
    {"base-output", 0, CLI_TEXT, FIELD(base_output), "FILE.obj",
     "also writes the base mesh, for painting maps"},
    {"base-level", 0, CLI_TEXT, FIELD(base_level), "N",
     "level that --base-output writes instead of the base mesh, 0 to --levels"},
    {"no-skin", 0, CLI_FLAG, FIELD(no_skin), NULL, "without skin weights of the body's bones"},
    {"no-tethers", 0, CLI_FLAG, FIELD(no_tethers), NULL,
     "without limits of the distance from attached vertices"},
    {THREADS},
    {MEMORY},
    {NO_CACHE},
    {QUIET},
    {VERBOSE},
    {"json", 0, CLI_FLAG, FIELD(json), NULL,
     "prints one JSON object: the contents of the file as in info, fabric, and bone_names in the "
     "order in which a program supplies their matrices"},
    {NULL},
};

static const cli_note cook_examples[] = {
    {"voile cook assets/garments/tshirt.json -o tshirt.vrt", "a T-shirt for the mannequin"},
    {"voile cook trousers.json --body hero.glb --fabric denim -o jeans.vrt",
     "jeans for a character, with skin weights for its bones"},
    {"voile cook flag.obj --attach 1 --levels 4 -o flag.vrt",
     "a mesh, attached at its nodes with label 1"},
    {"voile cook dress.obj --faces 600 -o dress.vrt",
     "a fine mesh: coarsened, and bound to the base mesh for rendering"},
    {"voile cook dress.obj --tolerance 0.002 --levels 4 -o dress.vrt",
     "a mesh whose four levels approach it to 2 mm"},
    {"voile cook panels.obj --links seams.txt -o garment.vrt", "pieces joined by links"},
    {NULL},
};

static const cli_option bench_options[] = {
    {"threads", 0, CLI_COUNT, FIELD(threads), "N",
     "threads that sheet compares with one, and that all others except ccd use; default: 2, for "
     "scaling, solvers and contact 1"},
    {"repeat", 0, CLI_COUNT, FIELD(repeat), "N",
     "measures N times and keeps the best; default: 5, for scaling, ccd and render 3"},
    {"queries", 0, CLI_TEXT, FIELD(queries), "DIR",
     "for ccd: runs every .csv file below this folder; exit code 1 if a collision was missed"},
    {"only", 0, CLI_TEXT, FIELD(only), "NAME",
     "for rt: measures the rows whose names begin with NAME, such as tshirt or drape-max"},
    {"max-frames", 0, CLI_MANY, FIELD(max_frames), "N",
     "for rt: measures only the first N frames of drape, curtains and trousers; default: all"},
    {"plots", 0, CLI_TEXT, FIELD(plots), "DIR",
     "for rt: plots the time per frame of drape, curtains and trousers into this folder, as SVG "
     "and PNG"},
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
    {"rt", CLI_BENCH_RT ". Takes minutes"},
    {NULL},
};

static const cli_note bench_examples[] = {
    {"voile bench", "all benchmarks without input data"},
    {"voile bench sheet --threads 4", "one thread against four"},
    {"voile bench ccd --queries data/ccd", "collision queries with known results"},
    {"voile bench rt --only drape --plots plots", "one scene of the real-time library"},
    {NULL},
};

static const cli_option help_options[] = {
    {"man", 0, CLI_FLAG, FIELD(man), NULL, "prints the manual page instead, as roff"},
    {"output", 'o', CLI_TEXT, FIELD(output), "DIR",
     "with --man: writes the page of every command into this folder"},
    {NULL},
};

static const cli_note help_examples[] = {
    {"voile help simulate", "description and options of simulate"},
    {"voile help --man simulate | man -l -", "the same as a manual page"},
    {NULL},
};

static const cli_option version_options[] = {{NULL}};

static const cli_note version_examples[] = {{NULL}};

const cli_command cli_commands[] = {
    {"simulate", cmd_simulate, "SCENE", true, "simulates a scene into a run folder",
     "Reads the scene, simulates it frame by frame and writes each finished frame to the run "
     "folder. Frame 0 is the initial state. A run that was cancelled or killed keeps its finished "
     "frames and can be continued with \"voile resume\".\n\nThe folder contains scene.json (the "
     "scene with all defaults), inputs/ (copies of the files that it names), frames/NNNN.vof "
     "(complete state of a frame, compressed and checksummed) and stats.jsonl (one line per "
     "frame).\n\nCtrl-C ends the run after the current frame and prints the command that resumes "
     "it; during set-up it ends at once. A second Ctrl-C ends at once; frames on disk stay intact.",
     simulate_options, NULL, NULL, simulate_examples, false,
     "make the scene smaller (fewer characters, longer edges)"},
    {"resume", cmd_resume, "DIR", true, "continues a run that was cancelled or killed",
     "Continues after the last intact frame; the result is bit-identical to an uninterrupted run. "
     "--set changes the scene from there on; scene.json of the run records the change.",
     resume_options, NULL, NULL, resume_examples, false,
     "make its meshes coarser (--set, remeshing.size of its cloths)"},
    {"info", cmd_info, "DIR|FILE", true,
     "prints the statistics of a run or the contents of a character or garment file",
     "Of a run: number of frames; minimum, maximum and mean number of faces, nodes and verts; "
     "seconds per frame and stage; largest strain; warnings. The time of frame 0, which contains "
     "set-up and preroll, is listed separately. The exit code is 1 if no frame is "
     "intact.\n\nOf a character file (.glb, .gltf, .fbx, .dae, "
     ".bvh, .obj): unit and up axis, size, meshes, bones, clips with their durations, cameras, and "
     "contents that are not imported.\n\nOf a garment file (.vrt): base mesh, levels, attachments, "
     "tethers, bones, render mesh, detail of learned upsampling, mass and size.",
     info_options, NULL, NULL, info_examples},
    {"check", cmd_check, "SCENE|MESH|DIR", true, "checks a scene, a mesh or a run for defects",
     "A folder is a run, a name with the extension .obj a mesh, anything else a scene. Each "
     "finding names its file and position. The exit code is 0 unless a finding is fatal. For a "
     "scene it also prints the notes that other commands print with --verbose.\n\nA run passes if "
     "every frame is present, unaltered and clean: no two faces intersect, whether of one cloth, "
     "of two cloths or of a cloth and an obstacle; no node is inside a closed obstacle; no face is "
     "degenerate. Touching faces intersect. The tests are exact, without a tolerance, and "
     "independent of the collision code of the simulation. For the initial state of a scene, and "
     "for a mesh that intersects itself, these are warnings, as is cloth of a run that is "
     "stretched to more than twice its length. Ctrl-C ends the check after the "
     "current frame and prints the findings up to there.",
     check_options, NULL, NULL, check_examples},
    {"export", cmd_export, "DIR", true, "exports the frames of a run",
     "Writes one OBJ file per frame and cloth, NNNN_CC.obj, with material coordinates as texture "
     "coordinates. Existing files of these names are overwritten; files of other frames or cloths, "
     "from an earlier export, are kept, and a warning counts them.\n\nWith --topology original "
     "each file is a copy of the mesh file that the scene names, line by line: the same vertices "
     "in the same order, the same texture coordinates, polygons, groups and labels, with new "
     "positions (v) and velocities (nv), without normals. Positions are sampled from the simulated "
     "surface at the material coordinates of each vertex, smoothly across coarse faces; labelled "
     "edges stay sharp and seams closed. Between the simulated nodes the smooth surface may be "
     "slightly closer to other cloth and obstacles than the simulation allows; --flat reduces "
     "this.",
     export_options, NULL, NULL, export_examples},
    {"render", cmd_render, "DIR|SCENE|MESH|CHARACTER", true,
     "renders images and movies of a run, a scene, a mesh or a character",
     "A folder is a run; a name with the extension .obj a mesh (z up); .glb, .gltf, .fbx, .dae and "
     ".bvh are characters; anything else is a scene, whose initial state is rendered. A character "
     "is rendered alone: one image without --frame shows its rest pose, everything else its first "
     "clip at 25 frames per second; a .bvh file moves a mannequin.\n\nCloth is shaded smoothly, "
     "lit by a soft light from the upper left, a uniform sky and a faint light from behind, on a "
     "floor with shadows; obstacles are grey. A scene with a camera is rendered through it, each "
     "frame at its time; the lights are placed at the beginning of each shot. Without a camera, "
     "and with --camera none, the camera is in front, to the right and slightly above, and frames "
     "everything except obstacles much larger than the cloth. Up is opposite to gravity.\n\nThe "
     "pixels do not depend on the number of threads. Ctrl-C ends a movie after the current frame; "
     "the movie up to there is playable. Rendering needs a build with Embree, images need libpng, "
     "movies libav: \"voile version\" lists them.",
     render_options, NULL, NULL, render_examples, false, "render smaller images (--size)"},
    {"compare", cmd_compare, "DIR REFERENCE [DIR...]", true,
     "compares the appearance and the cost of runs of a scene",
     "Renders the frames that runs have in common with the reference, the second run, through the "
     "scene's camera (or a framing one, as for render), and measures per frame: overlap of the "
     "cloth's silhouettes (IoU), mean angle between normals, power of wrinkles relative to the "
     "reference, edge lengths on screen, and popping by remeshing. Cloth occluded by bodies is "
     "ignored. For each run: faces, verts, seconds per frame, and speed-up over the "
     "reference.\n\nThe results do not depend on the number of threads. Needs a build with Embree. "
     "docs/comparing.md defines every measure.",
     compare_options, NULL, NULL, compare_examples, true,
     "render smaller images (--size), compare fewer runs at a time"},
    {"sew", cmd_sew, "PATTERN", true, "sews a pattern around a body",
     "Places the panels of a pattern (Voile's or GarmentCode's) around a body, closes the seams in "
     "a simulation without intersections, merges them and relaxes the garment. The output is an "
     "OBJ file for \"mesh\" of a cloth: material coordinates are those of the flat panels, face "
     "labels are the indices of the pattern's fabrics.\n\nIf a seam does not close, the message "
     "names it, its gap, the lengths of its sides and possible causes. Ctrl-C cancels without "
     "output.",
     sew_options, NULL, NULL, sew_examples, false,
     "make the mesh coarser (a longer --edge, fewer --faces)"},
    {"cook", cmd_cook, "PATTERN|MESH", true, "converts a garment to a file for real-time use",
     "Converts a pattern (Voile's or GarmentCode's) on a body, or an OBJ mesh with texture "
     "coordinates, to a .vrt file, which the real-time library loads: a coarse base mesh, "
     "material coordinates, fabric, attachments, tethers, skin weights and a render mesh.\n\nA "
     "pattern is sewn around the body with short edges, as by \"voile sew\"; then the base mesh is "
     "sampled from the sewn garment. If the body has bones, the garment gets the weights of the "
     "nearest point of its surface. docs/cooking.md describes every step.\n\nThe same input gives "
     "the same bytes. Ctrl-C cancels without writing anything.",
     cook_options, NULL, NULL, cook_examples, false, "use longer edges (--edge)"},
    {"upsample", cmd_upsample, "ACTION FILE...", true,
     "trains and applies learned upsampling: fine folds from a coarse simulation", upsample_text,
     upsample_options, "actions", upsample_notes, upsample_examples, true,
     "train on fewer frames (--frames), use a coarser fine mesh"},
    {"bench", cmd_bench, "NAME", false, "measures the speed of this machine and build",
     "Runs one benchmark, or all without input data. Each warms up, measures the same frames "
     "several times, keeps the best time of each and prints counters next to it. Ratios are "
     "relative to a baseline measured in the same run.",
     bench_options, "benchmarks", bench_notes, bench_examples},
    {"help", cmd_help, "COMMAND", false, "explains a command",
     "Without a command it lists all commands.", help_options, NULL, NULL, help_examples},
    {"version", cmd_version, NULL, false, "prints the version and the optional parts of this build",
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
        return cli_fail(CLI_USAGE_ERROR, "there is no command \"%s\". Did you mean \"%s\"?", name,
                        nearest);
    return cli_fail(CLI_USAGE_ERROR, "there is no command \"%s\". \"voile help\" lists them.",
                    name);
}
