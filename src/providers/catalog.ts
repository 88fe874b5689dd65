// Every provider there is. A new one adds its line here.
import type { AnyProvider } from '../contracts/provider.ts';
import { filesystemProvider } from './filesystem/filesystem-provider.ts';
import { sqliteProvider } from './sqlite/provider.ts';

export const providerCatalog: readonly AnyProvider[] = Object.freeze([filesystemProvider, sqliteProvider]);
