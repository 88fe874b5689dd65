// How well an embedding model suits the notes: as measured, and as kept in the store beside the vectors.
import * as z from 'zod';
import { packKept, unpackKept } from '../base/kept-json.ts';
import type { AnswerCache } from './store.ts';
import type { Generation } from './vectors.ts';

const MODEL_FIT = z.object({
  /** ISO time. */
  measured_at: z.string(),
  /** Sentences of notes that were searched for, each of another note, and those whose own note was among the first three hits. */
  sentences: z.int().min(1),
  found: z.int().min(0),
  /** Share of the sentences' tokens that the model does not know; only of a model in this process. */
  unknown_tokens: z.number().min(0).max(1).optional(),
  /** Whether the sentences are in English. */
  english: z.boolean(),
  /** Notes with vectors at that time. */
  notes: z.int().min(0),
  /** Sentences in other languages that were looked for among the same ones in English, and those that were found there. */
  translations: z.int().min(0),
  translations_found: z.int().min(0),
});

export type ModelFit = z.infer<typeof MODEL_FIT>;

/** Whether the model finds too little, or knows too little, to be of use for these notes. */
export const isPoorFit = ({ sentences, found, unknown_tokens: unknown = 0 }: ModelFit): boolean =>
  found < sentences / 2 || unknown > 1 / 2;

/** The least of the 36 sentences in three languages that a model must find. */
const MIN_TRANSLATIONS = 18;
/** A static model made of a multilingual one finds 28 of 36, and far less than words do among the notes of a vault. */
const KNOWN_SHARE = 0.9;

/** Whether the model finds what is said in another language; an English one finds less than half, by what languages share. */
export const knowsManyLanguages = ({ translations, translations_found: found }: ModelFit): boolean =>
  translations >= MIN_TRANSLATIONS && found >= translations * KNOWN_SHARE;

const keyOf = ({ id }: Generation): string => `model-fit ${id}`;

/** Undefined if it was not measured. @throws the store's errors */
export async function keptFit(
  generation: Generation,
  store: AnswerCache,
  signal: AbortSignal,
): Promise<ModelFit | undefined> {
  const answer = await store.cachedAnswer(keyOf(generation), signal);
  return answer === undefined ? undefined : MODEL_FIT.safeParse(unpackKept(answer, keyOf(generation))).data;
}

export function keepFit(generation: Generation, fit: ModelFit, store: AnswerCache, signal: AbortSignal): Promise<void> {
  return store.cacheAnswer(keyOf(generation), packKept(fit, keyOf(generation)), signal);
}
