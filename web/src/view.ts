// The bodies in 3D.
import * as THREE from 'three';
import { bodyColour, heatColour, palettes } from './colours';
import type { Contact, Contacts } from './contacts';
import { Contours } from './contours';
import type { Contour } from './contours';
import type { Body, PageData } from './data';
import { evaluate, findNormals, isFaceted } from './evaluate';
import { Patch } from './patch';
import { Stage } from './stage';
import type { Choices, State } from './state';
import { boxLines } from './tree';

interface Drawn {
  positions: Float32Array;
  normals: Float32Array;
  geometry: THREE.BufferGeometry;
  material: THREE.MeshLambertMaterial;
  mesh: THREE.Mesh;
  evaluated: number; // the frame that the positions belong to; below -1: what passes through
}

function isMoving(body: Body): boolean {
  const { width, frames, values } = body.state;
  for (const frame of [Math.floor(frames / 2), frames - 1]) {
    for (let i = 0; i < width; i++) {
      if (values[i] !== values[frame * width + i]) return true;
    }
  }
  return false;
}

function edgesOf(corners: Float32Array, count: number): Float32Array {
  const lines = new Float32Array(18 * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) {
      const a = 9 * i + 3 * k, b = 9 * i + 3 * ((k + 1) % 3);
      for (let axis = 0; axis < 3; axis++) {
        lines[18 * i + 6 * k + axis] = corners[a + axis];
        lines[18 * i + 6 * k + 3 + axis] = corners[b + axis];
      }
    }
  }
  return lines;
}

// Three short lines through a point, open in the middle.
function crossLines(): number[] {
  const lines: number[] = [];
  for (let axis = 0; axis < 3; axis++) {
    for (const sign of [-1, 1]) {
      for (const end of [0.35, 1]) lines.push(...[0, 1, 2].map((k) => (k === axis ? sign * end : 0)));
    }
  }
  return lines;
}

export class View extends Stage {
  private readonly bodies: Drawn[];
  private readonly touching = new Patch();
  private readonly heat = new Patch();
  private readonly solid: THREE.Mesh;
  private readonly through: THREE.Mesh;
  private readonly heatMesh: THREE.Mesh;
  private readonly outlines = new THREE.LineSegments();
  private readonly boxes = new THREE.LineSegments();
  private readonly curves = new THREE.LineSegments();
  private readonly inside = new Patch();
  private readonly insideMesh: THREE.Mesh;
  private readonly marker: THREE.LineSegments; // at the place of the finding that is looked at
  private readonly contours: Contours;
  contacts: Contact[] = [];

  constructor(canvas: HTMLCanvasElement, private readonly data: PageData,
    private readonly index: Contacts, private readonly state: State) {
    super(canvas);
    this.bodies = data.bodies.map((_, i) => this.makeBody(i));
    // What touches is drawn after the bodies, so that translucent ones never veil it.
    const patch = { vertexColors: true, side: THREE.DoubleSide, transparent: true };
    this.solid = new THREE.Mesh(this.touching.geometry, new THREE.MeshBasicMaterial({
      ...patch, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2,
    }));
    this.through = new THREE.Mesh(this.touching.geometry, new THREE.MeshBasicMaterial({
      ...patch, opacity: 0.3, depthTest: false, depthWrite: false,
    }));
    this.heatMesh = new THREE.Mesh(this.heat.geometry, new THREE.MeshBasicMaterial({
      ...patch, polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -1,
    }));
    this.outlines.material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.8 });
    this.boxes.material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.9 });
    this.contours = new Contours(data);
    this.insideMesh = new THREE.Mesh(this.inside.geometry, new THREE.MeshBasicMaterial({
      ...patch, opacity: 0.75, depthTest: false, depthWrite: false,
    }));
    this.curves.material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthTest: false });
    this.insideMesh.renderOrder = 6;
    this.curves.renderOrder = 7;
    this.marker = new THREE.LineSegments(new THREE.BufferGeometry(),
      new THREE.LineBasicMaterial({ color: 0xf2c14e, transparent: true, depthTest: false }));
    this.marker.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(crossLines()), 3));
    this.marker.renderOrder = 8;
    this.heatMesh.renderOrder = 2;
    this.solid.renderOrder = 3;
    this.outlines.renderOrder = 4;
    this.through.renderOrder = 5;
    this.boxes.renderOrder = 6;
    for (const item of [this.solid, this.through, this.heatMesh, this.outlines, this.boxes,
      this.insideMesh, this.curves, this.marker]) {
      item.frustumCulled = false;
      this.scene.add(item);
    }
    this.home();
    state.listen((changed) => this.follow(changed));
    this.begin();
    this.refresh();
  }

  private makeBody(i: number): Drawn {
    const body = this.data.bodies[i];
    const mesh = this.data.meshes[body.mesh];
    const geometry = new THREE.BufferGeometry();
    const positions = new Float32Array(3 * mesh.vertices);
    const normals = new Float32Array(3 * mesh.vertices);
    geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(normals, 3));
    geometry.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
    const material = new THREE.MeshLambertMaterial({
      color: bodyColour(i), side: THREE.DoubleSide, flatShading: isFaceted(mesh),
    });
    const drawn = new THREE.Mesh(geometry, material);
    drawn.frustumCulled = false;
    this.scene.add(drawn);
    return { positions, normals, geometry, material, mesh: drawn, evaluated: -1 };
  }

  // Where a body's vertices are in the frame that is shown.
  positionsOf(body: number): Float32Array {
    this.evaluateBody(body);
    return this.bodies[body].positions;
  }

  private evaluateBody(i: number): void {
    const drawn = this.bodies[i];
    const { frame, pass: number } = this.state.now;
    const shown = number < 0 ? frame : -2 - number;
    if (drawn.evaluated === shown) return;
    const body = this.data.bodies[i];
    const mesh = this.data.meshes[body.mesh];
    const pass = this.index.passes[number];
    evaluate(mesh, body, pass ? pass.from : frame, drawn.positions);
    if (pass) {
      const end = new Float32Array(drawn.positions.length);
      evaluate(mesh, body, pass.to, end);
      drawn.positions.forEach((start, k) => { drawn.positions[k] = start + pass.at * (end[k] - start); });
    }
    if (!drawn.material.flatShading) findNormals(mesh, drawn.positions, drawn.normals);
    drawn.geometry.attributes.position.needsUpdate = true;
    drawn.geometry.attributes.normal.needsUpdate = true;
    drawn.evaluated = shown;
  }

  // Centre and radius of the bodies in this frame. What never moves, a floor say, does not count
  // where other bodies do move.
  private fit(): void {
    const box = new THREE.Box3();
    const point = new THREE.Vector3();
    const moving = this.data.bodies.map((body) => isMoving(body));
    const any = moving.includes(true);
    this.data.bodies.forEach((body, i) => {
      if (any && !moving[i]) return;
      const positions = this.positionsOf(i);
      const { triangles } = this.data.meshes[body.mesh];
      const step = 3 * Math.max(1, Math.floor(triangles.length / 9000));
      for (let k = 0; k < triangles.length; k += step) {
        box.expandByPoint(point.fromArray(positions, 3 * triangles[k]));
      }
    });
    box.getCenter(this.centre);
    this.radius = Math.max(1e-9, 0.5 * box.getSize(point).length());
  }

  override home(): void {
    this.fit();
    this.lookFromFront(this.state.now.up);
  }

  // Moves close to what touches now.
  closeUp(): boolean {
    if (this.touching.size === 0) return false;
    const box = new THREE.Box3().setFromArray(
      (this.touching.geometry.attributes.position.array as Float32Array).subarray(0, 9 * this.touching.size));
    const size = 0.5 * box.getSize(new THREE.Vector3()).length();
    const away = this.camera.position.clone().sub(this.controls.target);
    this.look(box.getCenter(new THREE.Vector3()), Math.max(1.6 * size, 0.04 * this.radius), away);
    return true;
  }

  // Looks at a place from outside of the bodies, so that `reach` around it can be seen.
  lookAt(position: readonly number[], reach: number): void {
    const target = new THREE.Vector3(position[0], position[1], position[2]);
    const away = target.clone().sub(this.centre);
    const height = away.dot(this.camera.up);
    away.addScaledVector(this.camera.up, -height); // from the side, a little from above
    if (away.length() < 0.02 * this.radius) away.copy(this.camera.position).sub(this.controls.target);
    away.normalize().addScaledVector(this.camera.up, 0.3);
    const size = Math.min(Math.max(1.5 * reach, 0.2 * this.radius), 0.8 * this.radius);
    this.marker.position.copy(target);
    this.marker.scale.setScalar(0.12 * size);
    this.look(target, size, away);
  }

  private follow(changed: ReadonlySet<keyof Choices>): void {
    if (changed.has('up')) this.home();
    const quiet: (keyof Choices)[] = ['playing', 'speed', 'up'];
    if ([...changed].some((key) => !quiet.includes(key))) this.refresh();
  }

  // Rebuilds everything that depends on the frame and the choices.
  refresh(): void {
    const { now } = this.state;
    const palette = palettes[now.theme];
    this.scene.background = new THREE.Color(palette.background);
    this.bodies.forEach((_, i) => this.evaluateBody(i));
    this.showParts();
    this.contacts = now.pass < 0 ? this.index.inFrame(now.frame) : [this.index.passes[now.pass].contact];
    this.markTouching();
    this.heatMesh.visible = now.heat;
    if (now.heat) this.paintHeat();
    this.drawBoxes();
    this.drawContours();
    this.marker.visible = now.finding >= 0;
    this.draw();
  }

  private showParts(): void {
    const { hiddenParts, translucent, heat } = this.state.now;
    this.data.bodies.forEach((body, i) => {
      const drawn = this.bodies[i];
      const mesh = this.data.meshes[body.mesh];
      if (body.parts) {
        const kept: number[] = [];
        for (let t = 0; t < mesh.faces; t++) {
          if (!hiddenParts.has(body.parts[t])) {
            kept.push(mesh.triangles[3 * t], mesh.triangles[3 * t + 1], mesh.triangles[3 * t + 2]);
          }
        }
        if (drawn.geometry.index!.count !== kept.length) {
          drawn.geometry.setIndex(new THREE.BufferAttribute(new Uint32Array(kept), 1));
        }
        drawn.mesh.visible = kept.length > 0;
      } else {
        const part = this.data.parts.findIndex((candidate) => candidate.body === i);
        drawn.mesh.visible = !hiddenParts.has(part);
      }
      drawn.material.transparent = translucent;
      drawn.material.opacity = translucent ? 0.16 : 1;
      drawn.material.depthWrite = !translucent;
      drawn.material.color.set(heat ? '#5f6a76' : bodyColour(i));
      drawn.material.needsUpdate = true;
    });
  }

  // Whether everything that was found of a pair of bodies in the clip that is shown is known, or a
  // finding of another pair is looked at.
  private isKnown(pair: number): boolean {
    const { findings, frames, pairs } = this.data;
    const { frame, finding: chosen } = this.state.now;
    const clip = frames.clip[frame];
    const [a, b] = pairs[pair];
    if (chosen >= 0) return String(findings![chosen].pair) !== String(pairs[pair]);
    return findings !== undefined
      && !findings.some((finding) => finding.fails && finding.clip === clip && finding.pair[0] === a && finding.pair[1] === b);
  }

  private isShown(contact: Contact | Contour): boolean {
    const { hiddenPairs, hiddenParts } = this.state.now;
    const [a, b] = this.data.pairs[contact.pair];
    return !hiddenPairs.has(contact.pair) && !(hiddenParts.has(a) && hiddenParts.has(b));
  }

  private markTouching(): void {
    const { theme, onlyNew, xray, edges, heat, hiddenParts } = this.state.now;
    const palette = palettes[theme];
    const known = new THREE.Color(palette.known), fresh = new THREE.Color(palette.fresh);
    const shown = heat ? [] : this.contacts.filter((contact) => this.isShown(contact));
    let count = 0;
    for (const contact of shown) count += contact.sides[0].length + contact.sides[1].length;
    this.touching.begin(count);
    const isNew: boolean[] = [];
    for (const contact of shown) {
      this.index.bodiesOf(contact.pair).forEach((body, side) => {
        if (hiddenParts.has(this.data.pairs[contact.pair][side])) return;
        const { triangles } = this.data.meshes[this.data.bodies[body].mesh];
        for (const code of contact.sides[side]) {
          if (onlyNew && (code & 1) === 0) continue;
          isNew.push((code & 1) === 1);
          this.touching.add(triangles, code >>> 1, this.bodies[body].positions, code & 1 ? fresh : known);
        }
      });
    }
    this.touching.end();
    this.through.visible = xray && this.touching.size > 0;
    this.solid.visible = this.touching.size > 0;
    this.outlines.visible = edges && this.touching.size > 0;
    if (this.outlines.visible) this.outline(isNew);
  }

  private outline(isNew: boolean[]): void {
    const palette = palettes[this.state.now.theme];
    const known = new THREE.Color(palette.outlineKnown), fresh = new THREE.Color(palette.outlineFresh);
    const corners = this.touching.geometry.attributes.position.array as Float32Array;
    const lines = edgesOf(corners, this.touching.size);
    const colours = new Float32Array(lines.length);
    isNew.forEach((bright, i) => {
      const colour = bright ? fresh : known;
      for (let k = 0; k < 6; k++) colours.set([colour.r, colour.g, colour.b], 18 * i + 3 * k);
    });
    this.setLines(this.outlines, lines, colours);
  }

  private setLines(target: THREE.LineSegments, lines: Float32Array, colours: Float32Array): void {
    target.geometry.dispose();
    target.geometry = new THREE.BufferGeometry();
    target.geometry.setAttribute('position', new THREE.BufferAttribute(lines, 3));
    target.geometry.setAttribute('color', new THREE.BufferAttribute(colours, 3));
  }

  private paintHeat(): void {
    const { hiddenParts } = this.state.now;
    let count = 0;
    const { heat } = this.index;
    for (const counts of heat) for (const touched of counts) if (touched > 0) count++;
    this.heat.begin(count);
    const colour = new THREE.Color();
    this.index.heat.forEach((counts, body) => {
      const { triangles } = this.data.meshes[this.data.bodies[body].mesh];
      const { parts } = this.data.bodies[body];
      const whole = this.data.parts.findIndex((part) => part.body === body);
      for (let t = 0; t < counts.length; t++) {
        if (counts[t] === 0 || hiddenParts.has(parts ? parts[t] : whole)) continue;
        const [r, g, b] = heatColour(counts[t] / Math.max(1, this.index.heatMost));
        colour.setRGB(r / 255, g / 255, b / 255, THREE.SRGBColorSpace);
        this.heat.add(triangles, t, this.bodies[body].positions, colour);
      }
    });
    this.heat.end();
  }

  private drawBoxes(): void {
    const { now } = this.state;
    this.boxes.visible = now.level >= 0;
    if (!this.boxes.visible) return;
    const { lines, colours } = boxLines(this.data, now, palettes[now.theme]);
    this.setLines(this.boxes, lines, colours);
  }

  // Curves along which surfaces cross, and the triangles inside the other body.
  private drawContours(): void {
    const { now } = this.state;
    const palette = palettes[now.theme];
    const shown = now.heat || now.pass >= 0 ? [] : this.contours.inFrame(now.frame).filter((contour) => this.isShown(contour));
    const count = shown.reduce((sum, contour) => sum + contour.lines.length, 0);
    const lines = new Float32Array(count), colours = new Float32Array(count);
    const curve = new THREE.Color(palette.contour);
    const grey = new THREE.Color(palette.untouched);
    let at = 0;
    for (const contour of shown) {
      const { r, g, b } = this.isKnown(contour.pair) ? grey : curve;
      lines.set(contour.lines, at);
      for (let i = 0; i < contour.lines.length; i += 3) colours.set([r, g, b], at + i);
      at += contour.lines.length;
    }
    this.curves.visible = now.contours && count > 0;
    if (this.curves.visible) this.setLines(this.curves, lines, colours);
    this.shadeInside(now.regions ? shown.filter((contour) => !this.isKnown(contour.pair)) : [], new THREE.Color(palette.inside));
  }

  private shadeInside(shown: Contour[], colour: THREE.Color): void {
    const { hiddenParts } = this.state.now;
    this.inside.begin(shown.reduce((sum, { inside }) => sum + inside[0].length + inside[1].length, 0));
    for (const contour of shown) {
      this.index.bodiesOf(contour.pair).forEach((body, side) => {
        if (hiddenParts.has(this.data.pairs[contour.pair][side])) return;
        const { triangles } = this.data.meshes[this.data.bodies[body].mesh];
        for (const triangle of contour.inside[side]) {
          this.inside.add(triangles, triangle, this.bodies[body].positions, colour);
        }
      });
    }
    this.inside.end();
    this.insideMesh.visible = this.inside.size > 0;
  }

  // How much is drawn of contours and of what lies inside; for tests.
  drawnContours(): { lines: number; triangles: number } {
    const lines = this.curves.visible ? this.curves.geometry.attributes.position.count / 2 : 0;
    return { lines, triangles: this.insideMesh.visible ? this.inside.size : 0 };
  }
}
