// Packs what notes hold into bytes, which pass through threads that do not read them.
import { deserialize, serialize } from 'node:v8';
import type { ParsedNote } from '../../base/note.ts';

export const packNotes = (notes: readonly ParsedNote[]): Uint8Array => serialize(notes);

export const unpackNotes = (packed: Uint8Array): readonly ParsedNote[] => deserialize(packed) as ParsedNote[];
