// Every provider there is. A new one adds its line here.
import type { AnyProvider } from '../contracts/provider.ts';
import { filesystemProvider } from './filesystem/filesystem-provider.ts';
import { writerProvider } from './filesystem/writer-provider.ts';
import { model2vecProvider } from './model2vec/model2vec-provider.ts';
import { ollamaLlmProvider } from './ollama/ollama-llm-provider.ts';
import { ollamaProvider } from './ollama/ollama-provider.ts';
import { openaiLlmProvider } from './openai-compatible/openai-llm-provider.ts';
import { openaiProvider } from './openai-compatible/openai-provider.ts';
import { sqliteProvider } from './sqlite/provider.ts';

export const providerCatalog: readonly AnyProvider[] = Object.freeze([
  filesystemProvider,
  writerProvider,
  sqliteProvider,
  ollamaProvider,
  openaiProvider,
  ollamaLlmProvider,
  openaiLlmProvider,
  model2vecProvider,
]);
