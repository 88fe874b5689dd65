// The thread that reads tokenizer.json: answers one request with the file's bytes, and moves the arrays back.
import { parentPort } from 'node:worker_threads';
import { readTokenizerFile } from './read-tokenizer.ts';

parentPort?.once('message', (bytes: Uint8Array) => {
  const read = readTokenizerFile(bytes);
  const { text, ends, ids, slots, beginnings } = read?.vocabulary ?? {};
  const arrays = [text, ends, ids, slots, beginnings, read?.scores].flatMap(
    (array) => array?.buffer ?? [],
  ) as ArrayBuffer[];
  parentPort?.postMessage(read, arrays);
});
