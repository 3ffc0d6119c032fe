import type { MessageId, MessageValues, Translate } from '../i18n.tsx';

export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * The place in which a key runs its command. `field`: in the edited text. `list`: outside of text fields. `anywhere`: in
 * both.
 */
export type Place = 'field' | 'list' | 'anywhere';

export interface Command {
  name: MessageId;
  /** Values of the placeholders in the name. */
  values?: MessageValues;
  /**
   * Mod is Command on Apple's systems, otherwise Control. A letter without modifiers is a single key, which can be disabled.
   */
  keys: readonly string[];
  where: Place;
  /**
   * Whether the command repeats while its key is held. Only commands that move between items do: a held key must not
   * decide about translations that the reviewer has not seen.
   */
  repeats?: true;
}

/**
 * All keyboard shortcuts; the help and the palette show the same list. These combinations are not used, because systems
 * reserve them: Ctrl+Alt (AltGr types characters), Alt+Shift (switches layouts on Windows), Alt with a letter or digit
 * on macOS (types characters), Ctrl with a digit elsewhere (switches tabs).
 */
export const commands = {
  approve: { name: 'keys.approve', keys: ['Mod+Enter'], where: 'field' },
  save: { name: 'keys.save', keys: ['Mod+s'], where: 'field' },
  nextItem: { name: 'keys.next_item', keys: ['Alt+ArrowDown'], where: 'anywhere', repeats: true },
  previousItem: { name: 'keys.previous_item', keys: ['Alt+ArrowUp'], where: 'anywhere', repeats: true },
  putBack: { name: 'keys.put_back', keys: ['Mod+.'], where: 'field' },
  openUnsaved: { name: 'keys.open_unsaved', keys: [isApple ? 'Mod+Shift+o' : 'Alt+o'], where: 'anywhere' },
  nextFinding: {
    name: 'tools.next_finding',
    keys: ['F8', ...apple('Control+g')],
    where: 'anywhere',
    repeats: true,
  },
  previousFinding: {
    name: 'tools.previous_finding',
    keys: ['Shift+F8', ...apple('Control+Shift+g')],
    where: 'anywhere',
    repeats: true,
  },
  concordance: { name: 'tools.concordance', keys: ['F3', ...apple('Control+l')], where: 'anywhere' },
  changeCase: { name: 'tools.change_case', keys: ['Shift+F3'], where: 'field' },
  characters: { name: 'tools.characters', keys: [isApple ? 'Control+i' : 'Alt+i'], where: 'field' },
  noBreakSpace: { name: 'tools.no_break_space', keys: ['Mod+Shift+Space'], where: 'field' },
  spelling: { name: 'tools.spelling', keys: ['F7', ...apple('Control+w')], where: 'field' },
  markError: { name: 'editor.mark_error', keys: [isApple ? 'Control+q' : 'Alt+q'], where: 'field' },
  showChanges: { name: 'tools.show_changes', keys: [isApple ? 'Control+m' : 'Alt+m'], where: 'anywhere' },
  toggleRepetitions: {
    name: 'tools.toggle_repetitions',
    keys: [isApple ? 'Control+p' : 'Alt+p'],
    where: 'anywhere',
  },
  addTerm: { name: 'keys.add_term', keys: ['Mod+i'], where: 'anywhere' },
  copySource: { name: 'keys.copy_source', keys: [isApple ? 'Mod+Shift+s' : 'Alt+s'], where: 'field' },
  useSuggestion: { name: 'keys.use_suggestion', keys: ['Alt+Enter'], where: 'field' },
  confirmAnyway: { name: 'keys.confirm_anyway', keys: ['Mod+Shift+Enter'], where: 'anywhere' },
  insertMatch1: insertMatch(1),
  insertMatch2: insertMatch(2),
  insertMatch3: insertMatch(3),
  insertMatch4: insertMatch(4),
  insertMatch5: insertMatch(5),
  undoDecision: { name: 'keys.undo_decision', keys: ['Mod+z'], where: 'list' },
  redoDecision: { name: 'keys.redo_decision', keys: ['Mod+Shift+z', 'Mod+y'], where: 'list' },
  findText: { name: 'keys.find_text', keys: ['Mod+f'], where: 'anywhere' },
  // On Apple's systems, Command+H hides the browser.
  replaceText: { name: 'keys.replace_text', keys: [isApple ? 'Mod+Shift+h' : 'Mod+h'], where: 'anywhere' },
  toList: { name: 'keys.to_list', keys: ['Escape'], where: 'field' },
  listDown: { name: 'keys.list_down', keys: ['j'], where: 'list', repeats: true },
  listUp: { name: 'keys.list_up', keys: ['k'], where: 'list', repeats: true },
  open: { name: 'keys.open', keys: ['Enter'], where: 'list' },
  selectA: selectTranslation('A'),
  selectB: selectTranslation('B'),
  selectC: selectTranslation('C'),
  selectD: selectTranslation('D'),
  keepAll: { name: 'keys.keep_all', keys: ['s'], where: 'list' },
  reject: { name: 'keys.reject', keys: ['r'], where: 'list' },
  assign: { name: 'keys.assign', keys: ['a'], where: 'list' },
  setDue: { name: 'keys.set_due', keys: ['d'], where: 'list' },
  select: { name: 'keys.select', keys: ['x'], where: 'list' },
  openNext: { name: 'inbox.open_next', keys: ['g'], where: 'list' },
  find: { name: 'keys.find', keys: ['/'], where: 'list' },
  help: { name: 'keys.help', keys: ['?'], where: 'list' },
  palette: { name: 'keys.palette', keys: ['Mod+k'], where: 'anywhere' },
} as const satisfies Record<string, Command>;

export type CommandId = keyof typeof commands;

export const commandIds = Object.keys(commands) as CommandId[];

export function nameOfCommand(id: CommandId, t: Translate): string {
  const { name, values }: Command = commands[id];
  return t(name, values);
}

/** A further key on Apple's systems, whose function keys need another key. */
function apple(key: string): string[] {
  return isApple ? [key] : [];
}

function insertMatch(number: number) {
  const keys = [isApple ? `Control+${number}` : `Alt+${number}`];
  return { name: 'keys.insert_match', values: { number }, keys, where: 'field' } as const;
}

function selectTranslation(letter: string) {
  return {
    name: 'keys.select_translation',
    values: { letter },
    keys: [letter.toLowerCase()],
    where: 'list',
  } as const;
}

/** The label of a key on this system: ⌘ or Ctrl, ↓. */
export function keyLabel(keys: string): string {
  const names: Record<string, string> = {
    Mod: isApple ? '⌘' : 'Ctrl',
    Alt: isApple ? '⌥' : 'Alt',
    Control: '⌃',
    Enter: '⏎',
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
