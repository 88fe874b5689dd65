// Writes the pages of a site as HTML: one for each note, and one that lists them.
import type { EmbeddedNote } from '../../../picture/shape.ts';
import { attributeText, escapeHtml } from '../../../reader/outlet.ts';
import { createRenderer } from '../../../reader/render.ts';
import { slugOf } from '../../../reader/slug.ts';
import { INDEX_PAGE, type Published, type PublishedNote, relativeAddress, STYLE_FILE } from './published.ts';
import { type SitePage, siteOutlet } from './site-outlet.ts';

export interface Site {
  /** The name of the vault. */
  readonly name: string;
  readonly published: Published;
  /** A published note, or a part of one: `path#Heading`. Undefined if it is unknown. */
  text(reference: string): EmbeddedNote | undefined;
  /** Called with each note part that a page embeds and `text` does not have. */
  asks(reference: string): void;
  /** Called with each file of the vault that a page needs. */
  needs(path: string): void;
}

export function notePage(site: Site, note: PublishedNote): string {
  const read = site.text(note.path);
  const body = read === undefined ? '' : renderedNote(site, note.path, note.page, read, note.title);
  const linked = note.linkedFrom.flatMap((path) => site.published.get(path) ?? []);
  const backlinks = linked.map((other) => `<li>${linkTo(note.page, other)}</li>`).join('');
  return htmlPage(site, note.page, note.title, [
    // A link to the heading that this one replaces leads here.
    `<h1${hasTitle(read, note) ? attributeText({ id: slugOf(note.title) }) : ''}>${escapeHtml(note.title)}</h1>`,
    `<div class="note-body">${body}</div>`,
    backlinks === '' ? '' : `<nav><h2>Linked from</h2><ul>${backlinks}</ul></nav>`,
  ]);
}

/** Embeds are one level deep: inside an embed they are links. */
function renderedNote(site: Site, path: string, page: string, read: EmbeddedNote, title: string): string {
  let embeds = 0;
  const embedded = (target: string, subpath: string): string | undefined => {
    const reference = target + subpath;
    const part = site.text(reference);
    if (part === undefined) {
      site.asks(reference);
      return undefined;
    }
    embeds += 1;
    const inner = { page, path: target, prefix: `e${embeds}-`, embedded: () => undefined };
    return renderWith(site, { ...inner, targets: part.links }, part.text);
  };
  const text = withoutTitle(read.text, title);
  return renderWith(site, { page, path, prefix: '', targets: read.links, embedded }, text);
}

function renderWith(site: Site, page: Omit<SitePage, 'published' | 'needs'>, text: string): string {
  return createRenderer(siteOutlet({ ...page, published: site.published, needs: site.needs }))(text);
}

const hasTitle = (read: EmbeddedNote | undefined, { title }: PublishedNote): boolean =>
  read !== undefined && withoutTitle(read.text, title) !== read.text;

/** The page has the title as its heading. */
function withoutTitle(text: string, title: string): string {
  return text.replace(
    /^(\ufeff?(?:---\r?\n[\s\S]*?\r?\n---\s*?\r?\n)?\s*)# ([^\n]*)(?:\n|$)/,
    (whole, before, heading) => (heading.trim() === title ? before : whole),
  );
}

export function indexPage(site: Site): string {
  const notes = [...site.published.values()].toSorted((a, b) => a.title.localeCompare(b.title, 'en'));
  const rows = notes.map((note) => `<li>${linkTo(INDEX_PAGE, note)}</li>`).join('\n');
  return htmlPage(site, INDEX_PAGE, site.name, [`<h1>${escapeHtml(site.name)}</h1>`, `<ul class="notes">${rows}</ul>`]);
}

function linkTo(from: string, { page, title }: PublishedNote): string {
  return `<a${attributeText({ href: relativeAddress(from, page) })}>${escapeHtml(title)}</a>`;
}

/** A page runs nothing, whatever is in its note. */
const POLICY = "script-src 'none'; object-src 'none'; frame-src 'none'; base-uri 'none'; form-action 'none'";

function htmlPage({ name }: Site, page: string, title: string, parts: readonly string[]): string {
  const home = attributeText({ href: relativeAddress(page, INDEX_PAGE) });
  return `<!doctype html>
<html>
<head>
<meta charset="utf-8">
<meta http-equiv="content-security-policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(page === INDEX_PAGE ? title : `${title} · ${name}`)}</title>
<link rel="stylesheet"${attributeText({ href: relativeAddress(page, STYLE_FILE) })}>
</head>
<body>
<header><a${home}>${escapeHtml(name)}</a></header>
<main>
${parts.join('\n')}
</main>
</body>
</html>
`;
}
