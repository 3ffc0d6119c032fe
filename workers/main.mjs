// main.ts is a link to this file. An older Node.js follows the link and runs this file, but rejects a file whose extension
// is .ts without reading it (docs/decisions/0075).
import '../server/commands/require-node.mjs';

await import('../server/commands/worker-command.ts');
