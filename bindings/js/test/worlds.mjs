// Meshes for the tests, and the brute force that answers are compared with.

/** A ball of longitudes and latitudes with bumps: closed, its poles shared. */
export function ball(rows, radius = 1, centre = [0, 0, 0], bump = 0.1, phase = 0) {
    const positions = [centre[0], centre[1] + radius, centre[2]];
    const triangles = [];
    const columns = 2 * rows;
    for (let i = 1; i < rows; i++) {
        for (let k = 0; k < columns; k++) {
            const polar = (Math.PI * i) / rows;
            const around = (2 * Math.PI * k) / columns;
            const r = radius * (1 + bump * Math.sin(5 * polar + phase) * Math.sin(4 * around));
            positions.push(centre[0] + r * Math.sin(polar) * Math.cos(around),
                           centre[1] + r * Math.cos(polar),
                           centre[2] + r * Math.sin(polar) * Math.sin(around));
        }
    }
    positions.push(centre[0], centre[1] - radius, centre[2]);
    const last = positions.length / 3 - 1;
    const at = (i, k) => 1 + (i - 1) * columns + (k % columns);
    for (let k = 0; k < columns; k++) {
        triangles.push(0, at(1, k + 1), at(1, k));
        triangles.push(last, at(rows - 1, k), at(rows - 1, k + 1));
        for (let i = 1; i < rows - 1; i++) {
            triangles.push(at(i, k), at(i, k + 1), at(i + 1, k));
            triangles.push(at(i, k + 1), at(i + 1, k + 1), at(i + 1, k));
        }
    }
    return { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** A sheet in the plane z = height. */
export function sheet(cells, height, size = 1) {
    const positions = [];
    const triangles = [];
    for (let i = 0; i <= cells; i++) {
        for (let k = 0; k <= cells; k++) {
            positions.push((size * i) / cells - size / 2, (size * k) / cells - size / 2, height);
        }
    }
    for (let i = 0; i < cells; i++) {
        for (let k = 0; k < cells; k++) {
            const v = i * (cells + 1) + k;
            triangles.push(v, v + cells + 1, v + 1, v + 1, v + cells + 1, v + cells + 2);
        }
    }
    return { positions: Float32Array.from(positions), triangles: Uint32Array.from(triangles) };
}

/** All touching pairs, by the exact test of two triangles on every pair. */
export function bruteForce(context, a, b) {
    const { module } = context;
    return module.session(() => {
        const corners = ({ positions, triangles }) => Array.from({ length: triangles.length / 3 }, (_, t) =>
            Float32Array.from([0, 1, 2].flatMap((c) =>
                [...positions.subarray(3 * triangles[3 * t + c], 3 * triangles[3 * t + c] + 3)])));
        const first = corners(a).map((numbers) => module.lend(numbers));
        const second = corners(b).map((numbers) => module.lend(numbers));
        const pairs = [];
        first.forEach((p, i) => second.forEach((q, k) => {
            if (module.exports.pliant_triangle_overlap(p, q)) {
                pairs.push(i, k);
            }
        }));
        return Uint32Array.from(pairs);
    });
}
