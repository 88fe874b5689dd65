// Every method of the protocol that is answered from the vault beside the tools. Adding one is a file and a line here.
import type { AnyTool } from '../../contracts/tool.ts';
import { complete } from '../complete/complete.ts';
import { listResources } from './list-resources.ts';
import { readResource } from './read-resource.ts';

/** Each has a tool's needs, limits and failures, and is listed as none. */
export const methodCatalog: readonly AnyTool[] = Object.freeze([listResources, readResource, complete]);
