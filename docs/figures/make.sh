#!/usr/bin/env bash
# Makes the figures of README.md and docs/README.md again: docs/figures/make.sh [CAROM]
# CAROM is the binary; without it, it is built. Runs go to a folder that is removed in the end.
set -euo pipefail
cd "$(dirname "$0")/../.."
carom=${1:-}
if [ -z "$carom" ]; then
    cargo build --release
    carom=target/release/carom
fi
runs=$(mktemp -d)
trap 'rm -r "$runs"' EXIT
kepler=(kepler --set parameters.eccentricity=0.2 --set parameters.periods=500)

# Energy over 500 periods: a symplectic method, and the same scene under one that is not.
"$carom" run "${kepler[@]}" --quiet --out "$runs/verlet"
"$carom" report "$runs/verlet" --svg
cp "$runs/verlet/figures/energy.svg" docs/figures/energy-verlet.svg
"$carom" run "${kepler[@]}" --method newmark --set method.beta=0 --set method.gamma=0.500005 --quiet --out "$runs/newmark"
"$carom" report "$runs/newmark" --svg
cp "$runs/newmark/figures/energy.svg" docs/figures/energy-newmark.svg

# Phase portraits of a chaotic double pendulum, and the paths of its masses.
"$carom" run double-pendulum-rods --until 25 --set parameters.angle1=1.5 --set parameters.angle2=0.5 --quiet \
    --out "$runs/pendulum"
"$carom" report "$runs/pendulum" --svg
cp "$runs/pendulum/figures/phase.svg" docs/figures/phase.svg
cp "$runs/pendulum/figures/paths.svg" docs/figures/paths.svg

# Order of convergence.
"$carom" order double-pendulum --until 1 --levels 7 --figure docs/figures/order.svg
