import type { Command } from '../command.ts';
import { align } from './align.ts';
import { compat } from './compat.ts';
import { glossary } from './glossary.ts';
import { login, logout, whoami } from './login.ts';
import { mcp } from './mcp.ts';
import { memory } from './memory.ts';
import { relay } from './relay.ts';
import { review } from './review.ts';
import { translate } from './translate.ts';
import { usage } from './usage.ts';

/** All commands by their names, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  login,
  logout,
  whoami,
  translate,
  review,
  glossary,
  memory,
  align,
  usage,
  relay,
  mcp,
  compat,
};
