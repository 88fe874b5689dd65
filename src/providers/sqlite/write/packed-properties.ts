// Writes the properties of a note as short JSON, with numbers in place of their names, and reads them back.
import type { Properties, PropertyValue } from '../../../base/note.ts';

/** A list of number, value, number, value …; order is kept. */
export function packProperties(properties: Properties, idOf: (name: string) => number): string {
  return JSON.stringify(Object.entries(properties).flatMap<PropertyValue>(([name, value]) => [idOf(name), value]));
}

export function unpackProperties(packed: string, nameOf: (id: number) => string): Properties {
  const list = JSON.parse(packed) as PropertyValue[];
  const names = list.filter((_, place) => place % 2 === 0) as number[];
  return Object.fromEntries(names.map((id, place) => [nameOf(id), list[place * 2 + 1] as PropertyValue]));
}
