#include "scene/keys.h"

#include <stddef.h>

/* A row: name, kind, fallback, unit, meaning, then other members by their names. */
#define KEY(name_, kind_, fallback_, unit_, meaning_, ...)                           \
    {                                                                                \
        .name = name_, .kind = VO_KEY_##kind_, .fallback = fallback_, .unit = unit_, \
        .meaning = meaning_, __VA_ARGS__                                             \
    }
#define END \
    { .name = NULL }

const char *const vo_unit_words[] = {"m", "cm", "mm", "in", "ft", NULL};
const char *const vo_axis_words[] = {"x", "y", "z", NULL};
const char *const vo_adapt_words[] = {"none", "full", "view", NULL};
const char *const vo_compensation_words[] = {"none", "all", NULL};
const char *const vo_solver_words[] = {"pcg", "direct", NULL};
const char *const vo_handle_words[] = {"node", "circle", "glue", "soft", NULL};
const char *const vo_shape_words[] = {"sphere", "box",    "plate", "cylinder",
                                      "torus",  "funnel", "blade", NULL};
const char *const vo_side_words[] = {"left", "right", "bottom", "top", NULL};
static const char *const proxy_words[] = {"", "floor", NULL};

const char *const vo_disable_words[] = {"proximity", "physics",    "strainlimiting", "collision",
                                        "remeshing", "separation", "popfilter",      "plasticity",
                                        "fracture",  NULL};

static const vo_key transform_keys[] = {
    KEY("translate", VEC3, "[0, 0, 0]", "length", "Moved by this, after turning and scaling."),
    KEY("scale", POSITIVE, "1", NULL,
        "Size factor. For a cloth it also scales the material coordinates, so nothing is "
        "strained."),
    KEY("rotate", VEC4, "[0, 0, 0, 0]", "degrees, -",
        "Turned by an angle about an axis: [angle, x, y, z]."),
    END,
};

static const vo_key rate_keys[] = {
    KEY("translate", VEC3, "[0, 0, 0]", "length/s", "Velocity of the translation."),
    KEY("scale", REAL, "0", "1/s", "Rate of the scale."),
    KEY("rotate", VEC4, "[0, 0, 0, 0]", "degrees/s, -",
        "Turning speed about an axis: [speed, x, y, z]."),
    END,
};

static const vo_key velocity_keys[] = {
    KEY("linear", VEC3, "[0, 0, 0]", "length/s", "The same for every node."),
    KEY("angular", VEC3, "[0, 0, 0]", "rad/s", "Turning about the origin below."),
    KEY("origin", VEC3, "[0, 0, 0]", "length", "The point that turning leaves in place."),
    END,
};

static const vo_key grid_keys[] = {
    KEY("width", POSITIVE, NULL, "length", "Along x and the warp.", .required = true),
    KEY("height", POSITIVE, NULL, "length", "Along y and the weft.", .required = true),
    KEY("columns", COUNT, NULL, NULL, "Cells along x; a cell is two faces.", .required = true),
    KEY("rows", COUNT, NULL, NULL, "Cells along y.", .required = true),
    END,
};

static const vo_key material_keys[] = {
    KEY("data", PATH, NULL, NULL, "Fabric file, Voile's or ARCSim's."),
    KEY("fabric", PATH, NULL, NULL, "Another name for `data`."),
    KEY("density_mult", POSITIVE, "1", NULL, "Multiplies the mass."),
    KEY("stretching_mult", POSITIVE, "1", NULL, "Multiplies the resistance to stretching."),
    KEY("bending_mult", NONNEGATIVE, "1", NULL, "Multiplies the resistance to bending."),
    KEY("thicken", POSITIVE, "1", NULL, "Multiplies all three multipliers above."),
    KEY("damping", NONNEGATIVE, "0", "s",
        "Stiffness-proportional damping: the elastic forces resist change for this long."),
    KEY("strain_limits", LIMITS, "[\"-inf\", \"inf\"]", NULL,
        "Bounds of the principal stretches; 1 is rest, infinite is off."),
    KEY("thickness", POSITIVE, NULL, "m", "Without `data`: of a uniform sheet."),
    KEY("density", POSITIVE, NULL, "kg/m^3", "Without `data`: of a uniform sheet."),
    KEY("elastic_modulus", POSITIVE, NULL, "Pa", "Without `data`: of a uniform sheet."),
    KEY("poisson_ratio", NONNEGATIVE, NULL, NULL, "Without `data`: of a uniform sheet, 0 to 0.5."),
    KEY("yield_curv", TIME, "\"inf\"", "1/m", "Curvature at which creases stay.", .later = true),
    KEY("weakening", NONNEGATIVE, "0", NULL, "How much creases soften the cloth.", .later = true),
    KEY("yield_stretch", TIME, "\"inf\"", NULL, "Stretch at which it stays.", .later = true),
    KEY("plastic_flow", NONNEGATIVE, "0", NULL, "How fast it yields.", .later = true),
    KEY("plastic_limit", TIME, "\"inf\"", NULL, "How far it yields.", .later = true),
    KEY("toughness", TIME, NULL, NULL, "Stress at which it tears.", .later = true),
    KEY("fracture_bending_mult", NONNEGATIVE, NULL, NULL, "Weight of bending in tearing.",
        .later = true),
    END,
};

static const vo_key remeshing_keys[] = {
    KEY("refine_angle", TIME, "\"inf\"", "rad", "The normal may turn so much along an edge."),
    KEY("refine_compression", TIME, "\"inf\"", "m",
        "Height of a buckle that may be lost: an edge under the compressive strain e is at most "
        "this divided by the root of e."),
    KEY("refine_velocity", TIME, "\"inf\"", "m/s", "Velocities may differ so much along an edge."),
    KEY("size", LIMITS, "[\"-inf\", \"inf\"]", "m",
        "Shortest and longest edge. Without the first it is a thousandth of the fabric's extent."),
    KEY("aspect_min", LIMIT, "\"-inf\"", NULL, "Least width of a face by its length."),
    KEY("outline_tolerance", TIME, NULL, "m",
        "The fabric's outline and seams may become simpler by so much; a tenth of the shortest "
        "edge if missing."),
    KEY("compensation", WORD, "\"none\"", NULL,
        "Which faces give way to compression instead of the folds that they are too large for: "
        "`all`: the larger a face, the more, those of the longest edges wholly. Needs the second "
        "of `size`.",
        .words = vo_compensation_words),
    KEY("compensation_power", POSITIVE, "10", NULL,
        "At least 1; the larger, the smaller the faces that give way."),
    KEY("size_uniform", TIME, "\"inf\"", "m", "One edge length for all.", .later = true),
    KEY("refine_fracture", TIME, "\"inf\"", NULL, "Refinement where it may tear.", .later = true),
    END,
};

static const vo_key cloth_keys[] = {
    KEY("mesh", PATH, NULL, NULL, "OBJ file."),
    KEY("grid", OBJECT, NULL, NULL,
        "Instead of `mesh`: a flat sheet in the plane z = 0 with a corner at the origin.",
        .object = grid_keys),
    KEY("transform", OBJECT, "{}", NULL, "Puts the mesh in its place.", .object = transform_keys),
    KEY("velocity", OBJECT, "{}", NULL, "Added to the velocities in the mesh file.",
        .object = velocity_keys),
    KEY("materials", ARRAY, NULL, NULL, "A face's label is an index into it.",
        .object = material_keys, .required = true, .nonempty = true),
    KEY("remeshing", OBJECT, NULL, NULL,
        "How fine the mesh is to be; without it the mesh stays as it is.",
        .object = remeshing_keys),
    KEY("two_sided", BOOL, NULL, NULL,
        "With `adapt` `view`: its back is a front, too; if missing, as `view.two_sided` says."),
    KEY("reference", STRING, "\"linear\"", NULL, "Rest shape: `linear`, `sphere` or a mesh file.",
        .later = true),
    END,
};

const vo_key vo_keyframe_keys[] = {
    KEY("time", REAL, NULL, "s", "Later than that of the key before.", .required = true),
    KEY("transform", OBJECT, "{}", NULL, "The pose at that time.", .object = transform_keys),
    KEY("velocity", OBJECT, NULL, NULL,
        "Its rate of change. If missing: from the keys before and after, zero at the ends.",
        .object = rate_keys),
    END,
};

const vo_key vo_motfile_keys[] = {
    KEY("motfile", PATH, NULL, NULL, "A .mot file; its body i is motion i.", .required = true),
    KEY("fps", POSITIVE, NULL, "1/s", "Frame k of the file is at time k/fps.", .required = true),
    KEY("transform", OBJECT, "{}", NULL, "Applied after every pose of the file.",
        .object = transform_keys),
    END,
};

static const vo_key handle_keys[] = {
    KEY("type", WORD, "\"node\"", NULL, "What it does.", .words = vo_handle_words),
    KEY("cloth", INDEX, "0", NULL, "Which cloth it holds."),
    KEY("label", CHOICE, "-1", NULL, "Node, circle: all nodes with this label; -1: none."),
    KEY("nodes", INDICES, NULL, NULL, "Node, glue: these nodes, counted from 0.", .nonempty = true),
    KEY("vertices", INDICES, NULL, NULL, "Another name for `nodes`.", .nonempty = true),
    KEY("corners", INDICES, NULL, NULL,
        "Node, cloth from a `grid`: 0 origin, then counter-clockwise.", .nonempty = true),
    KEY("edge", WORD, NULL, NULL, "Node, cloth from a `grid`: all nodes of one side.",
        .words = vo_side_words),
    KEY("motion", CHOICE, "-1", NULL, "Not for glue: the motion it follows; -1: stays."),
    KEY("start_time", REAL, "0", "s", "Holds from then on."),
    KEY("end_time", LIMIT, "\"inf\"", "s", "Lets go then."),
    KEY("fade_time", NONNEGATIVE, "0", "s",
        "After `end_time` the strength falls as (1 - s)^4 over this."),
    KEY("stiffness", NONNEGATIVE, "0", "N/m",
        "0: hard (type node) or `magic.handle_stiffness` (others); else a spring."),
    KEY("circumference", POSITIVE, NULL, "length", "Circle: its circumference."),
    KEY("u", VEC2, NULL, NULL, "Circle: the material direction that runs along it."),
    KEY("center", VEC3, NULL, "length", "Circle, soft: the middle."),
    KEY("axis0", VEC3, NULL, NULL, "Circle: unit vector to where u = 0 goes."),
    KEY("axis1", VEC3, NULL, NULL, "Circle: unit vector a quarter further."),
    KEY("radius", POSITIVE, NULL, "length", "Soft: of the sphere."),
    END,
};

static const vo_key shape_keys[] = {
    KEY("type", WORD, NULL, NULL, "What it is.", .words = vo_shape_words, .required = true),
    KEY("radius", POSITIVE, NULL, "length",
        "Sphere, cylinder; torus: to the middle of its tube; funnel: inside, at the mouth."),
    KEY("size", VEC3, NULL, "length", "Box, plate, blade: along x, y and z."),
    KEY("height", POSITIVE, NULL, "length", "Cylinder; funnel: from the neck to the mouth."),
    KEY("tube", POSITIVE, NULL, "length", "Torus: radius of the tube, less than `radius`."),
    KEY("neck", POSITIVE, NULL, "length",
        "Funnel: radius inside, at the narrow end, less than `radius`."),
    KEY("stem", NONNEGATIVE, NULL, "length",
        "Funnel: of the straight pipe below the neck; none if missing."),
    KEY("thickness", POSITIVE, NULL, "length",
        "Funnel: of the wall; a fifth of `neck` if missing."),
    KEY("edge_length", POSITIVE, NULL, "length",
        "Of its triangles, about. If missing: as the list below says."),
    END,
};

const vo_key vo_obstacle_keys[] = {
    KEY("mesh", PATH, NULL, NULL, "OBJ file."),
    KEY("shape", OBJECT, NULL, NULL, "Instead of `mesh`: a simple body.", .object = shape_keys),
    KEY("transform", OBJECT, "{}", NULL, "Applied to the mesh before the motion.",
        .object = transform_keys),
    KEY("motion", CHOICE, "-1", NULL, "The motion it follows; -1: stays."),
    KEY("start_time", REAL, "0", "s", "Exists from then on."),
    KEY("end_time", LIMIT, "\"inf\"", "s", "Is taken away then."),
    KEY("proxy", WORD, NULL, NULL, "A plain shape in its place.", .words = proxy_words,
        .later = true),
    END,
};

static const vo_key camera_key_keys[] = {
    KEY("time", REAL, NULL, "s", "When. It or `frame` must be there."),
    KEY("frame", REAL, NULL, NULL, "Instead of `time`: frame k is at k / `fps` of the camera."),
    KEY("cut", BOOL, "false", NULL,
        "Begins a new shot: the camera jumps here at that time, which may be that of the key "
        "before."),
    KEY("position", VEC3, NULL, "length", "Where it stands.", .required = true),
    KEY("target", VEC3, NULL, "length", "What it looks at, upright."),
    KEY("rotation", VEC4, NULL, NULL,
        "Instead of `target`: a quaternion [w, x, y, z]; unturned it looks along -z, y is up."),
    KEY("field", POSITIVE, NULL, "degrees", "Vertical opening; that of the camera if missing."),
    KEY("focal_length", POSITIVE, NULL, "mm", "Instead of `field`."),
    END,
};

const vo_key vo_camera_table_keys[] = {
    KEY("keys", ARRAY, NULL, NULL, "As those of a camera.", .object = camera_key_keys,
        .required = true, .nonempty = true),
    END,
};

static const vo_key camera_keys[] = {
    KEY("name", STRING, "\"\"", NULL,
        "By which `shots` and `voile render --camera` know it. Not `none`, and without `=`, which "
        "mean something else there."),
    KEY("position", VEC3, NULL, "length", "Of a camera that stands still."),
    KEY("target", VEC3, NULL, "length", "What that one looks at, upright."),
    KEY("rotation", VEC4, NULL, NULL, "Instead of `target`, as in a camera key."),
    KEY("keys", ARRAY, NULL, NULL, "Instead of `position`: its path.", .object = camera_key_keys,
        .nonempty = true),
    KEY("table", PATH, NULL, NULL, "Instead of `keys`: a file with a row a key."),
    KEY("file", PATH, NULL, NULL,
        "Instead of `keys`: a camera of an FBX, glTF or Collada file, with its clip."),
    KEY("file_camera", STRING, NULL, NULL,
        "Its name in `file`, which is that of the node that holds it; the first if missing."),
    KEY("clip", STRING, NULL, NULL, "Name of the clip in `file`; the first if missing."),
    KEY("cuts", INDICES, NULL, "frames",
        "Of `file`: frames of the clip, which begins with 0, in which a new shot begins; if "
        "missing, they are looked for; empty: none."),
    KEY("start_time", REAL, "0", "s", "Added to all times of the path."),
    KEY("fps", POSITIVE, NULL, "1/s",
        "Of `keys` by `frame`, of a `table` and of `cuts`; that of the scene if missing."),
    KEY("transform", OBJECT, "{}", NULL, "Puts the path in its place.", .object = transform_keys),
    KEY("motion", CHOICE, "-1", NULL, "A motion that carries the path; -1: none."),
    KEY("field", POSITIVE, NULL, "degrees",
        "Vertical opening where keys and rows have none, 0.001 to 179; if missing, that of `file`, "
        "else 40."),
    KEY("focal_length", POSITIVE, NULL, "mm", "Instead of `field`."),
    KEY("sensor_height", POSITIVE, "24", "mm",
        "Of `focal_length`: height of the picture behind the lens."),
    KEY("resolution", INDICES, NULL, "pixels",
        "[width, height] of its pictures, 1 to 16384; [1920, 1080] if missing."),
    KEY("aspect", POSITIVE, NULL, NULL,
        "Instead of `resolution`: width by height, of 1080 rows, up to 15.17; if missing, that of "
        "`file`."),
    KEY("near", POSITIVE, NULL, "length", "Depth of the first it sees; 0.01 m if missing."),
    KEY("far", POSITIVE, NULL, "length", "Depth of the last; 1000 m if missing."),
    KEY("up", VEC3, NULL, NULL, "What `target` keeps upright; the `up_axis` if missing."),
    KEY("ease", BOOL, NULL, NULL,
        "Shots begin and end at rest; false: at the speed they have there. If missing: true for "
        "`keys`, false for `table` and `file`."),
    KEY("light", BOOL, "false", NULL,
        "A light whose shadows are seen: counts as a camera. Pictures are taken from it "
        "only where it is asked for by its name."),
    KEY("front", POSITIVE, "1", NULL, "How much counts what it sees from the front, above 0 to 1."),
    END,
};

static const vo_key shot_keys[] = {
    KEY("time", REAL, NULL, "s", "When it begins. It or `frame` must be there."),
    KEY("frame", REAL, NULL, NULL, "Instead of `time`: a frame of the scene."),
    KEY("camera", STRING, NULL, NULL, "Name of the camera.", .required = true),
    END,
};

static const vo_key body_keys[] = {
    KEY("file", PATH, NULL, NULL,
        "Character (.glb, .fbx, .dae), surface (.obj) or a sequence by a name such as "
        "`body_%04d.obj`, from 0 or 1 on. Without it the body is a mannequin."),
    KEY("files", STRINGS, NULL, NULL, "Instead of `file`: the OBJ files of a sequence."),
    KEY("units", WORD, NULL, NULL, "Of the file; if missing, as it says.", .words = vo_unit_words),
    KEY("up_axis", WORD, NULL, NULL, "Of the file; if missing, as it says.",
        .words = vo_axis_words),
    KEY("height", POSITIVE, NULL, "m", "Of a mannequin, 0.5 to 3; 1.75 if missing."),
    KEY("build", REAL, NULL, NULL,
        "Of a mannequin: -1 slim, 0 average, 1 heavy, or between; 0 if missing."),
    KEY("figure", REAL, NULL, NULL,
        "Of a mannequin: -1 male, 0 neither, 1 female, or between; 0 if missing."),
    KEY("shoulders", POSITIVE, NULL, NULL,
        "Of a mannequin: factor on the width, 0.7 to 1.5; 1 if missing."),
    KEY("chest", POSITIVE, NULL, NULL, "The same."),
    KEY("waist", POSITIVE, NULL, NULL, "The same."),
    KEY("hips", POSITIVE, NULL, NULL, "The same."),
    KEY("limbs", POSITIVE, NULL, NULL, "The same, of arms and legs."),
    KEY("faces", COUNT, NULL, NULL,
        "Of a mannequin, about: 1000 to 200000; 20000 if missing. Below 6000 it has no fingers."),
    END,
};

static const vo_key body_motion_keys[] = {
    KEY("file", PATH, NULL, NULL,
        "Voile's own (.json) for mannequins; .bvh, .glb, .fbx or .dae for all bodies with bones; "
        ".pc2 for a body from an OBJ file. Without it: what the body's own file has."),
    KEY("clip", STRING, NULL, NULL, "Which clip of the file; the first if missing."),
    KEY("start", NONNEGATIVE, "0", "s", "So far into the motion at time 0."),
    KEY("speed", NONNEGATIVE, "1", NULL, "Seconds of the motion in a second."),
    KEY("loop", BOOL, NULL, NULL,
        "At its end it begins again, or its last pose is held; if missing, as Voile's own file "
        "says, and held for others."),
    KEY("fps", POSITIVE, NULL, "1/s",
        "Of .pc2 files and sequences; if missing, a frame of the file is one of the scene."),
    KEY("units", WORD, NULL, NULL, "Of the file; if missing, as it says.", .words = vo_unit_words),
    KEY("up_axis", WORD, NULL, NULL, "Of the file; if missing, as it says.",
        .words = vo_axis_words),
    END,
};

const vo_key vo_character_keys[] = {
    KEY("body", FILE, "{}", NULL, "Its surface; if missing, a mannequin.", .object = body_keys),
    KEY("motion", FILE, NULL, NULL, "What moves it; if missing, it stays in its rest pose.",
        .object = body_motion_keys),
    KEY("transform", OBJECT, "{}", NULL,
        "Where it stands: moves the body and its motion as a whole.", .object = transform_keys),
    KEY("gap", NONNEGATIVE, "0.005", "m",
        "Where parts of the body press into each other they are drawn in until they are so far "
        "apart, so that cloth fits between; 0: not at all."),
    KEY("start_time", REAL, "0", "s", "Exists from then on; 0: also in the preroll."),
    KEY("end_time", LIMIT, "\"inf\"", "s", "Is taken away then."),
    END,
};

const vo_key vo_garment_keys[] = {
    KEY("pattern", PATH, NULL, NULL,
        "Garment pattern, Voile's or GarmentCode's; sewn around the character before the start."),
    KEY("mesh", PATH, NULL, NULL,
        "Instead of `pattern`: OBJ of a garment sewn before, around the character's body."),
    KEY("character", INDEX, "0", NULL, "Who wears it."),
    KEY("fit", BOOL, "true", NULL,
        "A pattern that says for what body it was drawn is redrawn for the character."),
    KEY("edge_length", POSITIVE, "0.03", "m", "Of the mesh that is sewn."),
    KEY("faces", COUNT, NULL, NULL, "Instead of `edge_length`: about so many faces."),
    KEY("materials", ARRAY, NULL, NULL,
        "A face's label, the number of the pattern's fabric, is an index into it. If missing, the "
        "pattern's own fabrics, with the two values below.",
        .object = material_keys, .nonempty = true),
    KEY("damping", NONNEGATIVE, "0.002", "s", "Of the pattern's own fabrics."),
    KEY("strain_limits", LIMITS, "[\"-inf\", \"inf\"]", NULL, "Of the pattern's own fabrics."),
    KEY("remeshing", OBJECT,
        "{\"refine_angle\": 0.4, \"refine_compression\": 0.01, \"refine_velocity\": 1, \"size\": "
        "[0.015, 0.1], \"aspect_min\": 0.2}",
        NULL, "How fine the mesh is to be.", .object = remeshing_keys),
    KEY("two_sided", BOOL, NULL, NULL,
        "With `adapt` `view`: its back is a front, too; if missing, as `view.two_sided` says."),
    END,
};

static const vo_key spline_keys[] = {
    KEY("time", REAL, NULL, "s", "When.", .required = true),
    KEY("target", INDEX, NULL, NULL, "Which target.", .required = true),
    KEY("stiffness", NONNEGATIVE, NULL, NULL, "How strongly.", .required = true),
    END,
};

static const vo_key morph_keys[] = {
    KEY("cloth", INDEX, "0", NULL, "Which cloth it shapes.", .later = true),
    KEY("targets", STRINGS, NULL, NULL, "OBJ files.", .required = true, .later = true),
    KEY("spline", ARRAY, NULL, NULL, "Targets over time.", .object = spline_keys, .required = true,
        .later = true),
    END,
};

static const vo_key wind_keys[] = {
    KEY("density", NONNEGATIVE, "1", "kg/m^3", "Of the air; with 0 only `drag` is left."),
    KEY("velocity", VEC3, "[0, 0, 0]", "m/s", "Of the air. Still air resists, too."),
    KEY("drag", NONNEGATIVE, "0", "kg/(m^2 s)", "Linear drag along the cloth."),
    END,
};

static const vo_key solver_keys[] = {
    KEY("method", WORD, "\"pcg\"", NULL,
        "`pcg`: conjugate gradients; `direct`: CHOLMOD, where the build has it.",
        .words = vo_solver_words),
    KEY("tolerance", POSITIVE, "0.001", NULL,
        "Relative residual, below 1. The default moves nodes by less than a hundredth of what "
        "halving the time step does."),
    KEY("max_iterations", COUNT, "500", NULL, "Then the direct solver takes over."),
    END,
};

static const vo_key magic_keys[] = {
    KEY("handle_stiffness", POSITIVE, "1000", "N/m", "Of handles that are soft or fading."),
    KEY("fixed_high_res_mesh", BOOL, "false", NULL, "ARCSim's name for `adapt` `none`."),
    KEY("collision_stiffness", POSITIVE, "1e9", "N/m per m^2", "Of contacts."),
    KEY("repulsion_thickness", POSITIVE, "0.001", "m", "Contacts act from this distance."),
    KEY("jump_speed", POSITIVE, "40", "m/s",
        "An obstacle that is faster jumps: it is elsewhere at once, and cloth that it wears goes "
        "along."),
    KEY("projection_thickness", POSITIVE, NULL, "m",
        "Distance that impacts leave. At most the repulsion thickness; a tenth of it if missing.",
        .later = true),
    KEY("edge_flip_threshold", NONNEGATIVE, "0.01", NULL,
        "An edge flips when the sine by which the angles opposite to it exceed a half turn is "
        "above "
        "this."),
    KEY("rib_stiffening", NONNEGATIVE, "1", NULL,
        "How much curvature across a compressed direction keeps cloth from buckling, and the mesh "
        "coarse; 0: not at all."),
    KEY("combine_tensors", BOOL, "true", NULL,
        "Edges obey the strictest of what folds, speeds, compression and obstacles ask for; false: "
        "their sum, which is finer."),
    KEY("preserve_creases", BOOL, "false", NULL, "The first shape is the rest shape.",
        .later = true),
    KEY("add_jitter", BOOL, "false", NULL, "Noise on the first positions.", .later = true),
    KEY("separation_step_size", POSITIVE, "0.01", NULL, "Of untangling.", .later = true),
    KEY("relax_method", INDEX, "0", NULL, "Of the first frame.", .later = true),
    KEY("max_cracks", INDEX, "100", NULL, "At most so many tears a frame.", .later = true),
    KEY("enable_localopt", BOOL, "false", NULL, "Local search in tearing.", .later = true),
    END,
};

static const vo_key override_keys[] = {
    KEY("from_frame", INDEX, NULL, NULL, "Counts for this frame and those after it.",
        .required = true),
    KEY("set", STRINGS, NULL, NULL, "Settings as `key=value`.", .required = true),
    END,
};

static const vo_key view_keys[] = {
    KEY("back", POSITIVE, "0.2", NULL, "How much counts what is seen from behind, up to 1."),
    KEY("hidden", POSITIVE, "0.5", NULL,
        "A front that is behind something else, with `occlusion`, up to 1."),
    KEY("hidden_margin", NONNEGATIVE, "0.1", "m",
        "Distance from what is seen, along the cloth, over which that is reached."),
    KEY("out", POSITIVE, "0.01", NULL,
        "What is in no picture, up to 1; below `remeshing.size[0]` / `size_max` there is no "
        "difference."),
    KEY("margin", NONNEGATIVE, "0.4", "m", "Distance from the picture over which that is reached."),
    KEY("anticipation", NONNEGATIVE, "5", "frames",
        "What cameras will see within them counts already, the more the sooner; up to 1000."),
    KEY("pixels", NONNEGATIVE, "4", "pixels",
        "Edges are not made shorter on the screen than this; 0: they are."),
    KEY("silhouette", TIME, "0.25", NULL,
        "Faces beside visible ones count as the mean of both, where that differs by more than "
        "this."),
    KEY("popping", TIME, "0.5", "pixels",
        "Remeshing does not move what is seen by more in a frame; it waits until it need not."),
    KEY("size_max", POSITIVE, "0.3", "m",
        "Longest edge where nothing is seen; counts if it is above `remeshing.size[1]`. Where that "
        "is "
        "infinite, `compensation` goes by this one."),
    KEY("whole_start", BOOL, "true", NULL,
        "Before frame 0 everything counts as seen; crowds are better off without."),
    KEY("two_sided", BOOL, "false", NULL,
        "The back of cloth is a front, too, but for cloths and garments that say otherwise."),
    KEY("occlusion", BOOL, "false", NULL,
        "What is behind something else is told from what is seen (needs a build with Embree)."),
    KEY("compensation", BOOL, "true", NULL,
        "Coarse faces out of all pictures have buckling compensation, with `size_max` as the "
        "longest edge."),
    KEY("compensation_power", POSITIVE, "10", NULL, "As that of `remeshing`, 1 to 1e6."),
    KEY("compensation_seen", NONNEGATIVE, "0", NULL,
        "The power for all other faces, hidden ones above all: 1 to 1e6; 0, or with "
        "`compensation` false: they have none."),
    KEY("budget_faces", NONNEGATIVE, "0", NULL,
        "`pixels` is raised to keep all cloths within so many faces; 0: any number."),
    KEY("budget_seconds", NONNEGATIVE, "0", "s",
        "Likewise seconds a frame; such a run cannot be repeated exactly. 0: any."),
    END,
};

static const vo_key place_keys[] = {
    KEY("transform", OBJECT, "{}", NULL, "Moves all characters as a whole.",
        .object = transform_keys),
    KEY("start", NONNEGATIVE, "0", "s", "So much further into their motions."),
    END,
};

static const vo_key crowd_keys[] = {
    KEY("places", ARRAY, "[]", NULL, "Where copies stand, instead of on the grid below.",
        .object = place_keys),
    KEY("rows", COUNT, NULL, NULL, "Of a grid around the origin, on the floor; 1 if missing."),
    KEY("columns", COUNT, NULL, NULL, "The same."),
    KEY("spacing", VEC2, NULL, "length",
        "From column to column and from row to row; [2, 2] if missing."),
    KEY("turn", NONNEGATIVE, NULL, "degrees",
        "On the grid each copy is turned by up to this, to either side; 0 if missing."),
    KEY("delay", NONNEGATIVE, NULL, "s",
        "And is up to so much further into its motion; 0 if missing."),
    KEY("seed", INDEX, NULL, NULL, "Another number gives other turns and delays; 1 if missing."),
    KEY("detail", NONNEGATIVE, "0", "pixels",
        "Mannequins have half the faces, or a quarter and so on, as long as edges of the body are "
        "shorter than this in every frame; 0: all are alike."),
    END,
};

const vo_key vo_scene_keys[] = {
    KEY("frame_time", POSITIVE, NULL, "s",
        "From one frame to the next. Required unless `fps` or `timestep` is there."),
    KEY("fps", POSITIVE, NULL, "1/s", "Instead of `frame_time`: frames a second."),
    KEY("frame_steps", COUNT, "1", NULL, "Substeps in a frame, at most 100,000."),
    KEY("timestep", POSITIVE, NULL, "s",
        "Read if `frame_time` and `fps` are missing: one substep."),
    KEY("save_frames", COUNT, NULL, NULL, "With `timestep`: substeps in a frame; 1 if missing."),
    KEY("end_time", TIME, "\"inf\"", "s", "Ends with the first frame at or after it."),
    KEY("end_frame", TIME, "\"inf\"", NULL, "Ends with this frame, a whole number."),
    KEY("duration", TIME, NULL, "s", "Another name for `end_time`."),
    KEY("start_frame", INDEX, "0", NULL, "Frames before this one are simulated, but not kept."),
    KEY("preroll", NONNEGATIVE, NULL, "s",
        "Simulated before time 0, in whole frames, and not kept; if missing, 1 with `characters` "
        "and else 0."),
    KEY("cloths", ARRAY, NULL, NULL, "What is simulated. Required unless `garments` is there.",
        .object = cloth_keys, .nonempty = true),
    KEY("motions", MOTIONS, "[]", NULL, "How handles and obstacles move."),
    KEY("handles", ARRAY, "[]", NULL, "What holds and pulls the cloth.", .object = handle_keys),
    KEY("obstacles", OBSTACLES, "[]", NULL, "Bodies beside the cloth."),
    KEY("characters", ARRAY, "[]", NULL, "Bodies whose form moves.", .object = vo_character_keys),
    KEY("garments", ARRAY, "[]", NULL,
        "What characters wear, the innermost first; further cloths, numbered after `cloths`.",
        .object = vo_garment_keys),
    KEY("morphs", ARRAY, NULL, NULL, "Shapes that pull a cloth.", .object = morph_keys,
        .later = true),
    KEY("gravity", VEC3, "[0, 0, 0]", "m/s^2", "Always in Voile's axes, where z is up."),
    KEY("wind", OBJECT, "{}", NULL, "The air.", .object = wind_keys),
    KEY("friction", NONNEGATIVE, "0.6", NULL, "Coulomb's coefficient of cloth on cloth."),
    KEY("obs_friction", NONNEGATIVE, "0.3", NULL, "The same of cloth on obstacles."),
    KEY("adapt", WORD, "\"full\"", NULL,
        "What meshes with `remeshing` follow: `full`: what the cloth does; `view`: that, where "
        "cameras see it or soon will; `none`: nothing, each is refined once to "
        "`remeshing.size[0]`.",
        .words = vo_adapt_words),
    KEY("disable", WORDS, "[]", NULL, "Stages of the step to leave out.",
        .words = vo_disable_words),
    KEY("solver", OBJECT, "{}", NULL, "The linear solver.", .object = solver_keys),
    KEY("magic", OBJECT, "{}", NULL, "Inner constants.", .object = magic_keys),
    KEY("units", WORD, "\"m\"", NULL, "What one unit of length in the geometry is.",
        .words = vo_unit_words),
    KEY("up_axis", WORD, "\"z\"", NULL, "Which axis of the geometry points up.",
        .words = vo_axis_words),
    KEY("overrides", ARRAY, "[]", NULL, "Changes made by `voile resume --set`.",
        .object = override_keys),
    KEY("camera", OBJECT, NULL, NULL, "What looks at the cloth.", .object = camera_keys),
    KEY("cameras", ARRAY, "[]", NULL, "More of them, after `camera`.", .object = camera_keys),
    KEY("shots", ARRAY, "[]", NULL,
        "Which camera the film shows when; the first that is no light if missing.",
        .object = shot_keys),
    KEY("view", OBJECT, "{}", NULL, "How much counts what cameras see, with `adapt` `view`.",
        .object = view_keys),
    KEY("crowd", OBJECT, NULL, NULL,
        "All characters and their garments at many places; if missing, once.",
        .object = crowd_keys),
    KEY("save_every", COUNT, "1", NULL, "ARCSim 0.3.1: every so many frames are kept.",
        .later = true),
    KEY("passive_time", TIME, "\"inf\"", "s", "ARCSim 0.3.1: longer steps after it.",
        .later = true),
    END,
};

const vo_key_table vo_key_tables[] = {
    {"scene", vo_scene_keys},
    {"cloth", cloth_keys},
    {"grid", grid_keys},
    {"transform", transform_keys},
    {"cloth.velocity", velocity_keys},
    {"material", material_keys},
    {"remeshing", remeshing_keys},
    {"crowd", crowd_keys},
    {"crowd place", place_keys},
    {"view", view_keys},
    {"keyframe", vo_keyframe_keys},
    {"keyframe.velocity", rate_keys},
    {"motion file", vo_motfile_keys},
    {"handle", handle_keys},
    {"obstacle", vo_obstacle_keys},
    {"shape", shape_keys},
    {"character", vo_character_keys},
    {"body", body_keys},
    {"body motion", body_motion_keys},
    {"garment", vo_garment_keys},
    {"camera", camera_keys},
    {"camera key", camera_key_keys},
    {"shot", shot_keys},
    {"morph", morph_keys},
    {"morph.spline", spline_keys},
    {"wind", wind_keys},
    {"solver", solver_keys},
    {"magic", magic_keys},
    {"override", override_keys},
    {NULL, NULL},
};
