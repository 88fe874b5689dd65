// Parses JSON settings, with or without comments, and changes one value in place.
import { applyEdits, type FormattingOptions, modify, type ParseError, parse, printParseErrorCode } from 'jsonc-parser';
import { isObject } from '../../base/plain-object.ts';

export interface Parsed {
  readonly value: Readonly<Record<string, unknown>>;
  readonly fault?: { readonly what: string; readonly line: number; readonly column: number };
}

export function parseJson(text: string, format: 'json' | 'jsonc'): Parsed {
  const errors: ParseError[] = [];
  const isLenient = format === 'jsonc';
  const value: unknown = parse(withoutMark(text), errors, {
    disallowComments: !isLenient,
    allowTrailingComma: isLenient,
  });
  const [error] = errors;
  if (error !== undefined) return { value: {}, fault: faultAt(text, error.offset, printParseErrorCode(error.error)) };
  return isObject(value) ? { value } : { value: {}, fault: faultAt(text, 0, 'no map of settings') };
}

/** Sets the value at that path, or removes it if undefined; everything around it keeps its form and comments. */
export function editJson(text: string, path: readonly string[], value: object | undefined): string {
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : '';
  const own = text.slice(mark.length);
  const formattingOptions = formOf(own);
  const start = own.trim() === '' ? '{}' : own;
  const edited = applyEdits(start, modify(start, [...path], value, { formattingOptions, getInsertionIndex: () => 0 }));
  const end = own.trim() === '' ? formattingOptions.eol : '';
  return `${mark}${edited}${end}`;
}

/** The indentation of the text so far; two spaces by default. */
function formOf(text: string): FormattingOptions & { readonly eol: string } {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol, keepLines: true };
}

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, ' ');

function faultAt(text: string, offset: number, reason: string): NonNullable<Parsed['fault']> {
  const before = text.slice(0, offset).split('\n');
  const what = `cannot be read as JSON (${reason}); nothing was changed`;
  return { what, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
