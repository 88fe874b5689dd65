// Replaces files atomically: a reader sees the old content or the new content, never part of it.
import { randomBytes } from 'node:crypto';
import { constants, createWriteStream, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { copyFile, link, open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { errnoOrRethrow, isErrno } from './errno.ts';
import { renamePatiently, renamePatientlySync } from './system/rename.ts';
import { ownRules } from './system/system-rules.ts';

export interface ReplaceOptions {
  /** Permissions of the new file, before the umask; by default 0o666. */
  readonly mode?: number;
  /** Flushes the content to disk before the file is put in place, and then its name. */
  readonly flush?: boolean;
  /** Refuses a file that exists, also one that another program makes meanwhile, with EEXIST. */
  readonly isNew?: boolean;
  /** The folder has many files: what earlier failures left in it is for `removeLeftovers`, called once for all of them. */
  readonly isOneOfMany?: boolean;
  /** Puts the complete temporary file in place; by default it is renamed. */
  readonly commit?: (temporary: string) => void | Promise<void>;
}

/** Writes a temporary file in the same folder, and then puts it in place. The temporary file is removed on every failure, as far as the disk lets it. */
export async function replaceFile(
  file: string,
  content: string | Uint8Array | AsyncIterable<string>,
  { mode = 0o666, flush = false, isNew = false, isOneOfMany = false, commit }: ReplaceOptions = {},
): Promise<void> {
  const temporary = temporaryName(file);
  if (!isOneOfMany) await removeLeftovers([file]);
  try {
    const chunks = typeof content === 'string' || content instanceof Uint8Array ? [content] : content;
    await pipeline(chunks, createWriteStream(temporary, { flags: 'wx', mode, flush }));
    if (commit !== undefined) await commit(temporary);
    else await (isNew ? giveName(temporary, file) : renamePatiently(temporary, file));
  } finally {
    await removed(temporary);
  }
  if (flush) await flushFolder(dirname(file));
}

/** How a file system without hard links refuses one. */
export const NO_LINKS = ['EACCES', 'EISDIR', 'EMLINK', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EPERM', 'EXDEV'];

/** Unlike a rename, this fails if the file exists. */
async function giveName(temporary: string, file: string): Promise<void> {
  try {
    await link(temporary, file);
  } catch (thrown) {
    if (isErrno(thrown, ...NO_LINKS)) return copyFile(temporary, file, constants.COPYFILE_EXCL);
    // A disk that loses its reply has made the link all the same.
    await unlessRefused(async () => {
      if ((await stat(file)).ino === (await stat(temporary)).ino) await rm(file);
    });
    throw thrown;
  }
}

/** What failed or succeeded before stays so, even if the disk refuses this. */
async function unlessRefused(work: () => Promise<unknown>): Promise<void> {
  const [outcome] = await Promise.allSettled([work()]);
  if (outcome.status === 'rejected') errnoOrRethrow(outcome.reason);
}

const removed = (file: string): Promise<void> => unlessRefused(() => rm(file, { force: true }));

/** Without it a power loss may take a new name away, or bring one back that was removed. Does what the disk lets it do. */
export async function flushFolder(folder: string): Promise<void> {
  if (!ownRules().canSyncFolders) return;
  await unlessRefused(async () => {
    const handle = await open(folder);
    await handle.sync().finally(() => handle.close());
  });
}

/** Flushes the files in a folder and in those below it, and their names. @throws system errors */
export async function flushTree(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await flushTree(path);
    else await flushFile(path);
  }
  await flushFolder(folder);
}

async function flushFile(file: string): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.sync().finally(() => handle.close());
}

/** Another process may be about to rename its temporary file; none takes so long. */
const LEFT_MS = 60_000;

/** Removes the temporary files of these files, of a process that was killed or whose disk refused to remove them. */
export async function removeLeftovers(files: readonly string[]): Promise<void> {
  const byFolder = Map.groupBy(files, dirname);
  for (const [folder, inFolder] of byFolder) {
    const names = new Set(inFolder.map((file) => basename(file)));
    await unlessRefused(() => removeLeftoversIn(folder, names));
  }
}

async function removeLeftoversIn(folder: string, names: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!names.has(nameFor(name) ?? '')) continue;
    const path = join(folder, name);
    if (Date.now() - (await stat(path)).mtimeMs > LEFT_MS) await removed(path);
  }
}

/** Does what `replaceFile` does, for a process that cannot wait. */
export function replaceFileSync(file: string, content: string, mode = 0o666): void {
  const temporary = temporaryName(file);
  removeLeftoversSync(file);
  try {
    writeFileSync(temporary, content, { flag: 'wx', mode });
    renamePatientlySync(temporary, file);
  } finally {
    removeQuietlySync(temporary);
  }
}

/** The same, where a file that exists is refused and nothing is written. */
export function removeLeftoversSync(file: string): void {
  const folder = dirname(file);
  try {
    for (const name of readdirSync(folder).filter((name) => nameFor(name) === basename(file)))
      if (Date.now() - statSync(join(folder, name)).mtimeMs > LEFT_MS) rmSync(join(folder, name), { force: true });
  } catch (thrown) {
    errnoOrRethrow(thrown);
  }
}

function removeQuietlySync(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch (thrown) {
    errnoOrRethrow(thrown);
  }
}

const TEMPORARY = /\.[0-9a-f]{12}\.tmp$/;

/** The name of the file that a temporary one is for; undefined for any other. */
const nameFor = (temporary: string): string | undefined =>
  TEMPORARY.test(temporary) ? temporary.replace(TEMPORARY, '') : undefined;

const temporaryName = (file: string): string => `${file}.${randomBytes(6).toString('hex')}.tmp`;
