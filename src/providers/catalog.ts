// Lists all providers.
import type { AnyProvider } from '../contracts/provider.ts';
import { filesystemProvider } from './filesystem/filesystem-provider.ts';
import { writerProvider } from './filesystem/writer-provider.ts';
import { model2vecProvider } from './model2vec/model2vec-provider.ts';
import { ollamaEmbeddingProvider, ollamaLlmProvider } from './ollama/ollama-providers.ts';
import { onnxProvider } from './onnx/onnx-provider.ts';
import { onnxRerankProvider } from './onnx/rerank-provider.ts';
import { openaiEmbeddingProvider, openaiLlmProvider } from './openai-compatible/openai-providers.ts';
import { postgresqlProvider } from './postgresql/postgresql-provider.ts';
import { rerankServerProvider } from './rerank-server/rerank-provider.ts';
import { sqliteProvider } from './sqlite/provider.ts';

export const providerCatalog: readonly AnyProvider[] = Object.freeze([
  filesystemProvider,
  writerProvider,
  sqliteProvider,
  postgresqlProvider,
  ollamaEmbeddingProvider,
  openaiEmbeddingProvider,
  ollamaLlmProvider,
  openaiLlmProvider,
  model2vecProvider,
  onnxProvider,
  rerankServerProvider,
  onnxRerankProvider,
]);
