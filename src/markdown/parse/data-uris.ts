// Leaves files that are embedded in a text as `data:` URIs out of it: their characters are not words.

/** The start of such a URI: a media type or `;base64`, then the data up to a blank, a quote or a bracket. */
const DATA_URI =
  /\bdata:(?:[a-z]{1,20}\/[\w.+-]{1,100}(?:;[\w.+=-]{1,100}){0,4}|(?:;[\w.+=-]{1,100}){0,3};base64),[^\s"'`<>()[\]]*/g;

/** For search, chunks and passages. Line numbers stay the same, offsets do not. */
export function withoutDataUris(text: string): string {
  return text.includes('data:') ? text.replace(DATA_URI, '') : text;
}

/** Blanks instead of the URIs, so that every offset stays the same. */
export function blankDataUris(text: string): string {
  return text.includes('data:') ? text.replace(DATA_URI, (uri) => ' '.repeat(uri.length)) : text;
}
