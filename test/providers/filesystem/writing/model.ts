// A model of the writer on a map in memory: the resulting files, or the error.

import { contentHash } from '../../../../src/base/content-hash.ts';
import type { ErrorCode } from '../../../../src/base/errors.ts';
import type { FileOperation } from '../../../../src/contracts/writer.ts';
import { bytes } from './workbench.ts';

export type Files = ReadonlyMap<string, string>;

export interface Modelled {
  readonly files: Files;
  /** The operations that undo it. */
  readonly inverse: readonly FileOperation[];
}

const hash = (text: string): string => contentHash(bytes(text));
const textOf = (content: Uint8Array): string => Buffer.from(content).toString();
/** A restored file may be beside a name that differs only in case, as before. */
const isTaken = (files: Files, path: string, isBack: boolean, moved?: string): boolean =>
  isBack
    ? files.has(path)
    : [...files.keys()].some((other) => other !== moved && other.toLowerCase() === path.toLowerCase());

/** Applies all operations or none. @returns the error code of the first that is refused */
export function modelled(before: Files, operations: readonly FileOperation[], isBack: boolean): Modelled | ErrorCode {
  const files = new Map(before);
  const inverse: FileOperation[] = [];
  for (const operation of operations) {
    const code = refusalOf(before, operation, isBack);
    if (code !== undefined) return code;
    inverse.push(perform(files, operation));
  }
  return { files, inverse };
}

function refusalOf(files: Files, operation: FileOperation, isBack: boolean): ErrorCode | undefined {
  const { kind, path } = operation;
  if (kind === 'create' || kind === 'restore') return isTaken(files, path, isBack) ? 'NOTE_EXISTS' : undefined;
  if (kind === 'move' && isTaken(files, operation.to, isBack, path)) return 'NOTE_EXISTS';
  const text = files.get(path);
  if (kind === 'move' && operation.before === undefined) return text === undefined ? 'FILE_UNREADABLE' : undefined;
  return text === undefined || hash(text) !== operation.before ? 'WRITE_CONFLICT' : undefined;
}

function perform(files: Map<string, string>, operation: FileOperation): FileOperation {
  const { kind, path } = operation;
  const old = files.get(path) ?? '';
  files.delete(path);
  switch (kind) {
    case 'create':
      files.set(path, textOf(operation.bytes));
      return { kind: 'remove', path, before: contentHash(operation.bytes) };
    case 'replace':
      files.set(path, textOf(operation.bytes));
      return { kind, path, before: contentHash(operation.bytes), bytes: bytes(old) };
    case 'move': {
      const text = operation.bytes === undefined ? old : textOf(operation.bytes);
      files.set(operation.to, text);
      return { kind, path: operation.to, to: path, before: hash(text), bytes: bytes(old) };
    }
    case 'remove':
      return { kind: 'create', path, bytes: bytes(old) };
    case 'trash': {
      const trashed = freeInTrash(files, path);
      files.set(trashed, old);
      return { kind: 'restore', path, bytes: bytes(old), trashed };
    }
    case 'restore':
      files.set(path, textOf(operation.bytes));
      if (files.get(operation.trashed) === textOf(operation.bytes)) files.delete(operation.trashed);
      return { kind: 'trash', path, before: contentHash(operation.bytes) };
  }
}

function freeInTrash(files: Files, path: string): string {
  for (let number = 0; ; number += 1) {
    const trashed = `.trash/${number === 0 ? path : path.replace(/(\.[^./]*)$/, ` ${number}$1`)}`;
    if (!files.has(trashed)) return trashed;
  }
}
