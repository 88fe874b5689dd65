// Loaded before a program with `--import`, makes it the next version: its index has one made-up migration step more.
import { registerHooks } from 'node:module';

/** The end of the list of steps, in the sources and in a bundle with short names. */
const LAST_STEP = /(INTO lease [^`]*`),?\s*\]/;
const MADE_UP = 'CREATE INDEX made_up ON contents (encoding);';

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    const source = String(loaded.source ?? '');
    return LAST_STEP.test(source)
      ? { ...loaded, source: source.replace(LAST_STEP, (_whole, step: string) => `${step}, '${MADE_UP}']`) }
      : loaded;
  },
});
