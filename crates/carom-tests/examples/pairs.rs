use carom::measures::Conservation;
use carom_io::scene::BUILT_IN;
use carom_io::trial::Trial;
use carom_tests::runs::{built_in, method};
use carom_tests::variants::VARIANTS;
use std::sync::atomic::AtomicBool;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let most: u64 = args[1].parse().unwrap();
    println!(
        "scene|variant|open|steps|ended|E0|T0|motion|fall|error|rel|taken|stepenergy|rows|rowrel|depth|gaprel|resid|loose|lateral|unnoticed|share|mom|secs"
    );
    for listed in BUILT_IN {
        let mut scene = built_in(listed.name, &[]);
        scene.run.steps = scene.run.steps.min(most);
        let own = scene.method.clone();
        let variants: Vec<(String, carom::method::AnyMethod)> = if args.len() > 2 {
            vec![("own".into(), own)]
        } else {
            std::iter::once(("own".to_string(), own))
                .chain(VARIANTS.iter().map(|t| (t.to_string(), method(t))))
                .collect()
        };
        for (name, m) in variants {
            scene.method = m;
            let Ok(trial) = Trial::run(&scene, &mut [], &AtomicBool::new(false)) else { continue };
            let s = &trial.summary;
            let g = &s.gauge;
            let c = Conservation::of(&scene.method, &*scene.problem.system);
            let sizes = carom::measures::equality_sizes(&*scene.problem.system, &scene.problem.initial);
            let rowrel = g.rows.iter().zip(&sizes).map(|(f, s)| f / s).fold(0.0_f64, f64::max);
            let rowmax = g.rows.iter().cloned().fold(0.0_f64, f64::max);
            let (depth, gaprel) = g.deepest.map_or((0.0, 0.0), |d| {
                (
                    d.depth.value,
                    d.depth.value
                        / carom::measures::gap_size(&*scene.problem.system, &scene.problem.initial, d.contact),
                )
            });
            let e = s.energy;
            let taken = trial.ledger.as_ref().map_or(0.0, |l| -l.created());
            let se = carom::measures::energy_of_a_step(&scene.problem, scene.run.h);
            let mom = s.linear().1.unwrap_or(0.0).max(s.angular().1.unwrap_or(0.0));
            println!(
                "{}|{}|{}|{}|{}|{:.2e}|{:.2e}|{:.2e}|{:.2e}|{:.2e}|{:.2e}|{:.2e}|{:.2e}|{:.1e}|{:.1e}|{:.1e}|{:.1e}|{:.1e}|{}|{:.2}|{}|{:.2}|{:.1e}|{:.2}",
                listed.name,
                name,
                if c.holds() { "closed".into() } else { c.broken_by.join("+") },
                trial.outcome.steps,
                trial.outcome.ended.is_some(),
                e.map_or(f64::NAN, |e| e.initial),
                0.0,
                g.energy.motion,
                g.energy.fall,
                g.energy.error.value,
                g.energy.error.value / g.energy.motion,
                taken,
                se,
                rowmax,
                rowrel,
                depth,
                gaprel,
                g.loose.worst.value,
                g.loose.steps,
                s.lateral.unwrap_or(0.0),
                s.passages.unnoticed,
                s.passages.farthest.map_or(9.0, |f| f.share),
                mom,
                trial.seconds
            );
        }
    }
}
