// main.ts is a link to this file. An older Node.js follows the link and runs this file. It would reject a
// file with the extension .ts without reading it (docs/decisions/0001).
import '../server/commands/require-node.mjs';

await import('../server/commands/worker-command.ts');
