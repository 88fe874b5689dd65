// Runs the Ollama provider through every failure in a child process, so that a test can check its output.
import { never, newCall } from '../../contracts/embedding/law.ts';
import { brokenJson, cut, empty, html, reset } from '../../fakes/http/faults.ts';
import * as ollama from '../../fakes/ollama/faults.ts';
import { startOllama } from '../../fakes/ollama-server.ts';
import { openOllama } from './ollama-under-test.ts';

const FAULTS = [
  html(502),
  html(200),
  brokenJson(),
  empty(403),
  empty(500),
  ollama.noSuchPath(),
  ollama.wrongMethod(),
  ollama.busy(),
  ollama.modelMissing(),
  ollama.says(200, 'no'),
  reset(),
  cut(),
];

const server = await startOllama({ library: [{ name: 'embeddinggemma' }] });
const { capability, probe, pull } = await openOllama(server.origin, { auto_pull: 'once' });
const codes: string[] = [];
const note = (thrown: { code?: string }): void => {
  codes.push(String(thrown.code));
};
for (const fault of FAULTS) {
  server.fail(fault);
  await capability.identify(newCall(), never).catch(note);
  await capability.loaded(never).catch(note);
  await capability.warmUp(never).catch(note);
  await pull?.(() => undefined, never).catch(note);
  await probe(never);
  server.heal();
  await capability.identify(newCall(), never);
  server.fail(fault, { on: '/api/embed' });
  await capability.embed([{ id: '1', text: 'a text' }], 'query', newCall(), never).catch(note);
  server.heal();
}
await server.close();
process.stderr.write(`${codes.length} failures: ${[...new Set(codes)].sort().join(' ')}`);
