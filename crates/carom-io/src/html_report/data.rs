//! What the tables of a run give to its figures: columns by name over time, and rows for curves in the plane.

use std::io;
use std::path::Path;

use crate::recording::{Column, TableReader};

use super::thin::{Sample, Thinned, columns, sample};

/// Columns of one kind that are drawn; more would not be told apart.
pub const MOST_OF_A_KIND: usize = 8;
/// Coordinates whose phase portraits are drawn, and points whose paths are.
pub const PORTRAITS: usize = 4;
pub const PATHS: usize = 8;

/// The tables of a run, thinned.
#[derive(Debug)]
pub struct Data {
    /// Columns of the measures but for time, as far as they are drawn.
    pub measures: Vec<(Column, Thinned)>,
    /// Columns of the measures that are left out, as too many of their kind.
    pub left_out: usize,
    /// Phase portraits: name, and the places of q and p in the sample.
    pub portraits: Vec<(String, usize, usize)>,
    /// Coordinates, drawn or not.
    pub coordinates: usize,
    /// Paths of points.
    pub paths: Vec<PointPath>,
    /// Points in the plane or in space, drawn or not.
    pub points: usize,
    /// The sampled rows of the trajectory.
    pub sample: Sample,
    /// Rows of the trajectory.
    pub trajectory_rows: u64,
    /// The largest |q| of the sampled rows.
    pub largest_coordinate: f64,
}

/// The path of a point in the plane of its first two coordinates.
#[derive(Debug)]
pub struct PointPath {
    /// The point's name, or both coordinates.
    pub label: String,
    /// Names of the coordinates.
    pub axes: [String; 2],
    /// Their places in the sample.
    pub places: (usize, usize),
}

/// The label of a point: NAME where its coordinates are called NAME.x and NAME.y, else the names of both.
fn point_label(x: &str, y: &str) -> String {
    match (x.strip_suffix(".x"), y.strip_suffix(".y")) {
        (Some(name), Some(other)) if name == other => name.to_string(),
        _ => format!("{x}, {y}"),
    }
}

/// The tables that are read here.
pub const TABLES: [&str; 2] = ["measures", "trajectory"];

/// The kind of a column: what stands before the first point of its name.
fn kind(name: &str) -> &str {
    name.split_once('.').map_or(name, |(kind, _)| kind)
}

/// Opens a table whose first column is time.
fn open(folder: &Path, name: &str) -> io::Result<TableReader> {
    let table = TableReader::open(folder, name)?;
    if table.columns().first().is_none_or(|column| column.name != "t") {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "its first column is not `t`"));
    }
    Ok(table)
}

impl Data {
    /// Reads the tables of a folder, of a system whose points have these coordinates.
    pub fn read(folder: &Path, points: &[Vec<usize>]) -> Result<Self, (String, io::Error)> {
        let at = |name: &'static str| move |error| (format!("{name}.json, {name}.f64"), error);
        let table = open(folder, "measures").map_err(at("measures"))?;
        let all = table.columns();
        let few = |&i: &usize| {
            let before = all[1..i].iter().filter(|other| kind(&other.name) == kind(&all[i].name)).count();
            // Every account: those that nothing went through are left out when they are drawn.
            kind(&all[i].name) == "ledger" || before < MOST_OF_A_KIND
        };
        let chosen: Vec<usize> = (1..all.len()).filter(few).collect();
        let thinned = columns(&table, &chosen).map_err(at("measures"))?;
        let measures: Vec<(Column, Thinned)> = chosen.iter().map(|&i| all[i].clone()).zip(thinned).collect();

        let trajectory = open(folder, "trajectory").map_err(at("trajectory"))?;
        let names: Vec<&str> = trajectory.columns().iter().map(|column| column.name.as_str()).collect();
        // t, then as many coordinates as velocities and momenta.
        let dim = (names.len() - 1) / 3;
        let mut places = Vec::new();
        let mut place = |column: usize| {
            places.push(column);
            places.len() - 1
        };
        let portrait = |i: usize| names.iter().position(|name| *name == format!("p.{}", names[i])).map(|p| (i, p));
        let portraits: Vec<(usize, usize)> = (1..=dim.min(PORTRAITS)).filter_map(portrait).collect();
        let portraits = portraits.into_iter().map(|(q, p)| (names[q].to_string(), place(q), place(p))).collect();
        let planar = |point: &&Vec<usize>| point.len() >= 2 && point.iter().all(|i| *i < dim);
        let planar: Vec<&Vec<usize>> = points.iter().filter(planar).collect();
        let paths = planar.iter().take(PATHS).map(|point| {
            let [x, y] = [names[point[0] + 1], names[point[1] + 1]];
            let places = (place(point[0] + 1), place(point[1] + 1));
            PointPath { label: point_label(x, y), axes: [x, y].map(String::from), places }
        });
        let paths = paths.collect();
        let mut largest_coordinate = 0.0;
        let sample = sample(&trajectory, &places, |row| {
            largest_coordinate = row[1..=dim].iter().fold(largest_coordinate, |max: f64, q| max.max(q.abs()));
        });
        Ok(Self {
            left_out: all.len() - 1 - measures.len(),
            measures,
            portraits,
            coordinates: dim,
            paths,
            points: planar.len(),
            sample: sample.map_err(at("trajectory"))?,
            trajectory_rows: trajectory.rows(),
            largest_coordinate,
        })
    }

    /// A column of the measures.
    pub fn column(&self, name: &str) -> Option<&Thinned> {
        self.measures.iter().find(|(column, _)| column.name == name).map(|(_, thinned)| thinned)
    }

    /// The kinds of columns, in the order of the table.
    pub fn kinds(&self) -> Vec<&str> {
        let mut kinds = Vec::new();
        for kind in self.measures.iter().map(|(column, _)| kind(&column.name)) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    }

    /// The columns of a kind, with what follows the point of their names.
    pub fn of_kind(&self, wanted: &str) -> Vec<(String, &Thinned)> {
        let of_kind = self.measures.iter().filter(|(column, _)| kind(&column.name) == wanted);
        of_kind.map(|(column, thinned)| (label(&column.name), thinned)).collect()
    }
}

/// The label of a column: what follows the kind, in words.
pub fn label(name: &str) -> String {
    name.split_once('.').map_or(name, |(_, rest)| rest).replace('_', " ")
}
