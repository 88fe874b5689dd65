// `vaultgraph export --format site`: writes a folder of pages for the notes that the user wants to publish.

import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { GraphCore } from '../../app/graph-core.ts';
import { NEVER } from '../../base/async/waits.ts';
import { removeLeftovers, replaceFile } from '../../base/atomic-write.ts';
import { commandLine } from '../../base/command-line.ts';
import { isErrno } from '../../base/errno.ts';
import type { VaultgraphError } from '../../base/errors.ts';
import { makeFolder } from '../../base/make-folder.ts';
import type { NotePath } from '../../base/note.ts';
import { oneLine } from '../../base/visible-controls.ts';
import type { EmbeddedNote } from '../../picture/shape.ts';
import { mathml } from '../../reader/formula.ts';
import { highlighted } from '../../reader/highlight.ts';
import { type Attributes, attributeText, bareTags, escapeHtml, type Outlet, slugOf } from '../../reader/outlet.ts';
import { createRenderer } from '../../reader/render.ts';
import type { CommonOptions } from '../common-options.ts';
import { report, writeFailure } from '../output.ts';
import { knownVaults, outputPath } from '../output-place.ts';
import { usageError } from '../usage.ts';
import { isVaultFile, isVaultImage, type PageFiles } from '../view/page-files.ts';
import { noteTexts } from './export-text.ts';
import {
  INDEX_PAGE,
  type PublishableNote,
  type Published,
  type PublishedNote,
  publishedNotes,
  STYLE_FILE,
} from './published-notes.ts';

export interface SiteOptions extends CommonOptions {
  readonly out?: string;
  readonly tag?: readonly string[];
  readonly force?: boolean;
}

/** @returns how much was written. @throws INVALID_INPUT, FILE_WRITE_FAILED */
export async function exportSite(core: GraphCore, options: SiteOptions, pageFiles: PageFiles): Promise<SiteSummary> {
  const folder = await outputFolder(core, options);
  const notes = core.exportedNotes(NEVER) as AsyncIterable<unknown> as AsyncIterable<PublishableNote>;
  const published = await publishedNotes(notes, options.tag ?? []);
  if (published.size === 0) throw await nothingSelected(core);
  const files = new Set<string>();
  const texts = new Map(await noteTexts([...published.keys()], core));
  const asked = new Set<string>();
  const site: Site = {
    name: core.config.name ?? core.vault.name,
    published,
    text: (reference) => texts.get(reference),
    asks: (reference) => asked.add(reference),
    needs: (path) => files.add(path),
  };
  for (const note of published.values()) notePage(site, note);
  for (const [reference, text] of await noteTexts([...asked], core, 'embedded parts of notes'))
    texts.set(reference, text);
  return writeSite({ core, site, folder, files }, options, pageFiles);
}

/** A note that could not be read may be one that should be published. */
async function nothingSelected({ store }: GraphCore): Promise<VaultgraphError> {
  const [unread] = await store.quarantine({ limit: 1, offset: 0 }, NEVER);
  if (unread === undefined)
    return refused('No note is selected. Give a note the property `publish: true`, or name a tag with --tag.');
  const all = `\`${commandLine('status')}\` lists what could not be read`;
  return refused(`No note that could be read is selected; ${all}, such as ${unread.path}: ${unread.reason}`);
}

interface CompleteSite {
  readonly core: GraphCore;
  readonly site: Site;
  readonly folder: string;
  /** What its pages need. */
  readonly files: ReadonlySet<string>;
}

/** After a failure a new folder is as it was: the next call would take a part of a site for the files of another program. */
async function writeSite(
  { core, site, folder, files }: CompleteSite,
  { force = false }: SiteOptions,
  pageFiles: PageFiles,
): Promise<SiteSummary> {
  const paths: string[] = [];
  const write: Write = async (name, content) => {
    paths.push(name);
    await writeInto(folder, name, content);
  };
  try {
    await write(STYLE_FILE, await pageFiles.read(STYLE_FILE));
    await write(INDEX_PAGE, indexPage(site));
    for (const note of site.published.values()) await write(note.page, notePage(site, note));
    const lacking = await copyFiles(core, write, [...files]);
    const textless = [...site.published.keys()].filter((path) => site.text(path) === undefined).length;
    const missing = lacking + textless;
    await removeLeftovers(paths.map((name) => fileOf(folder, name)));
    return { folder, notes: site.published.size, files: files.size - lacking, missing };
  } catch (thrown) {
    if (!force) await Promise.allSettled([removeWritten(folder, paths)]);
    throw thrown;
  }
}

async function removeWritten(folder: string, names: readonly string[]): Promise<void> {
  const folders = new Set<string>();
  for (const name of names) {
    const file = fileOf(folder, name);
    await rm(file, { force: true });
    for (let above = dirname(file); above.length > folder.length; above = dirname(above)) folders.add(above);
  }
  const deepestFirst = [...folders].sort((one, other) => other.length - one.length);
  for (const each of deepestFirst) await rmdir(each);
}

export interface SiteSummary {
  readonly folder: string;
  readonly notes: number;
  /** Images and other files of the vault. */
  readonly files: number;
  /** Notes and other files that could not be read. */
  readonly missing: number;
}

function refused(rule: string): VaultgraphError {
  return usageError({ command: 'export', rule, accepted: ACCEPTED });
}

const ACCEPTED = ['--format site', '--out', '--tag', '--force'];

/** An absolute path. The folder is empty or does not exist, unless the user wants to write over it. */
async function outputFolder({ config }: GraphCore, options: SiteOptions): Promise<string> {
  const { out, force = false } = options;
  if (out === undefined) throw refused('A site needs a folder: --out FOLDER.');
  const output = { command: 'export', path: out, isFolder: true, accepted: ACCEPTED };
  const folder = await outputPath(output, await knownVaults(options, config));
  const [listed] = await Promise.allSettled([readdir(folder)]);
  if (listed.status === 'rejected' && !isErrno(listed.reason, 'ENOENT')) throw writeFailure(listed.reason, folder);
  if (listed.status === 'fulfilled' && listed.value.length > 0 && !force)
    throw refused(`${out} is not empty. Use --force to write over its files; files of other names stay.`);
  return folder;
}

async function writeInto(folder: string, name: string, content: string | Uint8Array): Promise<void> {
  const file = fileOf(folder, name);
  try {
    makeFolder(dirname(file));
    await replaceFile(file, content, { isOneOfMany: true });
  } catch (thrown) {
    throw writeFailure(thrown, file);
  }
}

/** @param name with `/` */
const fileOf = (folder: string, name: string): string => join(folder, ...name.split('/'));

type Write = (name: string, content: string | Uint8Array) => Promise<void>;

/** @returns the number of files that could not be read, which are named on stderr */
async function copyFiles({ vault }: GraphCore, write: Write, paths: readonly string[]): Promise<number> {
  let missing = 0;
  for (const path of paths) {
    const { succeeded, failed } = await vault.read([path as NotePath], NEVER);
    for (const { error } of failed) report(`${oneLine(`${path} is not in the site: ${error.message}`)}\n`);
    missing += failed.length;
    for (const { result } of succeeded) await write(path, result.bytes);
  }
  return missing;
}

interface Site {
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

function notePage(site: Site, note: PublishedNote): string {
  const source = site.text(note.path);
  const body = source === undefined ? '' : renderedNote(site, note.path, note.page, source, note.title);
  const linked = note.linkedFrom.flatMap((path) => site.published.get(path) ?? []);
  const backlinks = linked.map((other) => `<li>${linkTo(note.page, other)}</li>`).join('');
  return htmlPage(site, note.page, note.title, [
    // A link to the heading that this one replaces leads here.
    `<h1${hasTitle(source, note) ? attributeText({ id: slugOf(note.title) }) : ''}>${escapeHtml(note.title)}</h1>`,
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

function indexPage(site: Site): string {
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

interface SitePage {
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
function siteOutlet(site: SitePage): Outlet {
  const { page, published, prefix } = site;
  const linkTo = (link: string): Attributes => {
    const { path, subpath } = targetOf(site, link);
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
    embed: (link, shown) => embedOf(site, link, shown, linkTo),
    checkbox: (mark) => `<input type="checkbox" disabled${mark.trim() === '' ? '' : ' checked'}>`,
    math: formula,
    code: (text, language) => `<pre><code>${highlighted(text, language) ?? escapeHtml(text)}</code></pre>\n`,
    html: bareTags,
  };
}

const fragment = (subpath: string): string => (subpath === '' ? '' : `#${encodeURIComponent(slugOf(subpath))}`);

function targetOf({ path, targets }: SitePage, link: string) {
  const hash = link.indexOf('#');
  const [name, subpath] = hash === -1 ? [link, ''] : [link.slice(0, hash), link.slice(hash)];
  if (hash === 0) return { path, subpath };
  return { path: (Object.hasOwn(targets, link) ? targets[link] : targets[name]) ?? undefined, subpath };
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

/** The address of a file of the site from a page of it. */
function relativeAddress(from: string, to: string): string {
  const up = '../'.repeat(from.split('/').length - 1);
  return up + to.split('/').map(encodeURIComponent).join('/');
}
