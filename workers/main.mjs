// main.ts is a link to this file: an older Node.js stops at the extension .ts before it reads a line (docs/decisions/0075).
import '../server/commands/require-node.mjs';

await import('../server/commands/worker-command.ts');
