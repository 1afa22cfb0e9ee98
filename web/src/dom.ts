// Small helpers for making elements.
type Child = Node | string;

export function make<Name extends keyof HTMLElementTagNameMap>(name: Name,
  attributes: Record<string, string> = {}, ...children: Child[]): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function button(label: string, hint: string, press: () => void): HTMLButtonElement {
  const element = make('button', { type: 'button', title: hint, 'aria-label': hint }, label);
  element.addEventListener('click', press);
  return element;
}

export function checkbox(label: Child, checked: boolean, change: () => void, hint = ''):
  { element: HTMLLabelElement; input: HTMLInputElement } {
  const input = make('input', { type: 'checkbox' });
  input.checked = checked;
  input.addEventListener('change', change);
  return { element: make('label', hint ? { title: hint } : {}, input, label), input };
}

export function swatch(colour: string, shape = ''): HTMLElement {
  const element = make('span', { class: `swatch ${shape}` });
  element.style.background = colour;
  return element;
}

export function number(value: number): string {
  return value.toLocaleString('en');
}

export function percent(part: number, whole: number): string {
  const share = whole > 0 ? 100 * part / whole : 0;
  return `${share.toLocaleString('en', { maximumFractionDigits: share < 10 ? 1 : 0 })} %`;
}
