import { accessCommands } from './commands/access.ts';
import { commandRouter } from './commands/command.ts';
import { dataCommands } from './commands/data.ts';
import { resealSecrets } from './commands/reseal-secrets.ts';
import { workCommands } from './commands/work.ts';
import { workspaceCommands } from './commands/workspaces.ts';

/** The operators' commands by name, in the order in which the help lists them. */
export const commands = commandRouter({
  ...workspaceCommands,
  ...accessCommands,
  ...dataCommands,
  ...workCommands,
  'reseal-secrets': resealSecrets,
});
