import { type CommandId, commands, keyLabel } from './commands.ts';

/** The key of a command, as a hint in its button. @param isHidden whether screen readers skip it */
export function CommandKey({ id, isHidden }: { id: CommandId; isHidden?: boolean }) {
  return <kbd aria-hidden={isHidden}>{keyLabel(commands[id].keys[0])}</kbd>;
}
