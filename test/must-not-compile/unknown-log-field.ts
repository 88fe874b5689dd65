// What a log line may not tell: fields that no list names, also behind a variable or a spread.
import type { Log } from '../../src/base/log.ts';

declare const log: Log;
declare const note: { readonly text: string };

log('info', 'fine', { tool: 'search', duration_ms: 5, counts: { notes: 3 } });

// TS2322 Type 'string' is not assignable to type 'never'.
log('info', 'call', { query: 'tide' });

// TS2345 Argument of type '{ text: string; tool: string; }' is not assignable to parameter of type 'OnlyNamed<
log('info', 'call', { tool: 'search', ...note });

// TS2345 Argument of type '{ readonly text: string; }' is not assignable to parameter of type 'OnlyNamed<
log('info', 'call', note);
