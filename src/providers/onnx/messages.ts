// What the program and the thread that runs a model send each other.
import type { Pooling } from '../model-server/model-families.ts';

/** The first request. */
export interface LoadRequest {
  readonly kind: 'load';
  readonly folder: string;
  /** Relative to the folder. */
  readonly weights: string;
  readonly runtime: string;
  /** Null: the network scores pairs of texts. */
  readonly pooling: Pooling | null;
  readonly contextTokens: number;
}

export interface EmbedRequest {
  readonly kind: 'embed';
  readonly text: string;
}

export interface ScoreRequest {
  readonly kind: 'score';
  readonly query: string;
  readonly document: string;
}

export type TextRequest = EmbedRequest | ScoreRequest;
export type ThreadRequest = LoadRequest | TextRequest;

export type ThreadReply =
  | { readonly kind: 'loaded'; readonly dims: number }
  | { readonly kind: 'vector'; readonly vector: Float32Array<ArrayBuffer>; readonly tokens: number }
  | { readonly kind: 'score'; readonly score: number; readonly tokens: number }
  | { readonly kind: 'too long'; readonly tokens: number }
  /** `advise`: installing the library again helps, and no other model. */
  | { readonly kind: 'unsuitable'; readonly reason: string; readonly advise?: true; readonly cause?: string }
  | { readonly kind: 'unusable'; readonly received: string };
