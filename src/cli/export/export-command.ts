// `vaultgraph export`: prints the whole graph to stdout for other programs.

import { NEVER } from '../../base/async/waits.ts';
import { commandLine } from '../../base/command-line.ts';
import { oneLine } from '../../base/visible-controls.ts';
import { currentIndex } from '../bring-up-to-date.ts';
import { EXIT } from '../exit-code.ts';
import { print, printContent, printJson, report } from '../output.ts';
import { usageError } from '../usage.ts';
import { builtPageFiles } from '../view/page-files.ts';
import { withCore } from '../with-core.ts';
import type { SiteOptions } from './export-site.ts';
import { exportText, type FormatName } from './export-text.ts';

export interface ExportOptions extends SiteOptions {
  readonly format: FormatName | 'site';
  readonly withText?: boolean;
}

/** @throws INVALID_INPUT for an option that the format does not have */
export function runExport(options: ExportOptions): Promise<number> {
  const { format, withText, out, tag, force } = options;
  if (withText && format !== 'html') throw misplaced('--with-text', 'html');
  if (format !== 'site' && (out !== undefined || tag !== undefined || force))
    throw misplaced('--out, --tag, --force', 'site');
  return format === 'site' ? runSite(options) : printGraph({ ...options, format });
}

const misplaced = (option: string, format: string) =>
  usageError({
    command: 'export',
    rule: `${option} works only with --format ${format}`,
    accepted: [`--format ${format}`],
  });

function runSite(options: ExportOptions): Promise<number> {
  return withCore(options, async (core) => {
    const job = await currentIndex(core.indexer, options);
    const { exportSite } = await import('./export-site.ts');
    const { folder, notes, files, missing } = await exportSite(core, options, builtPageFiles(import.meta.url));
    const summary = { folder, notes, files, ...(missing === 0 ? {} : { missing }) };
    if (options.json) printJson(summary);
    else print(`${oneLine(folder)}: ${notes} notes and ${files} files\n`);
    return missing > 0 || (job?.counts.failed ?? 0) > 0 ? EXIT.part : EXIT.done;
  });
}

function printGraph(options: ExportOptions & { readonly format: FormatName }): Promise<number> {
  return withCore(options, async (core) => {
    const { store, indexer } = core;
    const job = await currentIndex(indexer, options);
    const isJson = options.format.startsWith('json');
    for await (const text of exportText(options.format, core, options.withText)) await printContent(text, isJson);
    const { quarantined } = await store.counts(NEVER);
    if (quarantined > 0) report(faultText(quarantined));
    return (job?.counts.failed ?? 0) > 0 ? EXIT.part : EXIT.done;
  });
}

/** Warns about notes that the export omits. */
function faultText(quarantined: number): string {
  return `${quarantined} files were not read completely; \`${commandLine('status')}\` says which, and why\n`;
}
