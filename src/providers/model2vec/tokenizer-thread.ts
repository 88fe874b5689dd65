// The thread that reads tokenizer.json: answers one request with the file's bytes, and moves the arrays back.
import { parentPort } from 'node:worker_threads';
import { readTokenizerFile } from './read-tokenizer.ts';

parentPort?.once('message', (bytes: Uint8Array) => {
  const tokenizer = readTokenizerFile(bytes);
  const { text, ends, ids, slots, beginnings } = tokenizer?.vocabulary ?? {};
  const arrays = [text, ends, ids, slots, beginnings, tokenizer?.scores].flatMap(
    (array) => array?.buffer ?? [],
  ) as ArrayBuffer[];
  parentPort?.postMessage(tokenizer, arrays);
});
