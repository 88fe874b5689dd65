// `vaultgraph export --format site`: writes a folder of pages for the notes that the user wants to publish.

import { readdir, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { replaceFile } from '../../../base/atomic-write.ts';
import { isErrno } from '../../../base/errno.ts';
import { toVaultgraphError, VaultgraphError } from '../../../base/errors.ts';
import { makeFolder } from '../../../base/make-folder.ts';
import type { NotePath } from '../../../base/note.ts';
import { liesInside } from '../../../base/real-path.ts';
import { NEVER } from '../../../base/until-aborted.ts';
import type { GraphCore } from '../../../core/graph-core.ts';
import { report } from '../../output.ts';
import { usageError } from '../../usage.ts';
import type { PageFiles } from '../../view/page-files.ts';
import { noteTexts } from '../note-texts.ts';
import { INDEX_PAGE, type PublishableNote, publishedNotes, STYLE_FILE } from './published.ts';
import { indexPage, notePage, type Site } from './site-page.ts';

export interface SiteOptions {
  readonly out?: string;
  readonly tag?: readonly string[];
  readonly force?: boolean;
}

/** @returns how much was written. @throws INVALID_INPUT, FILE_WRITE_FAILED */
export async function exportSite(core: GraphCore, options: SiteOptions, pageFiles: PageFiles): Promise<SiteSummary> {
  const folder = await outputFolder(core, options);
  const notes = core.exportedNotes(NEVER) as AsyncIterable<unknown> as AsyncIterable<PublishableNote>;
  const published = await publishedNotes(notes, options.tag ?? []);
  if (published.size === 0)
    throw refused('No note is selected. Give a note the property `publish: true`, or name a tag with --tag.');
  const files = new Set<string>();
  const texts = new Map(await noteTexts([...published.keys()], core));
  const asked = new Set<string>();
  const site: Site = {
    ...{ name: core.config.name ?? core.vault.name, published },
    text: (reference) => texts.get(reference),
    asks: (reference) => asked.add(reference),
    needs: (path) => files.add(path),
  };
  for (const note of published.values()) notePage(site, note);
  for (const [reference, text] of await noteTexts([...asked], core, 'embedded parts of notes'))
    texts.set(reference, text);
  await write(folder, STYLE_FILE, await pageFiles.read(STYLE_FILE));
  await write(folder, INDEX_PAGE, indexPage(site));
  for (const note of published.values()) await write(folder, note.page, notePage(site, note));
  const missing = await copyFiles(core, folder, [...files]);
  return { folder, notes: published.size, files: files.size - missing, missing };
}

export interface SiteSummary {
  readonly folder: string;
  readonly notes: number;
  /** Images and other files of the vault. */
  readonly files: number;
  /** Files that could not be read. */
  readonly missing: number;
}

function refused(rule: string): VaultgraphError {
  return usageError({ command: 'export', rule, accepted: ['--format site', '--out', '--tag', '--force'] });
}

/** An absolute path. The folder is empty or does not exist, unless the user wants to write over it. */
async function outputFolder({ config }: GraphCore, { out, force = false }: SiteOptions): Promise<string> {
  if (out === undefined) throw refused('A site needs a folder: --out FOLDER.');
  const folder = resolve(out);
  if (!isAbsolute(out) && (await liesInside(config.vaultRoot, dirname(folder))))
    throw refused(`That would write ${out} into the vault. Give an absolute path if you want that.`);
  const [listed] = await Promise.allSettled([readdir(folder)]);
  if (listed.status === 'rejected' && !isErrno(listed.reason, 'ENOENT')) throw writeFailure(listed.reason, folder);
  if (listed.status === 'fulfilled' && listed.value.length > 0 && !force)
    throw refused(`${out} is not empty. Use --force to write over its files; files of other names stay.`);
  return folder;
}

async function write(folder: string, name: string, content: string | Uint8Array): Promise<void> {
  const file = join(folder, ...name.split('/'));
  try {
    makeFolder(dirname(file));
    if (typeof content === 'string') await replaceFile(file, content);
    else await writeFile(file, content);
  } catch (thrown) {
    throw writeFailure(thrown, file);
  }
}

function writeFailure(thrown: unknown, path: string): VaultgraphError {
  const errno = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : undefined;
  if (errno === undefined || thrown instanceof VaultgraphError) return toVaultgraphError(thrown);
  return new VaultgraphError('FILE_WRITE_FAILED', { path, errno, step: 'writing', original_intact: true });
}

/** @returns the number of files that could not be read, which are named on stderr */
async function copyFiles({ vault }: GraphCore, folder: string, paths: readonly string[]): Promise<number> {
  let missing = 0;
  for (const path of paths) {
    const { succeeded, failed } = await vault.read([path as NotePath], NEVER);
    for (const { error } of failed) report(`${path} is not in the site: ${error.message}\n`);
    missing += failed.length;
    for (const { result } of succeeded) await write(folder, path, result.bytes);
  }
  return missing;
}
