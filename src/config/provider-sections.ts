// Finds the provider of each config section and validates the section with its schema.
import * as z from 'zod';
import { type ConfigFault, type ErrorCode, VaultgraphError } from '../base/errors.ts';
import { didYouMean } from '../base/nearest.ts';
import { isObject } from '../base/plain-object.ts';
import { CAPABILITY_FAILS } from '../contracts/capability.ts';
import type { AnyProvider, ProvidedCapability } from '../contracts/provider.ts';
import type { StoreDriver } from '../contracts/store.ts';
import {
  type ConfigDocument,
  type KeyPath,
  type Place,
  readSection,
  type SectionSource,
  valueAt,
  without,
} from './config-document.ts';
import { VAULT_KEY } from './config-sources.ts';

/** A provider to open, its validated config, and its position in the config. */
export interface Section {
  readonly provider: AnyProvider;
  readonly config: unknown;
  readonly path: KeyPath;
  readonly place: Place;
  /** The one to step down to, and the failures for which. */
  readonly fallback?: { readonly section: Section; readonly useOn: readonly ErrorCode[] };
}

export interface Sections {
  readonly sections: readonly Section[];
  readonly faults: readonly ConfigFault[];
}

const KINDS = ['store', 'embedding', 'llm', 'rerank'] as const satisfies readonly ProvidedCapability[];
type Kind = (typeof KINDS)[number];

/** Opened even if the config does not name them. */
const REQUIRED: readonly Kind[] = ['store'];
/** The type of a section that names none. */
const DEFAULT_TYPES: Partial<Record<Kind, string>> = { store: 'sqlite', rerank: 'rerank-server' };
const VAULT_TYPE = 'filesystem';
const FALLBACK = 'fallback';

/** The keys of a fallback that the lifecycle reads itself. */
const FALLBACK_KEYS: Partial<Record<Kind, readonly string[]>> = { embedding: [FALLBACK] };
const STAND_IN_KEYS = z.looseObject({
  use_on: z.array(z.enum(CAPABILITY_FAILS.embedding)).min(1).default(['PROVIDER_UNAVAILABLE']),
});

const PROVIDERS = z.strictObject(
  Object.fromEntries(KINDS.map((kind) => [kind, z.unknown()])) as Record<Kind, z.ZodUnknown>,
);

/** The file that the section of the store names for the index; undefined if it names none. */
export const indexFile = (sections: readonly Section[]): string | undefined => storeSettings(sections).path;

/** What opens the files of SQLite; undefined if the section of the store does not say. */
export const storeDriver = (sections: readonly Section[]): StoreDriver | undefined => storeSettings(sections).driver;

function storeSettings(sections: readonly Section[]): { readonly path?: string; readonly driver?: StoreDriver } {
  return sections.find(({ provider }) => provider.capability === 'store')?.config ?? {};
}

/** The vault's section at `path`: its type is implied, and its folder was found by flag, variable or config and is `root`. */
export function readVaultSection(
  document: ConfigDocument,
  catalog: readonly AnyProvider[],
  root: string | undefined,
  path: KeyPath = VAULT_KEY,
): Sections {
  const provider = catalog.find(({ capability, type }) => capability === 'vault' && type === VAULT_TYPE);
  if (provider === undefined) throw new VaultgraphError('INTERNAL', { kind: 'no vault provider in the catalog' });
  const taken = path.length > 1 ? ['tools'] : [];
  const vaultData = without(sectionData(document, path), taken);
  const data = isObject(vaultData) ? { ...vaultData, path: root } : vaultData;
  const { sections, faults } = validateSection(provider, { document, path, data, taken });
  const writers = sections.filter(mayWrite).flatMap((section) => writerSection(section, catalog));
  const pathKey = [...path, 'path'].join('.');
  return { sections: [...sections, ...writers], faults: faults.filter(({ key }) => key !== pathKey) };
}

const mayWrite = ({ config }: Section): boolean =>
  isObject(config) && 'access' in config && config.access === 'read-write';

/** A writer is opened only for a read-write vault. */
function writerSection(vault: Section, catalog: readonly AnyProvider[]): Section[] {
  const writer = catalog.find(({ capability, type }) => capability === 'writer' && type === VAULT_TYPE);
  return writer === undefined ? [] : [{ ...vault, provider: writer }];
}

/** Every section below `providers`, and those that are there by default. */
export function readProviderSections(document: ConfigDocument, catalog: readonly AnyProvider[]): Sections {
  const { providers = {} } = document.data;
  const map = readSection(PROVIDERS.partial(), { document, path: ['providers'], data: providers });
  const present = isObject(providers) ? Object.keys(providers) : [];
  const typedKinds = KINDS.filter((kind) => present.includes(kind) || REQUIRED.includes(kind)).map((kind) =>
    readKind(kind, document, catalog),
  );
  return {
    sections: typedKinds.flatMap(({ sections }) => sections),
    faults: [...map.faults, ...typedKinds.flatMap(({ faults }) => faults)],
  };
}

interface Reading {
  readonly document: ConfigDocument;
  readonly catalog: readonly AnyProvider[];
}

function readKind(kind: Kind, document: ConfigDocument, catalog: readonly AnyProvider[]): Sections {
  const reading = { document, catalog };
  const path = ['providers', kind];
  const taken = FALLBACK_KEYS[kind] ?? [];
  const typed = readTyped(kind, path, taken, reading);
  const nested = taken.includes(FALLBACK) ? readFallback(kind, [...path, FALLBACK], reading) : NOTHING;
  const faults = [...typed.faults, ...nested.faults];
  if (faults.length > 0) return { sections: [], faults };
  const { fallback } = nested;
  return {
    sections: typed.sections.map((section) => (fallback === undefined ? section : { ...section, fallback })),
    faults,
  };
}

const NOTHING: { readonly fallback?: Section['fallback']; readonly faults: readonly ConfigFault[] } = { faults: [] };

/** The fallback: a provider of the same kind inside the section. Absent and empty (`null`) mean none. */
function readFallback(kind: Kind, path: KeyPath, reading: Reading): typeof NOTHING {
  const data = sectionData(reading.document, path);
  if (data === null || !reading.document.has(path)) return NOTHING;
  const { value, faults } = readSection(STAND_IN_KEYS, { document: reading.document, path, data });
  // A value that is not a map is reported once.
  const typed = isObject(data) ? readTyped(kind, path, ['use_on'], reading) : NO_SECTIONS;
  const [section] = typed.sections;
  if (value === undefined || section === undefined) return { faults: [...faults, ...typed.faults] };
  return { fallback: { section, useOn: value.use_on }, faults: [] };
}

const NO_SECTIONS: Sections = { sections: [], faults: [] };

/** Validates the section at `path` by the schema of the provider in its `type`; the keys in `taken` are read elsewhere. */
function readTyped(kind: Kind, path: KeyPath, taken: readonly string[], reading: Reading): Sections {
  const { document, catalog } = reading;
  const typed = z.looseObject({ type: typeSchema(kind) });
  const data = sectionData(document, path);
  const section = readSection(typed, { document, path, data });
  if (section.value === undefined) return { sections: [], faults: section.faults };
  const { type } = section.value;
  const ofKind = catalog.filter(({ capability }) => capability === kind);
  const provider = ofKind.find((candidate) => candidate.type === type);
  if (provider !== undefined) {
    const all = ['type', ...taken];
    return validateSection(provider, { document, path, data: without(data, all), taken: all });
  }
  const place = document.placeOf([...path, 'type'], 'value');
  return { sections: [], faults: [{ ...place, key: `${path.join('.')}.type`, ...unknownType(kind, type, ofKind) }] };
}

function typeSchema(kind: Kind): z.ZodType<string> {
  const byDefault = DEFAULT_TYPES[kind];
  return byDefault === undefined ? z.string() : z.string().default(byDefault);
}

function unknownType(kind: Kind, type: string, ofKind: readonly AnyProvider[]): Omit<ConfigFault, 'file'> {
  const what = `unknown provider type \`${type}\` for ${kind}`;
  if (ofKind.length === 0) return { what: `${what}; this version has no ${kind} provider` };
  const allowed = ofKind.map((provider) => provider.type);
  return { what, allowed, ...didYouMean(type, allowed) };
}

function validateSection(provider: AnyProvider, source: SectionSource): Sections {
  const { value, faults } = readSection<unknown>(provider.config, source);
  if (faults.length > 0) return { sections: [], faults };
  const { path, document } = source;
  return { sections: [{ provider, config: value, path, place: document.placeOf(path, 'key') }], faults };
}

/** An absent section is an empty one; a section without a value is refused by its schema. */
function sectionData(document: ConfigDocument, path: KeyPath): unknown {
  const data = valueAt(document.data, path);
  return data === undefined ? {} : data;
}
