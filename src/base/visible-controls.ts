// Writes control and direction characters in a form that a terminal shows instead of obeying.

/** DEL and C1 controls, line and paragraph separators, direction marks and controls, and the byte order mark. */
const NOT_ESCAPED_BY_JSON = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** All controls but tab and line ends, separators, direction controls and the byte order mark. */
const CONTROLS = /[^\P{Cc}\t\n\r]|\r(?!\n)|[\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** Marks that Arabic and Hebrew text uses; on a terminal they can change the order of what surrounds them. */
const DIRECTION_MARKS = /[\u061c\u200e\u200f]/g;

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(4, '0');

/** JSON in which the characters are escapes; a program that parses it gets the exact text. */
export function visibleJson(value: unknown, indent?: number): string {
  return visibleWithinJson(JSON.stringify(value, null, indent));
}

/** @param json a text that is JSON, or a part of it */
export function visibleWithinJson(json: string): string {
  return json.replace(NOT_ESCAPED_BY_JSON, (character) => `\\u${hex(character)}`);
}

/** `<U+202E>` for each control, for text that a terminal shows. @param text not yet styled */
export function visibleText(text: string): string {
  return visibleControls(text).replace(DIRECTION_MARKS, named);
}

const LINE_ENDS = /[\r\n]/g;

/** A value that is shown on one line of such a text, `<U+000A>` for a line end: a name cannot look like a line of its own. */
export function oneLine(text: string): string {
  return text.replace(LINE_ENDS, named);
}

/** `<U+202E>` for each control but the direction marks, for text of an answer. */
export function visibleControls(text: string): string {
  return text.replace(CONTROLS, named);
}

const named = (character: string): string => `<U+${hex(character).toUpperCase()}>`;
