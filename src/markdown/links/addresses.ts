// Finds the addresses of notes, by which links of other systems than Obsidian lead to them: pages of sites, and aliases, titles and blocks of Logseq.
import { currentDialect, type Dialect, fileKindOf, type NotePath, noteName, type ParsedNote } from '../../base/note.ts';
import { foldName } from './fold.ts';
import { folderOf, lastSegments } from './path-spelling.ts';

/** A note by one of its addresses: a path without a `/` at its ends, and without an extension. */
export interface Addressed {
  readonly path: NotePath;
  readonly address: string;
}

type Named = Pick<ParsedNote, 'properties' | 'aliases' | 'blocks'>;

const SITES: readonly Dialect[] = [];

export const isSite = (): boolean => SITES.includes(currentDialect());

/** Whether links of the vault at hand lead to notes by addresses, too. */
export const hasAddresses = (): boolean => currentDialect() === 'logseq' || isSite();

/** The last segment as links compare it; no name of a file has a `/`, so that it is none of their keys. */
export const addressKey = (address: string): string => foldName(`/${lastSegments(address, 1)}`);

/** Every address of a note. */
export function addressesOf(path: string, parsed: Named): readonly string[] {
  if (!hasAddresses() || fileKindOf(path) !== 'note') return [];
  const all = isSite() ? [...pageAddresses(path), ...writtenAddresses(path, parsed)] : namesInGraph(path, parsed);
  return [...new Set(all)];
}

// Logseq

/** Each block that another one refers to has an id of its own. */
const BLOCK_ID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;

function namesInGraph(path: string, { properties: { title }, aliases, blocks }: Named): readonly string[] {
  const ids = blocks.flatMap(({ id }) => (BLOCK_ID.test(id) ? [id] : []));
  return [...aliases, ...(typeof title === 'string' && title !== '' ? [title] : []), ...daysOf(path), ...ids];
}

const JOURNAL = /^journals\/(\d{4})_(\d\d)_(\d\d)\.\w+$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The title of a page of the journal, by the format with which Logseq begins. */
function daysOf(path: string): readonly string[] {
  const [, year, month = '', written = ''] = JOURNAL.exec(path) ?? [];
  const name = MONTHS[Number(month) - 1];
  if (name === undefined) return [];
  const day = Number(written);
  const ending = day > 10 && day < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return [`${name} ${day}${ending}, ${year}`, `${year}-${month}-${written}`];
}

// Sites

const INDEX = /^(?:_?index|readme)$/i;
const DATED = /(^|\/)(\d{4})-(\d\d)-(\d\d)[-/]([^/]+)$/;
/** As Docusaurus leaves it out, which keeps dates and versions. */
const NUMBER = /^(?!\d+[-_.]\d)\d+\s*[-_.]+\s*(?=[^-_.\s])/;
const LANGUAGE = /\.([a-z]{2}(?:-[a-z]{2,4})?)$/i;

/** The addresses that the path of a page gives it, first that of its kind. */
export function pageAddresses(path: string): readonly string[] {
  const folder = pageFolder(path);
  const [, language] = (currentDialect() === 'hugo' && LANGUAGE.exec(noteName(path))) || [];
  const name = segmentOf(language === undefined ? noteName(path) : noteName(path).replace(LANGUAGE, ''));
  const isIndex =
    INDEX.test(name) || (currentDialect() === 'docusaurus' && foldName(name) === foldName(lastSegments(folder, 1)));
  const address = isIndex ? folder : joined(folder, name);
  if (language !== undefined) return [joined(language, address)];
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
  const address = joined('', inSite.split('/').map(segmentOf).join('/'));
  if (dialect === 'hugo') return address.replace(/^content(?:\/|$)/, '');
  return dialect === 'mkdocs' ? address.replace(/^docs(?:\/|$)/, '') : address;
}

function segmentOf(segment: string): string {
  switch (currentDialect()) {
    case 'hugo':
      return segment.replace(/\s+/g, '-');
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
};
const LAST: { readonly [dialect in Dialect]?: readonly string[] } = {
  hugo: ['slug'],
  docusaurus: ['id'],
  jekyll: ['slug'],
};

/** The addresses that the front matter of a page gives it. */
function writtenAddresses(path: string, { properties }: Named): string[] {
  const textsOf = (names: readonly string[] = []): string[] =>
    names
      .flatMap((name) => properties[name] ?? [])
      .filter((one) => typeof one === 'string' && !one.includes(':')) as string[];
  const [address = ''] = pageAddresses(path);
  const above = folderOf(address);
  const whole = textsOf(WHOLE[currentDialect()]).map((written) =>
    written.startsWith('/') ? joined(siteFolder(path), written.slice(1)) : joined(above, written),
  );
  return [...whole, ...textsOf(LAST[currentDialect()]).map((name) => joined(above, name))].map(withoutEnding);
}

/** The folder of what Docusaurus publishes as a whole, below which an absolute slug is. */
function siteFolder(path: string): string {
  if (currentDialect() !== 'docusaurus') return '';
  return /^(?:.*?\/)?(?:docs|blog)(?=\/)/.exec(path)?.[0] ?? path.slice(0, Math.max(path.indexOf('/'), 0));
}

/** The addresses that a link can mean, most likely first; one that is not whole is the end of an address. */
export function addressesMeant(
  link: string,
  source: string,
): readonly { readonly address: string; readonly isWhole: boolean }[] {
  if (!isSite()) return [{ address: link, isWhole: true }];
  const written = withoutEnding(link);
  if (link.startsWith('/')) return [{ address: joined('', written), isWhole: false }];
  const relative = linkFolders(source).map((folder) => ({ address: joined(folder, written), isWhole: true }));
  return written.startsWith('.') ? relative : [...relative, { address: written, isWhole: false }];
}

/** From which relative links of a page are read: its folder, as its file is, and its own address, as browsers do. */
export const linkFolders = (source: string): readonly string[] => [pageFolder(source), pageAddresses(source)[0] ?? ''];

/** A path of a link or of front matter, as an address is written. */
export function withoutEnding(written: string): string {
  return written.replace(/(?:(?:^|\/)index)?\.html?$/i, '').replace(/\/+$/, '');
}

/** Both may be empty, and the second may begin with dots; undefined parts above the top are left out. */
export function joined(folder: string, path: string): string {
  const segments = folder === '' ? [] : folder.split('/');
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '.' && segment !== '') segments.push(segment);
  }
  return segments.join('/');
}
