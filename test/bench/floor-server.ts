// The smallest useful MCP server, as a baseline: the SDK's low-level server with SQLite loaded and one tool that echoes text of a given size.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import Database from 'better-sqlite3';

const database = new Database(':memory:');
const server = new Server({ name: 'floor', version: '1.0.0' }, { capabilities: { tools: {} } });

server.setRequestHandler(ListToolsRequestSchema, () => ({
  tools: [{ name: 'fill', inputSchema: { type: 'object', properties: { bytes: { type: 'integer' } } } }],
}));
server.setRequestHandler(CallToolRequestSchema, (request) => ({
  content: [{ type: 'text', text: 'x'.repeat(Number(request.params.arguments?.bytes)) }],
}));
process.stdin.once('end', () => database.close());
await server.connect(new StdioServerTransport());
