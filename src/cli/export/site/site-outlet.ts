// Makes the links, files, formulas and code of a page of a site, which has no script.
import { mathml } from '../../../reader/formula.ts';
import { highlighted } from '../../../reader/highlight.ts';
import { type Attributes, attributeText, escapeHtml, type Outlet } from '../../../reader/outlet.ts';
import { bareTags } from '../../../reader/raw-html.ts';
import { slugOf } from '../../../reader/slug.ts';
import { isVaultFile, isVaultImage } from '../../view/vault-files.ts';
import { type Published, relativeAddress } from './published.ts';

export interface SitePage {
  /** Its file in the site. */
  readonly page: string;
  /** The path of the note that is shown. */
  readonly path: string;
  /** Its links by their written form; null for an unresolved link. */
  readonly targets: Readonly<Record<string, string | null>>;
  readonly published: Published;
  /** Called with each file of the vault that the page needs. */
  needs(path: string): void;
  /** HTML of an embedded note or part of one; undefined shows a link. */
  embedded(path: string, subpath: string): string | undefined;
  /** Before the ids of an embedded note, so that they are not those of the page. */
  readonly prefix: string;
}

/** What a link leads to is only named if it is published. */
export function siteOutlet(site: SitePage): Outlet {
  const { page, published, prefix } = site;
  const linkTo = (written: string): Attributes => {
    const { path, subpath } = targetOf(site, written);
    const note = published.get(path ?? '');
    if (note !== undefined) return { href: relativeAddress(page, note.page) + fragment(subpath) };
    if (path === undefined || !isVaultFile(path)) return { class: 'no-note' };
    site.needs(path);
    return { href: relativeAddress(page, path) };
  };
  return {
    place: (slug) => ({ id: prefix + slug }),
    jump: (slug) => ({ href: `#${encodeURIComponent(prefix + slug)}` }),
    link: linkTo,
    web: (address) => ({ href: address, rel: 'noopener noreferrer', class: 'web-link' }),
    tag: () => ({ class: 'tag' }),
    embed: (written, shown) => embedOf(site, written, shown, linkTo),
    checkbox: (mark) => `<input type="checkbox" disabled${mark.trim() === '' ? '' : ' checked'}>`,
    math: formula,
    code: (text, language) => `<pre><code>${highlighted(text, language) ?? escapeHtml(text)}</code></pre>\n`,
    html: bareTags,
  };
}

const fragment = (subpath: string): string => (subpath === '' ? '' : `#${encodeURIComponent(slugOf(subpath))}`);

function targetOf({ path, targets }: SitePage, written: string) {
  const hash = written.indexOf('#');
  const [name, subpath] = hash === -1 ? [written, ''] : [written.slice(0, hash), written.slice(hash)];
  if (hash === 0) return { path, subpath };
  return { path: (Object.hasOwn(targets, written) ? targets[written] : targets[name]) ?? undefined, subpath };
}

function embedOf(site: SitePage, written: string, shown: string, linkTo: Outlet['link']): string {
  if (/^data:image\/(?!svg)/i.test(written)) return imageTag(written, shown);
  if (/^https?:/i.test(written))
    return `<a class="web-link" rel="noopener noreferrer"${attributeText({ href: written })}>${escapeHtml(shown || written)}</a>`;
  const { path, subpath } = targetOf(site, written);
  if (path !== undefined && isVaultImage(path)) {
    site.needs(path);
    return imageTag(relativeAddress(site.page, path), shown === written ? '' : shown);
  }
  const link = `<a${attributeText(linkTo(written))}>${escapeHtml(shown || written)}</a>`;
  const isShown = path !== undefined && path !== site.path && site.published.has(path);
  const inner = isShown ? site.embedded(path, subpath) : undefined;
  return inner === undefined ? link : `<div class="embed">${link}<div class="note-body">${inner}</div></div>`;
}

/** `![[image.png|300]]` and `|300x200` give the size in pixels. */
function imageTag(src: string, shown: string): string {
  const [size, width, height] = /^(\d{1,4})(?:x(\d{1,4}))?$/.exec(shown) ?? [];
  const sizes = { ...(width === undefined ? {} : { width }), ...(height === undefined ? {} : { height }) };
  return `<img${attributeText({ src, alt: size === undefined ? shown : '', ...sizes })} loading="lazy">`;
}

function formula(tex: string, isBlock: boolean): string {
  const tag = isBlock ? 'div' : 'span';
  try {
    return `<${tag} data-tex="${isBlock ? 'block' : 'inline'}">${mathml(tex, isBlock)}</${tag}>`;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    return `<${tag} class="bad-formula"${attributeText({ title: why })}>${escapeHtml(tex)}</${tag}>`;
  }
}
