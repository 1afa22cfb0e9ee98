// A world that goes on: drawn as it is computed, with a pointer that pulls and strikes.
import * as THREE from 'three';
import { bodyColour, palettes } from './colours';
import { button, make, number, swatch } from './dom';
import type { Engine } from './engine';
import { findNormals, isFaceted } from './evaluate';
import type { LiveExample } from './examples';
import type { LiveFrame, LiveMesh, Vector } from './messages';
import { Patch } from './patch';
import { Stage } from './stage';
import type { Theme } from './state';

const STEPS_PER_SECOND = 240;

interface Pressed { body: number; vertex: number; point: Vector; along: Vector }

interface Drawn { mesh: LiveMesh; geometry: THREE.BufferGeometry; object: THREE.Mesh; flat: boolean }

class LiveStage extends Stage {
  private readonly drawn: Drawn[];
  private readonly marks = new Patch();
  private readonly grid: THREE.GridHelper;
  private readonly caster = new THREE.Raycaster();
  private readonly plane = new THREE.Plane();
  frame: LiveFrame;

  constructor(canvas: HTMLCanvasElement, meshes: LiveMesh[], frame: LiveFrame, private readonly example: LiveExample) {
    super(canvas);
    this.frame = frame;
    this.drawn = meshes.map((mesh, i) => this.makeBody(mesh, i));
    this.grid = new THREE.GridHelper(6, 24);
    this.grid.rotation.x = Math.PI / 2;
    this.grid.position.z = -0.002;
    this.grid.visible = example.key === 'cape';
    this.scene.add(this.grid);
    const marked = new THREE.Mesh(this.marks.geometry, new THREE.MeshBasicMaterial({
      vertexColors: true, side: THREE.DoubleSide, transparent: true, opacity: 0.85, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2,
    }));
    marked.frustumCulled = false;
    marked.renderOrder = 3;
    this.scene.add(marked);
    this.show(frame);
    this.begin();
    this.home();
  }

  override home(): void {
    if (this.example.key === 'cape') {
      this.centre.set(0, 0, 0.86);
      this.radius = 1.12;
      this.camera.up.set(0, 0, 1);
      this.look(this.centre, this.radius, new THREE.Vector3(0.75, -1, 0.28));
    } else {
      this.centre.set(0, 0, 0.35);
      this.radius = 1.25;
      this.lookFromFront('z');
    }
  }

  private makeBody(mesh: LiveMesh, i: number): Drawn {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * mesh.vertices), 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(3 * mesh.vertices), 3));
    geometry.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
    const isFloor = this.example.key === 'chairs' && i === this.frame.positions.length - 1;
    const flat = isFaceted({ positions: this.frame.positions[i], triangles: mesh.triangles });
    const object = new THREE.Mesh(geometry, new THREE.MeshLambertMaterial({
      color: isFloor ? '#8a939d' : bodyColour(i), side: THREE.DoubleSide, flatShading: flat,
    }));
    object.frustumCulled = false;
    object.name = isFloor ? 'floor' : '';
    this.scene.add(object);
    return { mesh, geometry, object, flat };
  }

  paint(theme: Theme): void {
    const palette = palettes[theme];
    this.scene.background = new THREE.Color(palette.background);
    (this.grid.material as THREE.LineBasicMaterial).color.set(palette.grid);
    (this.grid.material as THREE.LineBasicMaterial).vertexColors = false;
    this.show(this.frame);
  }

  show(frame: LiveFrame): void {
    const palette = palettes[document.documentElement.dataset.theme === 'light' ? 'light' : 'dark'];
    const held = new THREE.Color(palette.opened), touching = new THREE.Color(palette.fresh);
    this.frame = frame;
    this.marks.begin(frame.marks.reduce((sum, marks) => sum + marks.reduce((count, mark) => count + (mark > 0 ? 1 : 0), 0), 0));
    this.drawn.forEach(({ mesh, geometry, object, flat }, i) => {
      const { position, normal } = geometry.attributes as Record<string, THREE.BufferAttribute>;
      (position.array as Float32Array).set(frame.positions[i]);
      position.needsUpdate = true;
      if (!flat) {
        findNormals({ triangles: mesh.triangles }, frame.positions[i], normal.array as Float32Array);
        normal.needsUpdate = true;
      }
      if (object.name !== 'floor') frame.marks[i].forEach((mark, t) => { // whose triangles are huge
        if (mark > 0) this.marks.add(mesh.triangles, t, frame.positions[i], mark === 2 ? touching : held);
      });
    });
    this.marks.end();
    this.draw();
  }

  // Aims through a point of the canvas, given in CSS pixels.
  private aim(x: number, y: number): void {
    const { clientWidth, clientHeight } = this.canvas;
    this.camera.updateMatrixWorld();
    this.caster.setFromCamera(new THREE.Vector2(2 * x / clientWidth - 1, 1 - 2 * y / clientHeight), this.camera);
  }

  // What can be pulled at or struck there, or null. What is dragged then stays at that distance from
  // the viewer.
  hit(x: number, y: number): Pressed | null {
    this.aim(x, y);
    const [first] = this.caster.intersectObjects(this.drawn.map(({ object }) => object), false);
    const body = this.drawn.findIndex(({ object }) => object === first?.object);
    if (body < 0 || first.object.name === 'floor' || (this.example.key === 'cape' && body !== 0)) return null;
    const facing = this.camera.getWorldDirection(new THREE.Vector3());
    this.plane.setFromNormalAndCoplanarPoint(facing, first.point);
    return { body, vertex: first.face!.a, point: first.point.toArray(), along: this.caster.ray.direction.toArray() };
  }

  // Where the pointer drags to.
  place(x: number, y: number): Vector | null {
    this.aim(x, y);
    return this.caster.ray.intersectPlane(this.plane, new THREE.Vector3())?.toArray() ?? null;
  }

  hold(on: boolean): void { this.controls.enabled = !on; }

  get size(): [number, number] { return [this.canvas.clientWidth, this.canvas.clientHeight]; }
}

export interface Live {
  stage: LiveStage | null;
  frame: () => LiveFrame;
  rate: () => number; // steps a second, over the last two seconds
  running: () => boolean;
  end: () => void;
}

// Shows a world whose first frame is there, and keeps it going.
export function showLive(page: HTMLElement, engine: Engine, example: LiveExample, meshes: LiveMesh[], first: LiveFrame,
  restart: () => void): Live {
  const canvas = make('canvas', {
    id: 'view', tabindex: '0', role: 'img',
    'aria-label': `${example.what}; drag a body to ${example.verb}, drag elsewhere or use arrow keys to turn, plus and minus to zoom`,
  });
  const legend = make('div', { class: 'legend' });
  const stageElement = make('div', { class: 'stage' }, canvas, legend);
  const readings = make('ul', { class: 'readings', 'aria-live': 'off' });
  const life = new AbortController();
  const { signal } = life;
  let stage: LiveStage | null = null;
  let running = true, latest = first;
  const past: { at: number; steps: number }[] = [];

  const rate = () => {
    const [begin] = past, end = past[past.length - 1];
    return past.length > 1 ? 1000 * (end.steps - begin.steps) / (end.at - begin.at) : 0;
  };
  const play = button('❚❚', 'pause or go on (space)', () => toggle());
  const toggle = () => {
    running = !running;
    play.textContent = running ? '❚❚' : '▶';
    past.length = 0;
    engine.tell({ do: 'run', on: running });
  };
  const triangles = meshes.reduce((sum, mesh) => sum + mesh.triangles.length / 3, 0);

  let told = 0;
  const read = (frame: LiveFrame) => {
    const now = performance.now();
    if (now - told < 250 && told > 0) return;
    told = now;
    const speed = rate();
    const { counts } = frame;
    const item = (value: string, name: string, kind = '') => make('li', kind ? { class: kind } : {}, make('strong', {}, value), ` ${name}`);
    const items = [
      item(speed > 0 ? number(Math.round(speed)) : '–', `steps a second${speed > 0 && speed < 0.97 * STEPS_PER_SECOND ? `, ${(speed / STEPS_PER_SECOND).toFixed(2)} of real time` : ''}`),
      item(`${counts.seconds.toFixed(1)} s`, 'simulated'),
    ];
    if (example.key === 'cape') {
      items.push(item(number(counts.touching), 'pairs of triangles pass through', counts.touching > 0 ? 'bad' : 'good'),
        item(number(counts.held), 'vertices rest on the figure'));
    } else {
      items.push(item(number(counts.touching), 'pairs of triangles touch'));
    }
    items.push(item(number(triangles), 'triangles'));
    readings.replaceChildren(...items);
  };
  engine.onFrame = (frame) => {
    if (signal.aborted) return;
    latest = frame;
    past.push({ at: frame.at, steps: frame.counts.steps });
    while (past.length > 2 && frame.at - past[0].at > 2000) past.shift();
    requestAnimationFrame(() => {
      if (signal.aborted) return;
      stage?.show(frame);
      read(frame);
      engine.tell({ do: 'taken' });
    });
  };

  const theme = () => {
    const now: Theme = document.documentElement.dataset.theme === 'light' ? 'light' : 'dark';
    const palette = palettes[now];
    legend.replaceChildren(...(example.key === 'cape' ? [swatch(palette.opened), 'rests on the figure '] : []), swatch(palette.fresh), 'touches');
    stage?.paint(now);
  };
  page.replaceChildren(
    make('h2', { class: 'title' }, example.name.replace(', live', '')), make('p', { class: 'what' }, example.hint),
    stageElement,
    make('div', { class: 'transport' }, play, button('again', 'begin anew (R)', restart), button('whole view', 'see everything again (V)', () => stage?.home()),
      button(example.verb, `${example.verb} in the middle of the picture (S)`, () => poke()), readings));
  try {
    stage = new LiveStage(canvas, meshes, first, example);
  } catch (error) {
    stageElement.prepend(make('p', { class: 'missing' }, `There is no 3D picture here: ${(error as Error).message}`));
  }
  const shown = stage;
  theme();

  // Without a pointer: takes what is in the middle of the picture and pulls it aside for a while.
  function poke(): void {
    if (!shown) return;
    const [width, height] = shown.size;
    for (let i = 0; i < 60; i++) { // from the middle outwards, until something is there
      const around = 2.4 * i, away = 0.4 * Math.min(width, height) * i / 60;
      const x = width / 2 + away * Math.cos(around), y = height / 2 + away * Math.sin(around);
      const pressed = shown.hit(x, y);
      if (!pressed) continue;
      engine.tell({ do: 'press', ...pressed });
      const to = shown.place(x + 0.15 * width, y - 0.1 * height);
      if (to) engine.tell({ do: 'drag', to });
      setTimeout(() => { if (!signal.aborted) engine.tell({ do: 'release' }); }, 600);
      return;
    }
  }

  if (shown) {
    let held = -1;
    const at = (event: PointerEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    // Before the camera's controls see it: what is pulled at does not turn the camera.
    stageElement.addEventListener('pointerdown', (event) => {
      const [x, y] = at(event);
      const pressed = event.target === canvas && event.button === 0 && held < 0 ? shown.hit(x, y) : null;
      if (!pressed) return;
      held = event.pointerId;
      shown.hold(true);
      canvas.setPointerCapture(held);
      engine.tell({ do: 'press', ...pressed });
    }, { capture: true, signal });
    canvas.addEventListener('pointermove', (event) => {
      const [x, y] = at(event);
      if (event.pointerId === held) {
        const to = shown.place(x, y);
        if (to) engine.tell({ do: 'drag', to });
      } else if (event.buttons === 0 && event.pointerType === 'mouse') {
        canvas.style.cursor = shown.hit(x, y) ? 'pointer' : '';
      }
    }, { signal });
    const letGo = (event: PointerEvent) => {
      if (event.pointerId !== held) return;
      held = -1;
      shown.hold(false);
      engine.tell({ do: 'release' });
    };
    canvas.addEventListener('pointerup', letGo, { signal });
    canvas.addEventListener('pointercancel', letGo, { signal });
  }
  const actions: Record<string, () => void> = {
    ' ': toggle, r: restart, v: () => shown?.home(), s: poke,
    ArrowLeft: () => shown?.turn(-0.12, 0), ArrowRight: () => shown?.turn(0.12, 0),
    ArrowUp: () => shown?.turn(0, -0.12), ArrowDown: () => shown?.turn(0, 0.12), '+': () => shown?.zoom(0.85), '-': () => shown?.zoom(1.18),
  };
  document.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || ['SELECT', 'INPUT'].includes(target.tagName)) return;
    if (event.key === ' ' && target.tagName === 'BUTTON') return;
    if (event.key.startsWith('Arrow') && target !== canvas && target !== document.body) return;
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }, { signal });
  document.addEventListener('pliant-theme', theme, { signal });
  document.addEventListener('visibilitychange', () => { past.length = 0; }, { signal });
  read(first);
  engine.tell({ do: 'run', on: true });
  return {
    stage: shown, frame: () => latest, rate, running: () => running,
    end: () => {
      life.abort();
      running = false;
      shown?.end();
    },
  };
}
