// Writes what commands print, so that no control or direction character of a name or a text reaches the terminal.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { styleText } from 'node:util';
import { errnoOf } from '../base/errno.ts';
import { toVaultgraphError, VaultgraphError } from '../base/errors.ts';
import { visibleJson, visibleText, visibleWithinJson } from '../base/visible-controls.ts';
import { wrapText } from './screen/wrap-text.ts';

/** Where progress and questions are drawn: stderr, because stdout is the command's result. What is drawn has to be made visible before. */
export const screen = process.stderr;

/** The result of a command; on a terminal long lines are wrapped. */
export function print(text: string): void {
  process.stdout.write(wrapped(shown(text), 'stdout'));
}

export function printJson(value: unknown, indent?: number): void {
  process.stdout.write(`${visibleJson(value, indent)}\n`);
}

/** What goes beside the result: warnings, failures, the log; on a terminal long lines are wrapped. */
export function report(text: string): void {
  process.stderr.write(wrapped(shown(text), 'stderr'));
}

/** Reports what is copied from the screen: each line as it is. */
export function reportLines(text: string): void {
  process.stderr.write(shown(text));
}

/** Some terminals do not know their width. */
export const USUAL_COLUMNS = 80;

/** The width of a terminal; undefined for a file or a pipe. */
function columnsOf(on: 'stdout' | 'stderr'): number | undefined {
  const { isTTY, columns } = process[on];
  return isTTY ? columns || USUAL_COLUMNS : undefined;
}

function wrapped(text: string, on: 'stdout' | 'stderr'): string {
  const columns = columnsOf(on);
  return columns === undefined ? text : wrapText(text, columns);
}

/** The text of a note: for people wrapped on a terminal, else unchanged. */
export async function printText(text: string): Promise<void> {
  const columns = columnsOf('stdout');
  await printContent(columns === undefined ? text : wrapText(visibleText(text), columns, false), false);
}

/** A part of a content for other programs: unchanged, except on a terminal. @param isJson whether it stays JSON there, too */
export async function printContent(text: string, isJson: boolean): Promise<void> {
  const visible = isJson ? visibleWithinJson : visibleText;
  if (!process.stdout.write(process.stdout.isTTY ? visible(text) : text)) await once(process.stdout, 'drain');
}

type Style = Parameters<typeof styleText>[0];

/** Marks the sequences of `styled`; a text cannot contain it. */
const KEY = randomUUID();

/** Coloured where the stream is a terminal, when `print` or `report` writes it. */
export function styled(style: Style, text: string, on: 'stdout' | 'stderr'): string {
  const marked = styleText(style, '\n', { stream: process[on] }).replaceAll('\u001b', `\u001b${KEY}`);
  const [before = '', after = ''] = marked.split('\n');
  return `${before}${text}${after}`;
}

const shown = (text: string): string => visibleText(text).replaceAll(`<U+001B>${KEY}`, '\u001b');

/** `2026-11-22 22:56`, in the time zone of the user. */
export const localTime = (time: string | number): string => new Date(time).toLocaleString('sv').slice(0, 16);

/** The failure for a file that a command writes and that stays as it was. Other errors than those of the system stay what they are. */
export function writeFailure(thrown: unknown, path: string): VaultgraphError {
  const errno = thrown instanceof Error && 'errno' in thrown && 'code' in thrown ? errnoOf(thrown) : undefined;
  if (errno === undefined || thrown instanceof VaultgraphError) return toVaultgraphError(thrown);
  return new VaultgraphError('FILE_WRITE_FAILED', { path, errno, step: 'writing', original_intact: true });
}
