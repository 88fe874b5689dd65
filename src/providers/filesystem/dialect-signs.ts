// Recognizes by what a folder holds for which system its notes are written.
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withLimit } from '../../base/async/limits.ts';
import { NEVER } from '../../base/async/waits.ts';
import { VaultgraphError } from '../../base/errors.ts';
import type { Dialect } from '../../base/note.ts';
import { extensionOf } from '../../base/note.ts';

export interface Recognized {
  readonly dialect: Dialect;
  /** For people: what shows it. */
  readonly because: string;
}

/** A disk that does not answer must not hold up the start. */
const MAX_LOOK_MS = 1_000;
const MAX_ENTRIES = 2_000;
const MAX_FOLDERS = 200;
const MAX_READ_NOTES = 24;
const HEAD_BYTES = 2_048;

const NOTHING: Recognized = { dialect: 'obsidian', because: 'nothing in the folder shows another system' };

/**
 * What is not certain counts as Obsidian. A folder with settings of Obsidian always does.
 * @param root absolute
 */
export async function recognizeDialect(root: string): Promise<Recognized> {
  const late = new VaultgraphError('VAULT_UNAVAILABLE', { errno: 'ETIMEDOUT' });
  const [outcome] = await Promise.allSettled([
    withLimit(
      MAX_LOOK_MS,
      () => late,
      NEVER,
      () => look(root),
    ),
  ]);
  if (outcome.status === 'fulfilled') return outcome.value;
  return { dialect: 'obsidian', because: 'the folder could not be looked at' };
}

async function look(root: string): Promise<Recognized> {
  const names = new Map((await readdir(root, { withFileTypes: true })).map((one) => [one.name, one.isDirectory()]));
  const settings = [...names].find(([name, isFolder]) => isFolder && /^\.obsidian(?:$|[-._])/.test(name))?.[0];
  if (settings !== undefined) return { dialect: 'obsidian', because: `the folder ${settings}` };
  return bySetup(names) ?? (await bySetupWithin(root, names)) ?? (await byFiles(root)) ?? NOTHING;
}

type Names = ReadonlyMap<string, boolean>;

const SETUP_FILES: readonly (readonly [Dialect, RegExp])[] = [
  ['hugo', /^hugo\.(?:toml|ya?ml|json)$/],
  ['docusaurus', /^docusaurus\.config\.[cm]?[jt]s$/],
  ['mkdocs', /^mkdocs\.ya?ml$/],
  ['quarto', /^_quarto\.ya?ml$/],
  ['dendron', /^dendron\.(?:yml|code-workspace)$/],
  ['jekyll', /^(?:\.eleventy\.c?js|eleventy\.config\.[cm]?[jt]s)$/],
  ['zettelkasten', /^\.ztr-directory$/],
  ['markdown', /^(?:\.(?:vite|vue)press|\.foam|\.gitbook(?:\.ya?ml)?|book\.toml|astro\.config\.[cm]?[jt]s)$/],
];

/** Other tools have files of these names too, so a second sign is required. */
const SETUP_PAIRS: readonly (readonly [Dialect, RegExp, RegExp])[] = [
  ['jekyll', /^_config\.(?:ya?ml|toml)$/, /^(?:_posts|_layouts|_includes|_drafts|_sass|_site|Gemfile|scaffolds)$/],
  ['hugo', /^(?:config\.(?:toml|ya?ml)|config)$/, /^(?:archetypes|themes)$/],
  ['logseq', /^logseq$/, /^(?:pages|journals)$/],
  ['markdown', /^SUMMARY\.md$/, /^book\.js(?:on)?$/],
  ['wiki', /^Home\.(?:md|markdown)$/, /^_(?:Sidebar|Footer|Header)\.(?:md|markdown)$/],
];

/** By the files with which a system is set up, in the folder itself. */
function bySetup(names: Names): Recognized | undefined {
  const all = [...names.keys()];
  for (const [dialect, sign] of SETUP_FILES) {
    const name = all.find((each) => sign.test(each));
    if (name !== undefined) return { dialect, because: `the ${names.get(name) ? 'folder' : 'file'} ${name}` };
  }
  for (const [dialect, ...signs] of SETUP_PAIRS) {
    const [one, other] = signs.map((sign) => all.find((each) => sign.test(each)));
    if (one !== undefined && other !== undefined) return { dialect, because: `${one} and ${other}` };
  }
  return undefined;
}

const SETTINGS_OF_SITE: ReadonlySet<string> = new Set(['.vitepress', '.vuepress']);
const SETTINGS_OF_EDITOR = ['settings.json', 'extensions.json'];

/** VitePress and VuePress have their settings in the folder of the pages, and Foam in those of the editor. */
async function bySetupWithin(root: string, names: Names): Promise<Recognized | undefined> {
  for (const folder of ['docs', 'src'].filter((name) => names.get(name) === true)) {
    const [listed] = await Promise.allSettled([readdir(join(root, folder))]);
    const settings =
      listed.status === 'fulfilled' ? listed.value.find((name) => SETTINGS_OF_SITE.has(name)) : undefined;
    if (settings !== undefined) return { dialect: 'markdown', because: `the folder ${folder}/${settings}` };
  }
  for (const file of names.get('.vscode') === true ? SETTINGS_OF_EDITOR : []) {
    const [head] = await Promise.allSettled([headOf(join(root, '.vscode', file))]);
    if (head.status === 'fulfilled' && /"foam\.(?:foam-vscode"|\w+[."])/.test(head.value))
      return { dialect: 'markdown', because: `settings of Foam in .vscode/${file}` };
  }
  return undefined;
}

/** A daily note as Roam names it, and no other system by itself. */
const ROAM_DAY =
  /(?:^|\/)(?:January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}(?:st|nd|rd|th), \d{4}\.md$/;

/** By the names of a part of its files, and by how some notes begin. */
async function byFiles(root: string): Promise<Recognized | undefined> {
  const files = await someFiles(root);
  const withExtension = (...extensions: string[]) =>
    files.filter((path) => extensions.includes(extensionOf(path).toLowerCase()));
  const notes = withExtension('md', 'markdown', 'mdx', 'qmd', 'rmd', 'mdown', 'mkd');
  if (notes.some((path) => /(?:^|\/)_posts\/(?:.*\/)?\d{4}-\d\d-\d\d-[^/]+$/.test(path)))
    return { dialect: 'jekyll', because: 'dated notes in _posts' };
  if (
    notes.some((path) => /^journals\/\d{4}_\d\d_\d\d\.md$/.test(path)) &&
    notes.some((path) => path.startsWith('pages/'))
  )
    return { dialect: 'logseq', because: 'the folders pages and journals' };
  const days = notes.filter((path) => ROAM_DAY.test(path));
  if (days.length >= 3) return { dialect: 'roam', because: `daily notes such as ${days[0]}` };
  if (withExtension('qmd', 'rmd').length > 0) return { dialect: 'quarto', because: 'notes that end in .qmd or .Rmd' };
  const rootNote = await signOfDendron(root, notes);
  if (rootNote !== undefined) return { dialect: 'dendron', because: rootNote };
  const ofHugo = await signOfHugo(root, notes);
  if (ofHugo !== undefined) return { dialect: 'hugo', because: ofHugo };
  const dated = [...notes, ...withExtension('txt')].filter((path) => /(?:^|\/)\d{12}(?:\d\d)?(?!\d)[^/]*$/.test(path));
  if (dated.length >= 3 && dated.length * 2 > notes.length)
    return { dialect: 'zettelkasten', because: 'notes whose names begin with a time of 12 or 14 digits' };
  if (notes.length > withExtension('md').length)
    return { dialect: 'markdown', because: 'notes that end in .markdown, .mdx or the like' };
  if (notes.length === 0 && withExtension('txt').length * 2 > files.length)
    return { dialect: 'text', because: 'texts that end in .txt, and no Markdown' };
  return undefined;
}

/** Paths of files, outer ones first and in the order of their names, without hidden ones. */
async function someFiles(root: string): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [''];
  for (let at = 0; at < Math.min(folders.length, MAX_FOLDERS) && files.length < MAX_ENTRIES; at += 1) {
    const folder = folders[at] as string;
    const [listed] = await Promise.allSettled([readdir(join(root, folder), { withFileTypes: true })]);
    // A folder that cannot be listed shows nothing; the listing of the vault reports it.
    const entries = listed.status === 'fulfilled' ? listed.value : [];
    for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push(path);
    }
  }
  return files;
}

const TOML = /^\uFEFF?\+\+\+[ \t]*\r?\n(?:.*\n)*?[ \t]*[\w"'.-]+[ \t]*=/;
/** Front matter in YAML or JSON with a property that Hugo has for a section; in other folders such a file may begin otherwise. */
const OF_SECTION =
  /^\uFEFF?(?:---[ \t]*\r?\n|\{(?=\s{0,100}"))(?:(?!---).*\n)*?\s{0,100}\{?"?(?:title|linkTitle|weight|cascade|menu|layout|draft)"?[ \t]*:/;

/** In section pages, and of TOML also in the first notes. */
async function signOfHugo(root: string, notes: readonly string[]): Promise<string | undefined> {
  const isSection = (path: string): boolean => /(?:^|\/)_index(?:\.[\w-]+)?\.\w+$/.test(path);
  const sections = notes.filter(isSection);
  for (const path of [...sections, ...notes].slice(0, MAX_READ_NOTES)) {
    const [head] = await Promise.allSettled([headOf(join(root, path))]);
    if (head.status === 'rejected') continue;
    if (TOML.test(head.value)) return 'notes that begin with TOML between +++';
    if (isSection(path) && OF_SECTION.test(head.value)) return `the section page ${path}`;
  }
  return undefined;
}

/** Each vault of Dendron has this note, with properties that Dendron writes. */
async function signOfDendron(root: string, notes: readonly string[]): Promise<string | undefined> {
  for (const path of notes.filter((one) => /(?:^|\/)root\.md$/.test(one)).slice(0, MAX_READ_NOTES)) {
    const [head] = await Promise.allSettled([headOf(join(root, path))]);
    const isOwn = (name: string): boolean =>
      head.status === 'fulfilled' && new RegExp(`^${name}:`, 'm').test(head.value);
    if (['id', 'title', 'desc', 'updated', 'created'].every(isOwn)) return `the properties of ${path}`;
  }
  return undefined;
}

async function headOf(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}
