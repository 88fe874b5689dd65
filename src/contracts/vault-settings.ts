// The settings files of Obsidian that are read from a vault. No other hidden file is ever read.

/** Vault-relative paths; these files are never listed, and cannot be read by path. */
export const SETTINGS_FILES = Object.freeze({
  'daily-notes': '.obsidian/daily-notes.json',
  'periodic-notes': '.obsidian/plugins/periodic-notes/data.json',
  templates: '.obsidian/templates.json',
  'community-plugins': '.obsidian/community-plugins.json',
});

export type SettingsName = keyof typeof SETTINGS_FILES;

/** A larger file is not read. */
export const MAX_SETTINGS_BYTES = 64 * 1024;

export type SettingsFile =
  | { readonly found: 'nothing' }
  | { readonly found: 'text'; readonly text: string }
  /** The file exists but cannot be read; the reason is a short phrase or an errno. */
  | { readonly found: 'fault'; readonly reason: string };

export interface VaultSettings {
  /** The present content of the file. @throws VAULT_UNAVAILABLE */
  settings(name: SettingsName, signal: AbortSignal): Promise<SettingsFile>;
}
