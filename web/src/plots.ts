// Plots as SVG: bars and lines. Series differ in dash and mark as well as in colour.
const lineColours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9', '#7f7f7f'];
const dashes = ['', '7 3', '2 3', '9 3 2 3', '4 2', '12 4', '1 2'];
const SPACE = 'http://www.w3.org/2000/svg';

function svg(name: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const element = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  if (text) element.textContent = text;
  return element;
}

export function short(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1000) return Math.round(value).toLocaleString('en');
  return Number(value.toPrecision(3)).toString();
}

function wrap(plot: SVGElement, caption: string, legend: HTMLElement[] = []): HTMLElement {
  const figure = document.createElement('figure');
  const words = document.createElement('figcaption');
  words.append(caption, ...legend);
  figure.append(words, plot);
  return figure;
}

export interface Bar { name: string; parts: number[]; ours: boolean; paper?: number }

// Horizontal bars of stacked parts; a ring marks what the paper has.
export function barPlot(bars: Bar[], caption: string, partNames: string[]): HTMLElement {
  const width = 760, left = 270, right = 96, row = 24;
  const height = bars.length * row + 8;
  const plot = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': caption, class: 'plot' });
  const total = (bar: Bar) => bar.parts.reduce((sum, part) => sum + part, 0);
  const most = Math.max(1e-30, ...bars.map((bar) => Math.max(total(bar), bar.paper ?? 0)));
  const x = (value: number) => left + value / most * (width - left - right);
  bars.forEach((bar, i) => {
    const top = 4 + i * row;
    plot.append(svg('text', { x: left - 8, y: top + 15, 'text-anchor': 'end', class: bar.ours ? 'ours' : '' }, clipped(bar.name, 40)));
    let start = 0;
    bar.parts.forEach((part, k) => {
      plot.append(svg('rect', {
        x: x(start), y: top + 3, width: Math.max(0.5, x(start + part) - x(start)), height: row - 8,
        class: `${bar.ours ? 'ours' : 'rival'} part${k}`,
      }));
      start += part;
    });
    plot.append(svg('text', { x: x(start) + 6, y: top + 15 }, short(start)));
    if (bar.paper !== undefined) {
      const ring = svg('circle', { cx: x(bar.paper), cy: top + row / 2 - 1, r: 6, class: 'paper' });
      ring.append(svg('title', {}, `paper: ${short(bar.paper)}`));
      plot.append(ring);
    }
  });
  const legend = partNames.map((name, k) => {
    const item = document.createElement('span');
    item.className = `key part${k}`;
    item.textContent = name;
    return item;
  });
  if (bars.some((bar) => bar.paper !== undefined)) {
    const item = document.createElement('span');
    item.className = 'key ring';
    item.textContent = 'the paper';
    legend.push(item);
  }
  return wrap(plot, caption, legend);
}

export interface Line { name: string; x: number[]; y: number[] }

function ticks(low: number, high: number, logarithmic: boolean): number[] {
  const found: number[] = [];
  if (logarithmic) {
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
      for (const digit of [1, 2, 5]) found.push(digit * 10 ** power);
    }
    const inside = found.filter((value) => value >= low && value <= high);
    return inside.length > 7 ? inside.filter((value) => /^1(\.?0*)?(e.*)?$|^0?\.0*1$/.test(String(value))) : inside;
  }
  const step = 10 ** Math.floor(Math.log10((high - low) / 4 || 1));
  const size = [1, 2, 5, 10].find((factor) => (high - low) / (factor * step) <= 6)! * step;
  for (let value = Math.ceil(low / size) * size; value <= high; value += size) found.push(value);
  return found;
}

// Lines over a common axis; both axes may be logarithmic.
export function linePlot(lines: Line[], caption: string, axes: { x: string; y: string; logX?: boolean; logY?: boolean }): HTMLElement {
  const width = 760, height = 300, left = 64, right = 14, top = 12, bottom = 40;
  const usable = lines.map((line) => ({
    ...line,
    points: line.x.map((x, i) => [x, line.y[i]] as const)
      .filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y) && (!axes.logX || x > 0) && (!axes.logY || y > 0)),
  })).filter((line) => line.points.length > 1);
  const plot = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': caption, class: 'plot' });
  if (usable.length === 0) return wrap(plot, caption);
  const all = usable.flatMap((line) => line.points);
  const span = (k: 0 | 1, log: boolean | undefined): [number, number] => {
    let low = Infinity, high = -Infinity;
    for (const point of all) {
      low = Math.min(low, point[k]);
      high = Math.max(high, point[k]);
    }
    return [log || k === 0 ? low : Math.min(0, low), high > low ? high : low + 1];
  };
  const [lowX, highX] = span(0, axes.logX), [lowY, highY] = span(1, axes.logY);
  const place = (value: number, low: number, high: number, log?: boolean) =>
    (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  const x = (value: number) => left + place(value, lowX, highX, axes.logX) * (width - left - right);
  const y = (value: number) => height - bottom - place(value, lowY, highY, axes.logY) * (height - top - bottom);
  for (const value of ticks(lowY, highY, !!axes.logY)) {
    plot.append(svg('line', { x1: left, x2: width - right, y1: y(value), y2: y(value), class: 'grid' }),
      svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, short(value)));
  }
  for (const value of ticks(lowX, highX, !!axes.logX)) {
    plot.append(svg('text', { x: x(value), y: height - bottom + 16, 'text-anchor': 'middle' }, short(value)));
  }
  plot.append(svg('text', { x: (left + width - right) / 2, y: height - 6, 'text-anchor': 'middle' }, axes.x),
    svg('text', { x: 12, y: top + 4 }, ''));
  const legend = usable.map((line, i) => {
    const colour = lineColours[i % lineColours.length];
    const step = Math.max(1, Math.floor(line.points.length / 700));
    const path = line.points.filter((_, k) => k % step === 0).map(([px, py], k) => `${k ? 'L' : 'M'}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join('');
    plot.append(svg('path', { d: path, fill: 'none', stroke: colour, 'stroke-width': 2, 'stroke-dasharray': dashes[i % dashes.length] }));
    if (line.points.length < 30) {
      for (const [px, py] of line.points) plot.append(svg('circle', { cx: x(px), cy: y(py), r: 3, fill: colour }));
    }
    const item = document.createElement('span');
    item.className = 'key line';
    item.style.setProperty('--colour', colour);
    item.textContent = line.name;
    return item;
  });
  return wrap(plot, `${caption} (${axes.y})`, legend);
}

function clipped(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
