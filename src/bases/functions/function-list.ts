// Lists every function of the language, as in Obsidian's documentation.
import type { TypeName } from '../values/value.ts';
import { ANY_FUNCTIONS, OBJECT_FUNCTIONS, REGEX_FUNCTIONS } from './any-functions.ts';
import { DATE_FUNCTIONS } from './date-functions.ts';
import { FILE_FUNCTIONS, LINK_FUNCTIONS } from './file-functions.ts';
import type { BaseFunction, Receiver } from './function.ts';
import { GLOBAL_FUNCTIONS } from './global-functions.ts';
import { LIST_FUNCTIONS } from './list-functions.ts';
import { NUMBER_FUNCTIONS } from './number-functions.ts';
import { STRING_FUNCTIONS } from './string-functions.ts';

export const FUNCTIONS: readonly BaseFunction[] = [
  ...GLOBAL_FUNCTIONS,
  ...ANY_FUNCTIONS,
  ...DATE_FUNCTIONS,
  ...STRING_FUNCTIONS,
  ...NUMBER_FUNCTIONS,
  ...LIST_FUNCTIONS,
  ...LINK_FUNCTIONS,
  ...FILE_FUNCTIONS,
  ...OBJECT_FUNCTIONS,
  ...REGEX_FUNCTIONS,
];

const BY_RECEIVER = new Map(
  [...Map.groupBy(FUNCTIONS, ({ on }) => on)].map(([on, functions]) => [
    on,
    new Map(functions.map((each) => [each.name, each])),
  ]),
);

/** Whose functions a value of each type has, its own first. */
const RECEIVERS: Readonly<Record<TypeName, readonly Receiver[]>> = {
  null: ['any'],
  boolean: ['any', 'number'],
  number: ['number', 'any'],
  string: ['string', 'any'],
  list: ['list', 'any'],
  date: ['date', 'any'],
  duration: ['number', 'any'],
  link: ['link', 'string', 'any'],
  tag: ['string', 'any'],
  html: ['string', 'any'],
  icon: ['string', 'any'],
  image: ['string', 'any'],
  file: ['file', 'any'],
  regex: ['regular expression', 'any'],
  object: ['object', 'any'],
};

export function globalFunction(name: string): BaseFunction | undefined {
  return BY_RECEIVER.get('global')?.get(name);
}

/** The function of a value of this type. */
export function functionOf(type: TypeName, name: string): BaseFunction | undefined {
  for (const receiver of RECEIVERS[type]) {
    const found = BY_RECEIVER.get(receiver)?.get(name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether a value of any type has this function. */
export function isMethod(name: string): boolean {
  return [...BY_RECEIVER].some(([on, functions]) => on !== 'global' && functions.has(name));
}
