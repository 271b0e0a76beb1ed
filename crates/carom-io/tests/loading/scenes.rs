//! Scenes with many elements of one kind, for every kind but contacts of pairs, whose number is that of the pairs.

/// So many lines or tables, written one by one.
fn each(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

fn repeat(count: usize) -> String {
    format!("repeat = {{ index = \"i\", count = {count} }}\n")
}

/// A row of particles `b[0]`, `b[1]`, …
fn row(count: usize) -> String {
    format!("[[particle]]\nname = \"b\"\nmass = 1\nposition = [\"i\", 0]\n{}", repeat(count))
}

/// The same, each with a name and a table of its own.
fn named(count: usize) -> String {
    each(count, |i| format!("[[particle]]\nname = \"b{i}\"\nmass = 1\nposition = [{i}, 0]\n"))
}

fn run(method: &str) -> String {
    format!("[method]\nname = \"{method}\"\n[run]\nstep = 0.01\nsteps = 1\n")
}

/// Expressions of two coordinates.
fn expressions(lines: &str) -> String {
    let start = "[initial]\nq = { x = 1, y = 1 }\n";
    format!("[lagrangian]\ncoordinates = [\"x\", \"y\"]\nmass = 1\n{lines}{start}")
}

/// A row of plates `b[0]`, `b[1]`, …
fn plates(count: usize) -> String {
    let shape = "vertices = [[-1, -1], [1, -1], [0, 2]]\nposition = [\"4*i\", 3]";
    format!("[[plate]]\nname = \"b\"\nmass = 1\n{shape}\n{}", repeat(count))
}

/// Springs and rods.
fn links(n: usize) -> Vec<(&'static str, String)> {
    let (row, all, verlet) = (row(n + 1), repeat(n), run("verlet"));
    let between = "between = [\"b[i]\", \"b[i+1]\"]\n";
    let by_name = each(n - 1, |i| format!("[[spring]]\nbetween = [\"b{i}\", \"b{}\"]\nstiffness = 1\n", i + 1));
    let rods = each(n, |i| format!("[[rod]]\nbetween = [{i}, {}]\n", i + 1));
    vec![
        ("springs", format!("{row}[[spring]]\n{between}stiffness = 1\n{all}{verlet}")),
        ("springs by names", format!("{}{by_name}{verlet}", named(n))),
        ("rods", format!("{row}[[rod]]\n{between}{all}{}", run("spook"))),
        ("rods one by one", format!("{row}{rods}{}", run("spook"))),
    ]
}

/// Fields, pairs, walls and balls.
fn forces(n: usize) -> Vec<(&'static str, String)> {
    let (row, all, verlet, gvi) = (row(n + 1), repeat(n), run("verlet"), run("gvi"));
    let pair = format!("[[pair]]\npotential = \"1/r\"\non = [\"b[i]\", \"b[i+1]\"]\n{all}");
    let bonded = format!("[[spring]]\nbetween = [\"b[i]\", \"b[i+1]\"]\nstiffness = 1\n{all}");
    let soft = "friction = 0.5\ncompliance = 1e-6\n";
    let gravity = each(n, |i| format!("[[field]]\ngravity = [0, -1]\non = [{i}]\n"));
    let balls = each(n, |i| format!("[[ball]]\ncentre = [{i}, 0]\nradius = 2\nside = \"inside\"\non = [{i}]\n"));
    let wall = "[[wall]]\nnormal = [0, 1]\n";
    let one = "[[particle]]\nname = \"b\"\nmass = 1\nposition = [0.5, 0]\n";
    vec![
        ("fields", format!("{row}[[field]]\npotential = \"0.5*x^2\"\non = [\"b[i]\"]\n{all}{verlet}")),
        ("gravity one by one", format!("{row}{gravity}{verlet}")),
        ("pair potentials", format!("{row}{pair}{verlet}")),
        ("pair potentials without bonds", format!("{row}{bonded}{pair}exclude = \"bonded\"\n{verlet}")),
        ("particles at a wall", format!("{row}{wall}offset = -1\n{gvi}")),
        ("soft rough walls", format!("{row}{wall}offset = -1\n{soft}on = [\"b[i]\"]\n{all}{}", run("spook"))),
        ("walls of a particle", format!("{one}{wall}offset = \"-1-i\"\n{all}{gvi}")),
        ("balls one by one", format!("{row}{balls}{gvi}")),
    ]
}

/// Watches and symmetries.
fn observed(n: usize) -> Vec<(&'static str, String)> {
    let (row, all, verlet) = (row(n), repeat(n), run("verlet"));
    let watch = |expression: &str| format!("[[watch]]\nname = \"w\"\nexpression = \"{expression}\"\n{all}");
    let far = watch(&format!("dot(b[i].x)*b[{}-i].x + t", n - 1));
    let single = each(n, |i| format!("[[watch]]\nname = \"w{i}\"\nexpression = \"b[0].x - {i}\"\n"));
    let symmetries =
        |generator: &str| each(n, |i| format!("[[symmetry]]\nname = \"s{i}\"\ngenerator = {generator}\n"));
    let moved = "[[particle]]\nmass = 1\nposition = [0, 0]\n";
    let plane = expressions("potential = \"y\"\n");
    vec![
        ("watches", format!("{row}{}{verlet}", watch("b[i].x - 1"))),
        ("watches of two", format!("{row}{far}{verlet}")),
        ("watches one by one", format!("{row}{single}{verlet}")),
        ("watches of expressions", format!("{plane}{}{verlet}", watch("x - 2 - i"))),
        ("symmetries", format!("{moved}{}{verlet}", symmetries("[\"1\", \"0\"]"))),
        ("symmetries of expressions", format!("{plane}{}{verlet}", symmetries("{ x = 1 }"))),
    ]
}

/// Elements of `[lagrangian]`, and parameters.
fn of_expressions(n: usize) -> Vec<(&'static str, String)> {
    let (all, verlet) = (repeat(n).trim_end().to_string(), run("verlet"));
    let terms = each(n, |i| format!("{{ name = \"p{i}\", expression = \"0.5*(x+{i})^2\" }},"));
    let forces = each(n, |i| format!("f{i} = \"-{i}*1e-9*dot(x)\","));
    let definitions = each(n, |i| format!("d{i} = \"x + {i}\"\n"));
    let of =
        |key: &str, element: &str| expressions(&format!("potential = \"y\"\n{key} = [{{ {element}, {all} }}]\n"));
    let gaps = of("inequalities", "name = \"g\", expression = \"y + x*i + 1\"");
    let motors = of("nonholonomic", "name = \"m\", expression = \"dot(x) + dot(y)*i\", max_force = 1");
    let repeated = format!("potential = [{{ name = \"p\", expression = \"0.5*(x+i)^2\", {all} }}]\n");
    let parameters =
        each(n, |i| format!("p{i} = {}\n", if i == 0 { "1".into() } else { format!("\"p{} + 1\"", i - 1) }));
    let define = expressions(&format!("potential = \"x^2\"\n[lagrangian.define]\n{definitions}"));
    vec![
        ("terms of a potential", format!("{}{verlet}", expressions(&repeated))),
        ("named terms", format!("{}{verlet}", expressions(&format!("potential = [{terms}]\n")))),
        ("named forces", {
            let forces =
                format!("potential = \"y\"\n[lagrangian.forces]\nx = {{ {} }}\n", forces.trim_end_matches(','));
            format!("{}{verlet}", expressions(&forces))
        }),
        ("definitions", format!("{define}{verlet}")),
        ("inequalities", format!("{gaps}{}", run("gvi"))),
        ("motors", format!("{motors}{}", run("spook"))),
        ("parameters", format!("[parameters]\n{parameters}{}{verlet}", row(1))),
    ]
}

/// Every kind with a scene of about so many elements of it.
pub fn scenes(n: usize) -> Vec<(&'static str, String)> {
    let (verlet, gvi) = (run("verlet"), run("gvi"));
    let walls = format!("[[wall]]\nnormal = [0, 1]\non = [\"b[i]\"]\n{}", repeat(n));
    let bodies = vec![
        ("particles", format!("{}{verlet}", row(n))),
        ("particles one by one", format!("{}{verlet}", named(n))),
        ("plates", format!("{}{gvi}", plates(n))),
        ("plates at a wall", format!("{}[[wall]]\nnormal = [0, 1]\n{gvi}", plates(n))),
        ("walls of plates", format!("{}{walls}{gvi}", plates(n))),
    ];
    [bodies, links(n), forces(n), observed(n), of_expressions(n)].concat()
}
