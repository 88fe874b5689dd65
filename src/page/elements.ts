// Makes elements. Text is only ever set as text, so nothing a note holds becomes part of the page.

type Child = Node | string;
type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** `true` sets an attribute without a value; `false` and `undefined` leave it out. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) made.setAttribute(key, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/** A button that does `act`; its name is its text, or `aria-label`. */
export function button(attributes: Attributes, act: () => void, ...children: readonly Child[]): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, ...children);
  made.addEventListener('click', act);
  return made;
}

/** Words of a text that do `act`; unlike a button they flow with it. */
export function wordsThatOpen(act: () => void, words: string): HTMLElement {
  const made = element('span', { class: 'note-link', role: 'link', tabindex: '0' }, words);
  made.addEventListener('click', act);
  made.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') act();
  });
  return made;
}

/** The element of `page.html` with that id. */
export function part<T extends HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** A small disc in a note's colour. */
export function dot(colour: string): HTMLElement {
  const made = element('span', { class: 'dot', 'aria-hidden': 'true' });
  made.style.backgroundColor = colour;
  return made;
}
