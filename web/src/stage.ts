// What every 3D picture has: a camera that turns, lights, and drawing only when something changed.
import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  protected readonly scene = new THREE.Scene();
  protected readonly camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
  protected readonly controls: OrbitControls;
  protected readonly centre = new THREE.Vector3();
  protected radius = 1;
  private readonly light = new THREE.DirectionalLight(0xffffff, 2.1);
  private readonly sizes: ResizeObserver;
  private due = false;
  private shown = false; // a picture was drawn
  private ended = false;

  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio));
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.addEventListener('change', () => this.draw());
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0x77808c, 1.5));
    this.camera.add(this.light);
    this.light.position.set(-0.5, 0.9, 0.6);
    this.scene.add(this.camera);
    this.sizes = new ResizeObserver(() => this.resize());
  }

  // Follows the size of what is around the canvas; called once everything is there to be drawn.
  protected begin(): void {
    this.sizes.observe(this.canvas.parentElement!);
    this.resize();
  }

  // Looks at everything from the front, the right and above.
  home(): void {}

  // The same for what is around `centre`, with an axis that is up.
  protected lookFromFront(up: 'y' | 'z'): void {
    const away = up === 'z' ? new THREE.Vector3(0.55, -1, 0.45) : new THREE.Vector3(0.55, 0.35, 1);
    this.camera.up.set(0, up === 'y' ? 1 : 0, up === 'z' ? 1 : 0);
    this.look(this.centre, this.radius, away);
  }

  protected look(target: THREE.Vector3, radius: number, away: THREE.Vector3): void {
    const half = Math.tan(THREE.MathUtils.degToRad(this.camera.fov / 2));
    const distance = radius / (half * Math.min(1, this.camera.aspect)) * 0.9;
    this.camera.near = Math.max(distance - 3 * this.radius, 1e-3 * this.radius);
    this.camera.near = Math.min(this.camera.near, 2e-2 * this.radius);
    this.camera.far = distance + 20 * this.radius;
    this.camera.position.copy(target).addScaledVector(away.clone().normalize(), distance);
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(target);
    this.controls.minDistance = 0.01 * this.radius;
    this.controls.maxDistance = 12 * this.radius;
    this.controls.update();
    this.draw();
  }

  turn(across: number, up: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const axis = new THREE.Vector3().crossVectors(this.camera.up, offset).normalize();
    offset.applyAxisAngle(this.camera.up, across).applyAxisAngle(axis, up);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
  }

  zoom(factor: number): void {
    const offset = this.camera.position.clone().sub(this.controls.target).multiplyScalar(factor);
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
  }

  // Where the camera is, to look from there again in another picture of the same.
  get pose(): number[] {
    return [...this.camera.position.toArray(), ...this.controls.target.toArray(), this.camera.near, this.camera.far];
  }

  set pose(numbers: number[]) {
    this.camera.position.fromArray(numbers);
    this.controls.target.fromArray(numbers, 3);
    [this.camera.near, this.camera.far] = numbers.slice(6);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.draw();
  }

  // Another picture takes the place: nothing is drawn any more.
  end(): void {
    this.sizes.disconnect();
    this.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.ended = true;
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    if (clientWidth === 0 || clientHeight === 0) return;
    const before = this.camera.aspect;
    const ratio = this.renderer.getPixelRatio();
    // A new size clears the picture, so an equal one is left alone, and another is drawn at once.
    if (this.shown && this.canvas.width === Math.floor(clientWidth * ratio)
      && this.canvas.height === Math.floor(clientHeight * ratio)) return;
    this.renderer.setSize(clientWidth, clientHeight, false);
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.updateProjectionMatrix();
    if (before === 1) this.home();
    if (this.shown) this.render();
    else this.draw();
  }

  // Draws before the browser shows the next picture.
  draw(): void {
    if (this.due) return;
    this.due = true;
    requestAnimationFrame(() => {
      if (this.due) this.render();
    });
  }

  // Draws now: the first picture, for one, which is then there as soon as the page is.
  render(): void {
    this.due = false;
    this.shown = true;
    if (!this.ended) this.renderer.render(this.scene, this.camera);
  }

  // Where a point of the world is on the canvas, in CSS pixels.
  project(x: number, y: number, z: number): [number, number] {
    const point = new THREE.Vector3(x, y, z).project(this.camera);
    const { clientWidth, clientHeight } = this.canvas;
    return [(point.x + 1) / 2 * clientWidth, (1 - point.y) / 2 * clientHeight];
  }
}
