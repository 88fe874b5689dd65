// Creates elements; text is only set as text, so no note can inject HTML.

type Child = Node | string;
type Attributes = Readonly<Record<string, string | boolean | undefined>>;

/** `true` sets an attribute without a value; `false` and `undefined` omit it. */
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

/** A small dot in the colour of a note. */
export function dot(colour: string): HTMLElement {
  const made = element('span', { class: 'dot', 'aria-hidden': 'true' });
  made.style.backgroundColor = colour;
  return made;
}
