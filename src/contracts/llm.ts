// The contract of a provider that writes text from a prompt. Knows nothing of notes or tools.

export interface LLMProvider {
  readonly model: string;
  /**
   * The model's whole answer.
   * @throws PROVIDER_TIMEOUT
   */
  generate(prompt: string, signal: AbortSignal): Promise<string>;
}
