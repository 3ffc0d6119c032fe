import type { MessageId } from '../i18n.tsx';

/**
 * Where a key means its command. `field`: in the text that is edited. `list`: wherever no text is typed. `anywhere`: in both.
 */
export type Place = 'field' | 'list' | 'anywhere';

export interface Command {
  name: MessageId;
  /** Mod is Command on Apple's systems, otherwise Control. A letter alone is a single key, which can be switched off. */
  keys: readonly string[];
  where: Place;
  /** Whether it goes on while its key is held: only what moves, for a held key must not decide what nobody has seen. */
  repeats?: true;
}

/**
 * The one table of keys: the help and the palette are made from it. There is no Ctrl+Alt (AltGr writes characters with it), no
 * Alt+Shift (switches layouts on Windows), no Alt with a letter or digit (writes characters on macOS), no Ctrl with a digit (a tab).
 */
export const commands = {
  approve: { name: 'keys.approve', keys: ['Mod+Enter'], where: 'field' },
  save: { name: 'keys.save', keys: ['Mod+s'], where: 'field' },
  nextItem: { name: 'keys.next_item', keys: ['Alt+ArrowDown'], where: 'anywhere', repeats: true },
  previousItem: { name: 'keys.previous_item', keys: ['Alt+ArrowUp'], where: 'anywhere', repeats: true },
  nextMatch: { name: 'keys.next_match', keys: ['Mod+Shift+ArrowDown'], where: 'field', repeats: true },
  previousMatch: { name: 'keys.previous_match', keys: ['Mod+Shift+ArrowUp'], where: 'field', repeats: true },
  putBack: { name: 'keys.put_back', keys: ['Mod+.'], where: 'field' },
  addTerm: { name: 'keys.add_term', keys: ['Mod+i'], where: 'anywhere' },
  toList: { name: 'keys.to_list', keys: ['Escape'], where: 'field' },
  listDown: { name: 'keys.list_down', keys: ['j'], where: 'list', repeats: true },
  listUp: { name: 'keys.list_up', keys: ['k'], where: 'list', repeats: true },
  open: { name: 'keys.open', keys: ['Enter'], where: 'list' },
  approveInList: { name: 'keys.approve_in_list', keys: ['a'], where: 'list' },
  reject: { name: 'keys.reject', keys: ['r'], where: 'list' },
  select: { name: 'keys.select', keys: ['x'], where: 'list' },
  selectDown: { name: 'keys.select_down', keys: ['Shift+j'], where: 'list', repeats: true },
  selectUp: { name: 'keys.select_up', keys: ['Shift+k'], where: 'list', repeats: true },
  showDiff: { name: 'keys.show_diff', keys: ['d'], where: 'list' },
  find: { name: 'keys.find', keys: ['/'], where: 'list' },
  help: { name: 'keys.help', keys: ['?'], where: 'list' },
  palette: { name: 'keys.palette', keys: ['Mod+k'], where: 'anywhere' },
} as const satisfies Record<string, Command>;

export type CommandId = keyof typeof commands;

export const commandIds = Object.keys(commands) as CommandId[];

/** A key of the table, as people of this system know it: ⌘ or Ctrl, ↓. */
export function keyLabel(keys: string): string {
  const names: Record<string, string> = {
    Mod: isApple ? '⌘' : 'Ctrl',
    Alt: isApple ? '⌥' : 'Alt',
    Shift: isApple ? '⇧' : 'Shift',
    ArrowDown: '↓',
    ArrowUp: '↑',
    Escape: 'Esc',
  };
  return keys
    .split('+')
    .map((part) => names[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    .join(isApple ? '' : '+');
}

export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);
