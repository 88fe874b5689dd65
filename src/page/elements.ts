// Creates elements; text is only set as text, so no note can inject HTML.

import { groupColour, PALETTES } from '../picture/palette.ts';

type Child = Node | string;
type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** `true` sets an attribute without a value; `false` and `undefined` omit it. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(key, value === true ? '' : value);
  }
  node.append(...children);
  return node;
}

/** A button that calls `act`; its accessible name is its text or `aria-label`. */
export function button(attributes: Attributes, act: () => void, ...children: readonly Child[]): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, ...children);
  made.addEventListener('click', act);
  return made;
}

/** The element of `page.html` with that id. */
export function part<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** A small dot in the colour of a group, light or dark. @param group -1 for none */
export function dot(group: number): HTMLElement {
  const made = element('span', { class: 'dot', 'aria-hidden': 'true' });
  const [light, dark] = [groupColour(group, PALETTES.light), groupColour(group, PALETTES.dark)];
  made.style.backgroundColor = `light-dark(${light}, ${dark})`;
  return made;
}

/** An icon of `page.html`; the element around it has the name. */
export function icon(name: string): SVGElement {
  const [made, use] = ['svg', 'use'].map((tag) => document.createElementNS('http://www.w3.org/2000/svg', tag));
  made?.setAttribute('class', 'icon');
  made?.setAttribute('aria-hidden', 'true');
  use?.setAttribute('href', `#icon-${name}`);
  made?.append(use as SVGElement);
  return made as SVGElement;
}
