// The vault provider for a folder on this machine: its config, its limits and how it opens. Writes nothing.
import { homedir } from 'node:os';
import { basename, isAbsolute, join } from 'node:path';
import picomatch from 'picomatch';
import * as z from 'zod';
import { VaultgraphError } from '../../base/errors.ts';
import { nearestName } from '../../base/nearest.ts';
import { DIALECTS, foldersAbove } from '../../base/note.ts';
import { threadScript } from '../../base/threads/worker-threads.ts';
import type { Opened, Probe, Provider, ProviderContext } from '../../contracts/provider.ts';
import { EVERYTHING, type UnmatchedGlob, type Vault, type VaultConfig, type VaultView } from '../../contracts/vault.ts';
import { languageCode } from '../../markdown/dates/language-codes.ts';
import { FileThreadPool, type FileThreads } from './file-threads.ts';
import { createFolderVault, KeptContents, runTask } from './folder-vault.ts';
import { createExclusion } from './path-rules.ts';
import { brokenGlobRule, createView, isEverything, type ViewGlobs } from './view-globs.ts';

/** No timer of this thread ends an operation: it would count the time that this thread is busy. The file threads are watched instead. */
const LIMITS = {
  list: 'bounded',
  listSome: 'bounded',
  listAt: 'bounded',
  listAndRead: 'bounded',
  read: 'bounded',
  readKept: 'bounded',
  readSamples: 'bounded',
  readHashes: 'bounded',
  earlier: 'bounded',
  watch: 'bounded',
  settings: 'bounded',
} as const;
/** A file system that takes longer for one operation counts as hanging. Three files that hang end within half the limit of a call. */
const PATIENCE_MS = 5_000;
export const THREAD_SCRIPT = threadScript('file-thread', import.meta.url);

const expandHome = (path: string): string => (/^~(?=$|[\\/])/.test(path) ? join(homedir(), path.slice(1)) : path);

const NO_LANGUAGE = 'a language as Moment.js names it, such as fr, de, pt-br or zh-cn';

const glob = z
  .string()
  .min(1)
  .refine(
    (value) => !/^[!/]|\\|^[A-Za-z]:/.test(value),
    'a glob is relative to the vault, with `/` between folders, and not negated',
  );

/** In NFC, as paths are. */
const viewGlobs = z
  .array(
    z.string().transform((text, context) => {
      const glob = text.normalize('NFC');
      const rule = brokenGlobRule(glob);
      if (rule !== undefined) context.addIssue({ code: 'custom', message: rule, input: text });
      return glob;
    }),
  )
  .min(1)
  .default([...EVERYTHING]);

export const filesystemProvider: Provider<'vault', VaultConfig> = Object.freeze({
  capability: 'vault',
  type: 'filesystem',
  config: z.strictObject({
    path: z.string().min(1).transform(expandHome).refine(isAbsolute, 'the path of a folder, absolute or from `~`'),
    access: z.enum(['read-only', 'read-write']).default('read-only'),
    consent: z.enum(['argument', 'ask']).default('argument'),
    exclude: z.array(glob).default([]),
    read: viewGlobs,
    write: viewGlobs,
    config_folder: z
      .string()
      .regex(/^\.[^/\\]+$/, 'the name of a folder in the vault that begins with a dot, such as .obsidian-mac')
      .optional(),
    excluded_files: z.enum(['hide', 'show']).default('hide'),
    dialect: z.enum(['auto', ...DIALECTS]).default('auto'),
    guide: z
      .string()
      .min(1)
      .refine(
        (path) => !/^[/\\]|^[A-Za-z]:|(?:^|[/\\])\.\.?(?:[/\\]|$)/.test(path),
        'the path of a note, relative to the vault',
      )
      .optional(),
    language: z
      .string()
      .transform((written, context) => {
        const code = languageCode(written);
        if (code === undefined) context.addIssue({ code: 'custom', message: NO_LANGUAGE, input: written });
        return code ?? '';
      })
      .optional(),
  }),
  limits: () => LIMITS,
  open: async (config: VaultConfig, { vaultRoot }: ProviderContext) => openFilesystem(vaultRoot, config),
});

/** Does not touch the disk, so that a vault that hangs does not keep the server from starting. */
function openFilesystem(root: string, config: VaultConfig): Opened<Vault> {
  const { access, exclude, language, config_folder: configFolder, excluded_files, ...globs } = config;
  const { read, write } = globs;
  const hidesExcluded = excluded_files === 'hide';
  const openThreads = (max?: number): FileThreadPool =>
    new FileThreadPool(THREAD_SCRIPT, { root, exclude, read, write, configFolder, hidesExcluded }, PATIENCE_MS, max);
  const threads = openThreads();
  const everything = { root, exclude, read: EVERYTHING, write: EVERYTHING, hidesExcluded: false };
  const others = new FileThreadPool(THREAD_SCRIPT, everything, PATIENCE_MS, 1);
  const earlier = earlierOf(root, exclude, globs);
  const view = isEverything([...read, ...write]) ? undefined : viewOf(globs, others, earlier);
  const settingsStamps = new Set<string>();
  // Loaded with the first watch: the server starts without it.
  const watch: Vault['watch'] = async (onEvent, signal) => {
    const { watchFolder } = await import('./watching/watch-folder.ts');
    const folder = { root, exclude, read, write, threads, openExtraThread: () => openThreads(1) };
    return watchFolder({ ...folder, settingsStamps }, onEvent, signal);
  };
  const contents = new KeptContents();
  return Object.freeze({
    capability: createFolderVault(
      { name: basename(root), access, earlier, ...(language && { language }) },
      threads,
      watch,
      { ...(view && { view }), kept: contents, settingsStamps },
    ),
    probe: (signal: AbortSignal) => probeFolder(threads, `the folder answers, ${access}`, signal),
    release: async () => contents.clear(),
    close: async () => void (await Promise.all([threads.close(), others.close()])),
  });
}

/** Loaded with the first call: most servers never start git. */
function earlierOf(root: string, exclude: readonly string[], globs: ViewGlobs): Vault['earlier'] {
  return async (path, at, signal) => {
    const { createGitTexts } = await import('./git-texts.ts');
    return createGitTexts(root, createExclusion(exclude, createView(globs))).earlier(path, at, signal);
  };
}

/** @param threads that see the whole vault; none starts before it is needed */
function viewOf(
  { read, write }: ViewGlobs,
  threads: FileThreadPool,
  earlier: Vault['earlier'],
): NonNullable<Vault['view']> {
  const { shows, mayWrite } = createView({ read, write });
  const never: Vault['watch'] = async () => ({ close: async () => undefined });
  const all = createFolderVault({ name: '', access: 'read-only', earlier }, threads, never);
  const whole = isEverything(read) ? {} : { whole: all };
  const named = { 'vault.read': read, 'vault.write': write };
  const unmatched: NonNullable<Vault['view']>['unmatched'] = async (signal) => {
    const { files } = await all.list(signal);
    return unmatchedGlobs(
      named,
      files.map(({ path }) => path),
    );
  };
  return Object.freeze({ shows, mayWrite, ...whole, unmatched, globs: named });
}

/** @param detail what a working folder is reported as */
async function probeFolder(threads: FileThreads, detail: string, signal: AbortSignal): Promise<Probe> {
  try {
    await runTask(threads, { kind: 'probe' }, signal);
    return { ok: true, detail };
  } catch (thrown) {
    if (!(thrown instanceof VaultgraphError)) throw thrown;
    return { ok: false, detail: thrown.message };
  }
}

/** @param paths of all files, in the view or not */
export function unmatchedGlobs(globs: VaultView['globs'], paths: readonly string[]): readonly UnmatchedGlob[] {
  const folders = new Set(paths.flatMap(foldersAbove));
  return Object.entries(globs).flatMap(([key, list]) =>
    list.filter((glob) => !matchesAny(glob, paths)).map((glob) => ({ key, glob, ...meant(glob, folders) })),
  );
}

function matchesAny(glob: string, paths: readonly string[]): boolean {
  const { shows } = createView({ read: [glob], write: EVERYTHING });
  const isMatch = glob.startsWith('!') ? (path: string) => !shows(path) : shows;
  return glob === EVERYTHING[0] || paths.some(isMatch);
}

/** The glob with the name of an existing folder in place of its part without wildcards. */
function meant(glob: string, folders: ReadonlySet<string>): Pick<UnmatchedGlob, 'did_you_mean'> {
  const sign = glob.startsWith('!') ? '!' : '';
  const pattern = glob.slice(sign.length);
  const base = picomatch.scan(pattern).base.replace(/\/$/, '');
  const near = base === '' ? undefined : nearestName(base, folders);
  if (near === undefined) return {};
  return { did_you_mean: `${sign}${near}${pattern.slice(base.length).replace(/^\/?$/, '/**')}` };
}
