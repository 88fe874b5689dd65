// From the bytes of a file to the text every position counts in.
import { isUtf8 } from 'node:buffer';

export interface DecodedText {
  /** Without a leading byte order mark; bytes that are no UTF-8 became U+FFFD. */
  readonly text: string;
  readonly encoding: 'utf-8' | 'invalid';
}

const utf8 = new TextDecoder('utf-8');

export function decodeText(bytes: Uint8Array): DecodedText {
  return { text: utf8.decode(bytes), encoding: isUtf8(bytes) ? 'utf-8' : 'invalid' };
}
