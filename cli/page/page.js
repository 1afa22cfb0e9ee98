// Draws the bodies pixel by pixel with a depth buffer, so that surfaces that run through each other
// are cut where they meet. Nothing here decides what touches; that was computed exactly before.
(() => {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const canvas = document.getElementById('view');
  const pen = canvas.getContext('2d');
  const slider = document.getElementById('step');
  const label = document.getElementById('label');
  const cursor = document.getElementById('now');
  const curve = document.getElementById('curve');
  const play = document.getElementById('play');
  const shown = [document.getElementById('show0'), document.getElementById('show1')];

  const decode = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer;
  const bodies = data.bodies.map((body) => ({
    closed: body.closed,
    triangles: new Uint32Array(decode(body.triangles)),
  }));
  const moments = data.moments.map((moment) => ({
    step: moment.step,
    pairs: moment.pairs,
    positions: moment.positions.map((text) => new Int16Array(decode(text))),
    touching: moment.touching.map((text) => new Set(new Uint32Array(decode(text)))),
    segments: new Int16Array(decode(moment.segments)),
  }));

  const view = { yaw: data.yaw, pitch: data.pitch, moment: data.deepest };
  const SHADES = 64;
  const CAMERA = 5.5;  // distance of the eye, in radii of what is shown
  const SAMPLES = 2;   // pixels per CSS pixel and axis; the browser averages them
  let palette;

  const packed = (r, g, b) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
  const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

  // A colour from shadow to light, with a gleam at the end.
  function ramp(hex, floor) {
    return Uint32Array.from({ length: SHADES }, (_, i) => {
      const light = i / (SHADES - 1);
      const gleam = Math.max(0, light - 0.86) / 0.14;
      return packed(...channels(hex).map((base) => {
        const lit = base * (floor + (1 - floor) * Math.min(1, light * 1.12));
        return Math.round(lit + (255 - lit) * 0.35 * gleam * gleam);
      }));
    });
  }

  function readPalette() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => style.getPropertyValue(name).trim();
    palette = {
      bodies: [ramp(colour('--first'), 0.36), ramp(colour('--second'), 0.36)],
      touch: ramp(colour('--touch'), 0.55),
      outline: packed(...channels(colour('--outline'))),
      meet: packed(...channels(colour('--meet'))),
    };
  }

  // Centre and radius of everything at a moment, so that it fills the picture.
  function extent(moment) {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    const each = (visit) => bodies.forEach((body, which) => {
      const p = moment.positions[which];
      for (const vertex of body.triangles) visit(p, 3 * vertex);
    });
    each((p, at) => {
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k], p[at + k]);
        high[k] = Math.max(high[k], p[at + k]);
      }
    });
    const [x, y, z] = low.map((value, k) => (value + high[k]) / 2);
    let square = 0;
    each((p, at) => {
      square = Math.max(square, (p[at] - x) ** 2 + (p[at + 1] - y) ** 2 + (p[at + 2] - z) ** 2);
    });
    return { centre: [x, y, z], radius: Math.sqrt(square) };
  }

  // Turns points into the eye's frame and onto the screen. Five numbers each: across, up, depth,
  // then the pixel; closeness, 1 / (CAMERA + depth), is linear on the screen.
  function project(points, fit, frame) {
    const cy = Math.cos(view.yaw), sy = Math.sin(view.yaw);
    const cp = Math.cos(view.pitch), sp = Math.sin(view.pitch);
    const scale = 0.46 * Math.min(frame.width, frame.height);
    const out = new Float32Array(points.length / 3 * 5);
    for (let i = 0, o = 0; i < points.length; i += 3, o += 5) {
      const x = (points[i] - fit.centre[0]) / fit.radius;
      const y = (points[i + 1] - fit.centre[1]) / fit.radius;
      const z = (points[i + 2] - fit.centre[2]) / fit.radius;
      const across = cy * x + sy * y, away = -sy * x + cy * y;
      const depth = cp * away + sp * z, up = cp * z - sp * away;
      const near = CAMERA / (CAMERA + depth);
      out[o] = across; out[o + 1] = up; out[o + 2] = depth;
      out[o + 3] = 0.5 * frame.width + scale * across * near;
      out[o + 4] = 0.5 * frame.height - scale * up * near;
    }
    return out;
  }

  // How light a triangle is, from 0 to SHADES - 1. The eye's frame is left-handed (depth grows
  // away), so (nx, ny, nz) points inwards. The light comes from above, the left and behind us.
  function shade(p, a, b, c, back) {
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    const length = Math.hypot(nx, ny, nz) * (back ? -1 : 1) || 1;
    const light = Math.max(0, (0.42 * nx - 0.55 * ny + 0.72 * nz) / length);
    return Math.floor((0.16 + 0.84 * light) * (back ? 0.8 : 1) * (SHADES - 0.01));
  }

  // Fills one triangle; the corners come so that the edge functions are positive inside.
  function fill(frame, p, a, b, c, colour, outlined) {
    const xa = p[a + 3], ya = p[a + 4], xb = p[b + 3], yb = p[b + 4], xc = p[c + 3], yc = p[c + 4];
    const area = (xb - xa) * (yc - ya) - (yb - ya) * (xc - xa);
    if (!(area > 0)) return;
    const left = Math.max(0, Math.ceil(Math.min(xa, xb, xc) - 0.5));
    const right = Math.min(frame.width - 1, Math.floor(Math.max(xa, xb, xc) - 0.5));
    const top = Math.max(0, Math.ceil(Math.min(ya, yb, yc) - 0.5));
    const bottom = Math.min(frame.height - 1, Math.floor(Math.max(ya, yb, yc) - 0.5));
    const za = 1 / (CAMERA + p[a + 2]), zb = 1 / (CAMERA + p[b + 2]), zc = 1 / (CAMERA + p[c + 2]);
    const la = Math.hypot(xc - xb, yc - yb), lb = Math.hypot(xa - xc, ya - yc);
    const lc = Math.hypot(xb - xa, yb - ya);
    const rim = outlined ? 0.45 * SAMPLES : -1;
    for (let y = top; y <= bottom; y++) {
      const py = y + 0.5;
      for (let x = left; x <= right; x++) {
        const px = x + 0.5;
        const wa = (xc - xb) * (py - yb) - (yc - yb) * (px - xb);
        const wb = (xa - xc) * (py - yc) - (ya - yc) * (px - xc);
        const wc = area - wa - wb;
        if (wa < 0 || wb < 0 || wc < 0) continue;
        const near = (wa * za + wb * zb + wc * zc) / area;
        const at = y * frame.width + x;
        if (near <= frame.near[at]) continue;
        frame.near[at] = near;
        const edge = wa < rim * la || wb < rim * lb || wc < rim * lc;
        frame.pixels[at] = edge ? palette.outline : colour;
      }
    }
  }

  // Dots along a segment, a little in front of the triangles it lies on.
  function stroke(frame, p, a, b) {
    const dx = p[b + 3] - p[a + 3], dy = p[b + 4] - p[a + 4];
    const count = Math.ceil(Math.hypot(dx, dy)) + 1;
    const za = 1 / (CAMERA + p[a + 2]), zb = 1 / (CAMERA + p[b + 2]);
    const size = Math.round(0.7 * SAMPLES);
    for (let i = 0; i <= count; i++) {
      const near = (za + (zb - za) * i / count) * 1.004;
      const cx = Math.round(p[a + 3] + dx * i / count), cy = Math.round(p[a + 4] + dy * i / count);
      for (let y = Math.max(0, cy - size); y <= Math.min(frame.height - 1, cy + size); y++) {
        for (let x = Math.max(0, cx - size); x <= Math.min(frame.width - 1, cx + size); x++) {
          if ((x - cx) ** 2 + (y - cy) ** 2 > size * size + 0.5) continue;
          if (near > frame.near[y * frame.width + x]) {
            frame.pixels[y * frame.width + x] = palette.meet;
          }
        }
      }
    }
  }

  function drawBody(frame, moment, fit, which) {
    const { triangles, closed } = bodies[which];
    const touching = moment.touching[which];
    const p = project(moment.positions[which], fit, frame);
    for (let i = 0; i < triangles.length; i += 3) {
      const a = 5 * triangles[i], b = 5 * triangles[i + 1], c = 5 * triangles[i + 2];
      const back = (p[b + 3] - p[a + 3]) * (p[c + 4] - p[a + 4]) >=
                   (p[b + 4] - p[a + 4]) * (p[c + 3] - p[a + 3]);
      if (back && closed) continue;
      const touches = touching.has(i / 3);
      const colours = touches ? palette.touch : palette.bodies[which % 2];
      const colour = colours[shade(p, a, b, c, back)];
      if (back) fill(frame, p, a, b, c, colour, touches);
      else fill(frame, p, a, c, b, colour, touches);
    }
  }

  function draw() {
    const width = Math.max(1, canvas.clientWidth * SAMPLES);
    const height = Math.max(1, canvas.clientHeight * SAMPLES);
    if (canvas.width !== width || canvas.height !== height) {
      canvas.width = width;
      canvas.height = height;
    }
    const image = pen.createImageData(width, height);
    const frame = {
      width, height, pixels: new Uint32Array(image.data.buffer),
      near: new Float32Array(width * height),
    };
    const moment = moments[view.moment];
    const fit = extent(moment);
    bodies.forEach((_, which) => {
      if (!shown[which] || shown[which].checked) drawBody(frame, moment, fit, which);
    });
    const ends = project(moment.segments, fit, frame);
    for (let i = 0; i < ends.length; i += 10) stroke(frame, ends, i, i + 5);
    pen.putImageData(image, 0, 0);
  }

  let waiting = false;
  function refresh() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(); });
  }

  function choose(index) {
    view.moment = Math.max(0, Math.min(moments.length - 1, index));
    const moment = moments[view.moment];
    slider.value = view.moment;
    label.textContent = `step ${moment.step}: ${moment.pairs.toLocaleString('en')} ` +
                        (moment.pairs === 1 ? 'pair' : 'pairs');
    const x = data.left + (data.right - data.left) * moment.step / data.steps;
    cursor.setAttribute('x1', x);
    cursor.setAttribute('x2', x);
    refresh();
  }

  function chooseNearest(step) {
    let best = 0;
    moments.forEach((moment, i) => {
      if (Math.abs(moment.step - step) < Math.abs(moments[best].step - step)) best = i;
    });
    choose(best);
  }

  function turn(yaw, pitch) {
    view.yaw += yaw;
    view.pitch = Math.max(-1.55, Math.min(1.55, view.pitch + pitch));
    refresh();
  }

  let timer = 0;
  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = 'Play';
  }
  play.addEventListener('click', () => {
    if (timer) { stop(); return; }
    if (view.moment === moments.length - 1) choose(0);
    play.textContent = 'Stop';
    timer = setInterval(() => {
      choose(view.moment + 1);
      if (view.moment === moments.length - 1) stop();
    }, 160);
  });
  canvas.addEventListener('pointerdown', (event) => canvas.setPointerCapture(event.pointerId));
  canvas.addEventListener('pointermove', (event) => {
    if (event.buttons) turn(-0.008 * event.movementX, -0.008 * event.movementY);
  });
  canvas.addEventListener('keydown', (event) => {
    const steps = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1],
                    ArrowDown: [0, -0.1] };
    if (steps[event.key]) { turn(...steps[event.key]); event.preventDefault(); }
  });
  const pick = (event) => {
    const box = curve.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width * data.width;
    stop();
    chooseNearest((x - data.left) / (data.right - data.left) * data.steps);
  };
  curve.addEventListener('pointerdown', pick);
  curve.addEventListener('pointermove', (event) => { if (event.buttons) pick(event); });
  slider.addEventListener('input', () => { stop(); choose(Number(slider.value)); });
  shown.forEach((box) => box && box.addEventListener('change', refresh));
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    readPalette();
    refresh();
  });
  new ResizeObserver(refresh).observe(canvas);

  readPalette();
  slider.max = moments.length - 1;
  choose(view.moment);
})();
