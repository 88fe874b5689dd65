// Finds the addresses of notes, by which links of other systems than Obsidian lead to them: pages of sites, aliases, titles and blocks of Logseq, and ids of a Zettelkasten.
import {
  currentDialect,
  type Dialect,
  fileKindOf,
  type NotePath,
  noteName,
  type ParsedNote,
  type Properties,
} from '../../base/note.ts';
import { foldName } from './fold.ts';
import { journalDay } from './page-names.ts';
import { folderOf, lastSegments, relativePath } from './path-spelling.ts';

/** A note by one of its addresses: a path without a `/` at its ends, and without an extension. */
export interface Addressed {
  readonly path: NotePath;
  readonly address: string;
}

type Named = Pick<ParsedNote, 'properties' | 'aliases' | 'blocks'>;

const SITES: readonly Dialect[] = ['hugo', 'jekyll', 'mkdocs', 'docusaurus', 'quarto', 'markdown'];

export const isSite = (): boolean => SITES.includes(currentDialect());

/** Whether links of the vault at hand lead to notes by addresses, too. */
export const hasAddresses = (): boolean => ['logseq', 'zettelkasten'].includes(currentDialect()) || isSite();

/** The last segment as links compare it; no name of a file has a `/`, so that it is none of their keys. */
export const addressKey = (address: string): string => foldName(`/${lastSegments(address, 1)}`);

/** Every address of a note. */
export function addressesOf(path: string, parsed: Named): readonly string[] {
  if (!hasAddresses() || fileKindOf(path) !== 'note') return [];
  const all = isSite() ? [...pageAddresses(path), ...writtenAddresses(path, parsed)] : otherNames(path, parsed);
  return [...new Set(all)];
}

function otherNames(path: string, parsed: Named): readonly string[] {
  return currentDialect() === 'logseq' ? namesInGraph(path, parsed) : idsOf(parsed);
}

// A Zettelkasten

/** Ids in the front matter, as times or in any other form. */
function idsOf({ properties: { id, uid } }: Named): readonly string[] {
  return [id, uid].flatMap((one) => (typeof one === 'number' || typeof one === 'string' ? [String(one).trim()] : []));
}

// Logseq

/** Each block that another one refers to has an id of its own. */
const BLOCK_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function namesInGraph(path: string, { properties: { title }, aliases, blocks }: Named): readonly string[] {
  const ids = blocks.flatMap(({ id }) => (BLOCK_ID.test(id) ? [id] : []));
  return [...aliases, ...(typeof title === 'string' && title !== '' ? [title] : []), ...daysOf(path), ...ids];
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The day of a page of the journal, and its title by the format with which Logseq begins. */
function daysOf(path: string): readonly string[] {
  const day = path.startsWith('journals/') ? journalDay(noteName(path)) : undefined;
  if (day === undefined) return [];
  const [year = '', month = '', written = ''] = day.split('-');
  const number = Number(written);
  const ending = number > 10 && number < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return [`${MONTHS[Number(month) - 1]} ${number}${ending}, ${year}`, day];
}

/** The address that a call may name a note by, where it is not among its names. */
export function addressNamed(name: string): string | undefined {
  if (currentDialect() === 'zettelkasten') return name;
  return journalDay(name) ?? (currentDialect() === 'logseq' && BLOCK_ID.test(name) ? name : undefined);
}

// Sites

const below = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

const INDEX = /^(?:_?index|readme)$/i;
const DATED = /(^|\/)(\d{4})-(\d\d)-(\d\d)[-/]([^/]+)$/;
/** The number that Docusaurus leaves out of an address; it keeps dates and versions. */
const NUMBER = /^(?!\d+[-_.]\d)\d+\s*[-_.]+\s*(?=[^-_.\s])/;
const LANGUAGE = /\.([a-z]{2}(?:-[a-z]{2,4})?)$/i;

/** The addresses that the path of a page gives it, first that of its kind. */
export function pageAddresses(path: string): readonly string[] {
  const folder = pageFolder(path);
  const [, language] = (currentDialect() === 'hugo' && LANGUAGE.exec(noteName(path))) || [];
  const name = segmentOf(language === undefined ? noteName(path) : noteName(path).replace(LANGUAGE, ''));
  const isIndex =
    INDEX.test(name) || (currentDialect() === 'docusaurus' && foldName(name) === foldName(lastSegments(folder, 1)));
  const address = isIndex ? folder : below(folder, name);
  if (language !== undefined) return [below(language, address)];
  const dialect = currentDialect();
  if (!DATED.test(address) || (dialect !== 'jekyll' && dialect !== 'docusaurus')) return [address];
  // Where the configuration of the site has no days in addresses.
  const plain = dialect === 'jekyll' ? [address.replace(DATED, '$1$5')] : [];
  return [address.replace(DATED, '$1$2/$3/$4/$5'), address, ...plain];
}

/** The folder of a file as it is in addresses. */
export function pageFolder(path: string): string {
  const dialect = currentDialect();
  const folder = folderOf(path);
  const inSite = dialect === 'jekyll' ? folder.replace(/(?:^|\/)_posts(?=\/|$)/, '') : folder;
  const address = inSite
    .split('/')
    .map(segmentOf)
    .filter((segment) => segment !== '')
    .join('/');
  if (dialect === 'hugo') return address.replace(/^content(?:\/|$)/, '');
  return dialect === 'mkdocs' ? address.replace(/^docs(?:\/|$)/, '') : address;
}

/** The folders of a site whose files have an address without them. */
const PUBLISHED: { readonly [dialect in Dialect]?: RegExp } = {
  hugo: /^(?:.*?\/)?(?:static|content|assets)\//,
  docusaurus: /^(?:.*?\/)?(?:static|docs|blog)\//,
  mkdocs: /^(?:.*?\/)?docs\//,
  quarto: /^$/,
  markdown: /^(?:.*?\/)?(?:docs|src|public)\//,
  jekyll: /^(?:.*?\/)?_includes\//,
};

/** A whole file as a link with a leading `/` names it; undefined where it is the path itself. */
export function publishedPath(path: string): string | undefined {
  const folders = PUBLISHED[currentDialect()];
  return folders?.test(path) ? path.replace(folders, '/') : undefined;
}

/** The folder of the site, as Docusaurus writes it, or VitePress where it includes a file; of the content, as Zola does. */
const SITE_ALIASES: { readonly [dialect in Dialect]?: RegExp } = {
  docusaurus: /^@site\//,
  markdown: /^@\//,
  hugo: /^@\//,
};

/** Without what only the program of the site reads. */
export function withoutSiteAlias(path: string): string {
  const alias = path.startsWith('@') ? SITE_ALIASES[currentDialect()] : undefined;
  return alias === undefined ? path : path.replace(alias, '/');
}

function segmentOf(segment: string): string {
  switch (currentDialect()) {
    case 'hugo':
      return urlOf(segment);
    case 'docusaurus':
      return segment.replace(NUMBER, '');
    case 'jekyll':
      return segment.replace(/^_/, '');
    default:
      return segment;
  }
}

/** Properties with whole addresses, and with the last segment of one. */
const WHOLE: { readonly [dialect in Dialect]?: readonly string[] } = {
  hugo: ['url', 'aliases'],
  jekyll: ['permalink', 'redirect_from'],
  docusaurus: ['slug'],
  quarto: ['aliases'],
  markdown: ['permalink'],
};
const LAST: { readonly [dialect in Dialect]?: readonly string[] } = {
  hugo: ['slug'],
  docusaurus: ['id'],
  jekyll: ['slug'],
  markdown: ['slug'],
};

const POST = /(?:^|\/)(?:blog\/|\d{4}\/\d\d\/\d\d\/)/;

/** The address of a post of Jekyll below its categories, as it is without a configuration. */
function categoryAddresses(own: string, { categories, category }: Properties): readonly string[] {
  if (currentDialect() !== 'jekyll' || !POST.test(own)) return [];
  const names = [categories ?? category ?? []].flat().filter((name) => typeof name === 'string');
  const folders = names.flatMap((name) => (names.length === 1 ? name.split(/\s+/) : [name])).filter(Boolean);
  return folders.length === 0 ? [] : [below(folders.join('/').toLowerCase(), own)];
}

/** The addresses that the front matter of a page gives it. */
function writtenAddresses(path: string, { properties }: Named): string[] {
  const textsOf = (names: readonly string[] = []): string[] =>
    names
      .flatMap((name) => properties[name] ?? [])
      .filter((one) => typeof one === 'string' && !one.includes(':')) as string[];
  const [own = ''] = pageAddresses(path);
  const above = folderOf(own);
  // The slug of a post has no day above it.
  const isPost = currentDialect() === 'docusaurus' && POST.test(own);
  const whole = textsOf(WHOLE[currentDialect()]).map((address) =>
    address.startsWith('/') || isPost ? joined(siteFolder(path), address) : joined(above, address),
  );
  const named = textsOf(LAST[currentDialect()]).map((name) => joined(above, name));
  return [...whole, ...named, ...categoryAddresses(own, properties)].flatMap((address) =>
    address === undefined ? [] : [withoutEnding(address)],
  );
}

/** The folder of what Docusaurus publishes as a whole, below which an absolute slug is. */
function siteFolder(path: string): string {
  if (currentDialect() !== 'docusaurus') return '';
  return /^(?:.*?\/)?(?:docs|blog)(?=\/)/.exec(path)?.[0] ?? path.slice(0, Math.max(path.indexOf('/'), 0));
}

/** Whether a link leads to a page by an address that its front matter gives it below its folder, and the move to another one takes away. */
export function losesAddress(
  link: string,
  source: string,
  [from, to]: readonly [string, string],
  parsed: Named,
): boolean {
  const addresses = addressesOf(to, parsed).map(foldName);
  const lost = writtenAddresses(from, parsed).map(foldName);
  const isMeant = (all: readonly string[]): boolean =>
    addressesMeant(link, source).some(({ address, isWhole }) =>
      all.some((one) => one === foldName(address) || (!isWhole && one.endsWith(`/${foldName(address)}`))),
    );
  return isSite() && isMeant(lost) && !isMeant(addresses);
}

/** The addresses that a link can mean, most likely first; one that is not whole is the end of an address. */
export function addressesMeant(
  link: string,
  source: string,
): readonly { readonly address: string; readonly isWhole: boolean }[] {
  if (!isSite()) return [link, journalDay(link) ?? link].map((address) => ({ address, isWhole: true }));
  const bare = withoutEnding(link);
  const end = { address: withoutEdges(bare), isWhole: false };
  if (link.startsWith('/')) return [end];
  const relative = linkFolders(source).flatMap((folder) => {
    const address = joined(folder, bare);
    return address === undefined ? [] : [{ address, isWhole: true }];
  });
  return isDotted(bare) ? relative : [...relative, end];
}

const isDotted = (path: string): boolean => /^\.{1,2}(?:\/|$)/.test(path);

/** From which relative links of a page are read: its own address, as browsers do, and its folder, as links to files are. */
function linkFolders(source: string): readonly string[] {
  const both = [pageAddresses(source)[0] ?? '', pageFolder(source)];
  const isFolder = currentDialect() === 'hugo' || currentDialect() === 'mkdocs';
  return isFolder ? both : both.reverse();
}

/** The page with the link and the one it leads to, each after and before a move. */
export interface MovedPages {
  readonly source: readonly [after: NotePath, before: NotePath];
  readonly target: readonly [after: NotePath, before: NotePath];
}

/** A relative link by an address as it must be after the move; undefined for another link. */
export const relativeAddress = (address: string, pages: MovedPages): string | undefined =>
  relativeSpellings(address, pages)[0];

/** First from the folder from which the link was read. */
function relativeSpellings(written: string, { source, target }: MovedPages): readonly string[] {
  const bare = withoutEnding(written);
  if (written.startsWith('/')) return [];
  const addresses = pageAddresses(target[1]).map(foldName);
  const at = linkFolders(source[1]).findIndex((folder) => {
    const address = joined(folder, bare);
    return address !== undefined && addresses.includes(foldName(address));
  });
  if (at === -1) return [];
  const [first = '', second = ''] = linkFolders(source[0]);
  return (at === 0 ? [first, second] : [second, first]).map((folder) => relativeTo(folder, written, target[0]));
}

/** Also of the page that is the folder itself, or one above it. */
function relativeTo(folder: string, written: string, target: NotePath): string {
  const [address = ''] = pageAddresses(target);
  const path = relativePath(folder, address === '' ? '_' : `${address}/_`).replace(/\/?_$/, '') || '.';
  return (written.startsWith('./') && !isDotted(path) ? './' : '') + path + endingOf(written);
}

/** The links that lead to the moved page in the form of an earlier one by an address, the closest first. */
export function addressSpellings(written: string, pages: MovedPages): readonly string[] {
  const file = publishedPath(pages.target[1]);
  const plain = withoutSiteAlias(written);
  const alias = written.slice(0, written.length - plain.length);
  if (file !== undefined && foldName(file) === foldName(plain)) return [alias + (publishedPath(pages.target[0]) ?? '')];
  const relative = relativeSpellings(written, pages);
  if (relative.length > 0 || isDotted(written)) return relative;
  const bare = withoutEdges(withoutEnding(written));
  const old = pageAddresses(pages.target[1]);
  const whole = old.findIndex((address) => foldName(address) === foldName(bare));
  const at = whole === -1 ? old.findIndex((address) => foldName(address).endsWith(foldName(`/${bare}`))) : whole;
  const addresses = pageAddresses(pages.target[0]);
  const address = addresses[at] ?? addresses[0] ?? '';
  const left = (old[at] ?? '').slice(0, -bare.length);
  const short = left !== '' && address.startsWith(left) ? [address.slice(left.length)] : [];
  const slash = written.startsWith('/') ? '/' : '';
  return [...short, address].map((path) => slash + path + endingOf(written));
}

const endingOf = (address: string): string => /(?:\/index)?\.html?$|\/$/i.exec(address)?.[0] ?? '';

const withoutEdges = (path: string): string => path.replace(/^\/+/, '');

/** A path of a link or of front matter, as an address is written. */
export function withoutEnding(address: string): string {
  const path = address.replace(/(?:(?:^|\/)index)?\.html?$/i, '').replace(/\/+$/, '');
  return currentDialect() === 'hugo' ? urlOf(path) : path;
}

/** The address that Hugo makes of a path. */
const urlOf = (path: string): string => path.toLowerCase().replace(/\s+/g, '-');

/** Both may be empty, and the second may begin with dots; undefined if it leads above the top. */
function joined(folder: string, path: string): string | undefined {
  const segments = folder === '' ? [] : folder.split('/');
  for (const segment of path.split('/')) {
    if (segment === '..' && segments.pop() === undefined) return undefined;
    if (segment !== '..' && segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}
