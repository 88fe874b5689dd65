// Random failures of the model server during a soak test.
import type { Random } from '../bench/random.ts';
import { brokenJson, cut, hang, html, late, reset } from '../fakes/http/faults.ts';
import { busy, crashed, loadFailed, modelMissing, notANumber, rateLimited } from '../fakes/ollama/faults.ts';
import type { OllamaServer } from '../fakes/ollama-server.ts';

const MAX_AWAY_MS = 3_000;
const MAX_TIMES = 6;

/** Starts one fault. @returns its name, and a function that ends it, which may take a while */
export function breakProvider(
  ollama: OllamaServer,
  random: Random,
): { readonly name: string; readonly over: Promise<void> } {
  const faults = { brokenJson, cut, hang, reset, busy, crashed, loadFailed, modelMissing, notANumber, rateLimited };
  const name = random.pick(['away', 'late', 'html', ...Object.keys(faults)] as [string, ...string[]]);
  if (name === 'away') return { name, over: away(ollama, random.below(MAX_AWAY_MS)) };
  const times = 1 + random.below(MAX_TIMES);
  const on = random.pick(['/api/embed', '/api/embed', '/api/chat']);
  if (name === 'late') ollama.fail(late(random.below(2_000)), { on, times });
  else if (name === 'html') ollama.fail(html(502), { on, times });
  else ollama.fail(faults[name as keyof typeof faults](), { on, times });
  return { name, over: Promise.resolve() };
}

async function away(ollama: OllamaServer, forMs: number): Promise<void> {
  await ollama.refuse();
  await new Promise((resolve) => setTimeout(resolve, forMs));
  await ollama.reopen();
}
