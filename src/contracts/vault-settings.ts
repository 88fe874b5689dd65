// What a vault keeps of its editor's settings and may be asked for: a fixed list of files, by name. No other hidden file is ever read.

/** Vault-relative paths; they are no notes, are never listed and cannot be read by their paths. */
export const SETTINGS_FILES = Object.freeze({
  'daily-notes': '.obsidian/daily-notes.json',
  'periodic-notes': '.obsidian/plugins/periodic-notes/data.json',
  templates: '.obsidian/templates.json',
  'community-plugins': '.obsidian/community-plugins.json',
});

export type SettingsName = keyof typeof SETTINGS_FILES;

/** A larger one is not what it says it is. */
export const MAX_SETTINGS_BYTES = 64 * 1024;

export type SettingsFile =
  | { readonly found: 'nothing' }
  | { readonly found: 'text'; readonly text: string }
  /** There, and not to be read: why, as a short phrase or an errno. */
  | { readonly found: 'fault'; readonly reason: string };

export interface VaultSettings {
  /** As it stands there at this moment. @throws VAULT_UNAVAILABLE */
  settings(name: SettingsName, signal: AbortSignal): Promise<SettingsFile>;
}
