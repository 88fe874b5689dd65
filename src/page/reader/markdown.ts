// The Markdown part of the reader: renders a note and removes everything that could run or load something.
import purifier from 'dompurify';
import {
  ALLOWED_ADDRESSES,
  ALLOWED_ATTRIBUTES,
  ALLOWED_TAGS,
  attributeText,
  escapeHtml,
  type Outlet,
  withoutOtherTags,
} from '../../reader/outlet.ts';
import { createRenderer } from '../../reader/render.ts';
import { addPart } from './parts.ts';

const marked = (name: string, attributes: Readonly<Record<string, string>>, text: string): string =>
  `<${name}${attributeText(attributes)}>${escapeHtml(text)}</${name}>`;

/** Everything that needs the page is marked, and made by `dressNote`. */
const MARKS: Outlet = {
  place: (slug) => ({ 'data-slug': slug }),
  jump: (slug) => ({ 'data-jump': slug }),
  link: (link) => ({ 'data-link': link }),
  web: (address) => ({ href: address }),
  tag: (tag) => ({ 'data-tag': tag }),
  embed: (link, shown) => marked('span', { 'data-embed': link }, shown),
  checkbox: (mark) => marked('span', { 'data-box': mark }, ''),
  math: (tex, isBlock) => marked(isBlock ? 'div' : 'span', { 'data-tex': isBlock ? 'block' : 'inline' }, tex),
  code: (text, language) => `${marked('pre', { 'data-language': language }, text)}\n`,
  // The policy of the page would report each style and script that the sanitizer sees.
  html: withoutOtherTags,
};

const render = createRenderer(MARKS);

addPart({
  createRenderer,
  markdown: (text) =>
    purifier.sanitize(render(text), {
      ALLOWED_TAGS: [...ALLOWED_TAGS],
      ALLOWED_ATTR: [...ALLOWED_ATTRIBUTES],
      ADD_URI_SAFE_ATTR: ALLOWED_ATTRIBUTES.filter((name) => name !== 'href'),
      ALLOWED_URI_REGEXP: ALLOWED_ADDRESSES,
      ALLOW_DATA_ATTR: true,
      ALLOW_ARIA_ATTR: false,
      RETURN_DOM_FRAGMENT: true,
    }),
});
