// backup.ts is a link to this file: an older Node.js stops at the extension .ts before it reads a line (docs/decisions/0075).
import '../require-node.mjs';

await import('./backup-command.ts');
