// Errors whose details are not those of their code, and errors whose code is in no table.
import { VaultgraphError } from '../../src/base/errors.ts';
import type { AnyTool } from '../../src/contracts/tool.ts';

// TS2322 Type 'string' is not assignable to type 'number'.
export const wrongShape = new VaultgraphError('LIMIT_EXCEEDED', { field: 'limit', limit: '5', actual: 6 });

// TS2741 Property 'rule' is missing in type '{ path: string; }' but required in type '{ path: string; rule: string; instead?: string; }'.
export const missingDetail = new VaultgraphError('PATH_NOT_ALLOWED', { path: 'a' });

// TS2345 Argument of type '{ source: string; }' is not assignable to parameter of type 'ProviderDetails & { source: string; }'.
export const nameless = new VaultgraphError('PROVIDER_BUSY', { source: 'queue full' });

// TS2345 Argument of type '"NOTE_GONE"' is not assignable to parameter of type
export const unlisted = new VaultgraphError('NOTE_GONE', { path: 'a' });

// TS2820 Type '"NOTE_NOT_FOND"' is not assignable to type
export const misspelt: AnyTool['fails'] = ['NOTE_NOT_FOND'];
