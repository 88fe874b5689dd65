// Checks where each client keeps its settings on each platform. The paths of other platforms are computed but not opened.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLIENTS } from '../../../src/cli/install/clients.ts';
import type { Workplace } from '../../../src/cli/machine.ts';

const files = (machine: Workplace) =>
  Object.fromEntries(CLIENTS.map((client) => [client.name, client.settingsFile(machine)]));

test('on macOS', () => {
  assert.deepEqual(files({ platform: 'darwin', env: { XDG_CONFIG_HOME: '/x' }, home: '/Users/é a', cwd: '/p' }), {
    'claude-desktop': '/Users/é a/Library/Application Support/Claude/claude_desktop_config.json',
    'claude-code': '/Users/é a/.claude.json',
    cursor: '/Users/é a/.cursor/mcp.json',
    vscode: '/Users/é a/Library/Application Support/Code/User/mcp.json',
    'copilot-cli': '/Users/é a/.copilot/mcp-config.json',
    codex: '/Users/é a/.codex/config.toml',
    zed: '/Users/é a/.config/zed/settings.json',
    windsurf: '/Users/é a/.codeium/windsurf/mcp_config.json',
    'claude-project': '/p/.mcp.json',
    gemini: '/Users/é a/.gemini/settings.json',
    goose: '/x/goose/config.yaml',
    lmstudio: '/Users/é a/.lmstudio/mcp.json',
    opencode: '/x/opencode/opencode.json',
    cline: '/Users/é a/.cline/data/settings/cline_mcp_settings.json',
    continue: '/Users/é a/.continue/config.yaml',
    junie: '/Users/é a/.junie/mcp/mcp.json',
  });
});

test('on Windows', () => {
  const env = { APPDATA: 'D:\\Roaming' };
  assert.deepEqual(files({ platform: 'win32', env, home: 'C:\\Users\\e', cwd: 'D:\\p' }), {
    'claude-desktop': 'D:\\Roaming\\Claude\\claude_desktop_config.json',
    'claude-code': 'C:\\Users\\e\\.claude.json',
    cursor: 'C:\\Users\\e\\.cursor\\mcp.json',
    vscode: 'D:\\Roaming\\Code\\User\\mcp.json',
    'copilot-cli': 'C:\\Users\\e\\.copilot\\mcp-config.json',
    codex: 'C:\\Users\\e\\.codex\\config.toml',
    zed: 'D:\\Roaming\\Zed\\settings.json',
    windsurf: 'C:\\Users\\e\\.codeium\\windsurf\\mcp_config.json',
    'claude-project': 'D:\\p\\.mcp.json',
    gemini: 'C:\\Users\\e\\.gemini\\settings.json',
    goose: 'D:\\Roaming\\Block\\goose\\config\\config.yaml',
    lmstudio: 'C:\\Users\\e\\.lmstudio\\mcp.json',
    opencode: 'C:\\Users\\e\\.config\\opencode\\opencode.json',
    cline: 'C:\\Users\\e\\.cline\\data\\settings\\cline_mcp_settings.json',
    continue: 'C:\\Users\\e\\.continue\\config.yaml',
    junie: 'C:\\Users\\e\\.junie\\mcp\\mcp.json',
  });
  const { vscode } = files({ platform: 'win32', env: {}, home: 'C:\\Users\\e', cwd: 'D:\\p' });
  assert.equal(vscode, 'C:\\Users\\e\\AppData\\Roaming\\Code\\User\\mcp.json');
});

test('on Linux, with the variables that set other folders', () => {
  const env = {
    XDG_CONFIG_HOME: '/x',
    CLAUDE_CONFIG_DIR: '/c',
    CODEX_HOME: '/o',
    COPILOT_HOME: '/h',
    CONTINUE_GLOBAL_DIR: '/n',
    GOOSE_PATH_ROOT: '/g',
  };
  assert.deepEqual(files({ platform: 'linux', env, home: '/home/e', cwd: '/p' }), {
    'claude-desktop': '/x/Claude/claude_desktop_config.json',
    'claude-code': '/c/.claude.json',
    cursor: '/home/e/.cursor/mcp.json',
    vscode: '/x/Code/User/mcp.json',
    'copilot-cli': '/h/mcp-config.json',
    codex: '/o/config.toml',
    zed: '/x/zed/settings.json',
    windsurf: '/home/e/.codeium/windsurf/mcp_config.json',
    'claude-project': '/p/.mcp.json',
    gemini: '/home/e/.gemini/settings.json',
    goose: '/g/config/config.yaml',
    lmstudio: '/home/e/.lmstudio/mcp.json',
    opencode: '/x/opencode/opencode.json',
    cline: '/home/e/.cline/data/settings/cline_mcp_settings.json',
    continue: '/n/config.yaml',
    junie: '/home/e/.junie/mcp/mcp.json',
  });
});

test('clients that defer tools are asked to load those of this server at once', () => {
  const written = (name: string) =>
    CLIENTS.find((client) => client.name === name)?.entry.write({ command: '/node', args: ['serve'] }, 'vaultgraph');
  const started = { type: 'stdio', command: '/node', args: ['serve'] };
  for (const name of ['claude-code', 'claude-project'])
    assert.deepEqual(written(name), { ...started, alwaysLoad: true });
  assert.deepEqual(written('copilot-cli'), { ...started, tools: ['*'], deferTools: 'never' });
});
