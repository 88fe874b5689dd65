// Turns the settings that a user made in the application into a config of the server.

/** Names of the environment variables in which the bundle's manifest passes the settings. */
export const VARIABLES = {
  vault: 'VAULTGRAPH_BUNDLE_VAULT',
  changes: 'VAULTGRAPH_BUNDLE_CHANGES',
  embedding: 'VAULTGRAPH_BUNDLE_EMBEDDING',
  llm: 'VAULTGRAPH_BUNDLE_LLM',
} as const;

/** A YAML text, written as JSON. @param env of the process that the application started */
export function configText(env: Readonly<Record<string, string | undefined>>): string {
  const vault = givenIn(env[VARIABLES.vault]);
  const models = (['embedding', 'llm'] as const).flatMap((capability) => {
    const model = givenIn(env[VARIABLES[capability]]);
    return model === undefined ? [] : [[capability, { type: 'ollama', model }] as const];
  });
  const config = {
    vault: { ...(vault !== undefined && { path: vault }), access: accessOf(env[VARIABLES.changes]) },
    ...(models.length > 0 && { providers: Object.fromEntries(models) }),
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

const accessOf = (value: string | undefined): string => (value === 'true' ? 'read-write' : 'read-only');

/** An application may pass the placeholder of a setting that was not made. */
function givenIn(text: string | undefined): string | undefined {
  const value = text?.trim() ?? '';
  return value === '' || value.startsWith('${') ? undefined : value;
}
