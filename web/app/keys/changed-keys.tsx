import { useSyncExternalStore } from 'react';
import { type Command, type CommandId, commandIds, commands, isApple, keyLabel } from './commands.ts';
import { latinKey } from './match-key.ts';

/** The keys that this browser's user has set instead of the default ones, by command. */
type Changed = Partial<Record<CommandId, string>>;

const storageName = 'lingualoop-keys';
const listeners = new Set<() => void>();
let changed = read();

// Other tabs of this browser follow.
addEventListener('storage', ({ key }) => {
  if (key === storageName) update(read());
});

function read(): Changed {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageName) ?? '{}');
    const entries = Object.entries(stored ?? {});
    // A later version may have other commands.
    return Object.fromEntries(
      entries.filter(([id, keys]) => commandIds.includes(id as CommandId) && typeof keys === 'string'),
    );
  } catch {
    return {};
  }
}

function update(next: Changed): void {
  changed = next;
  for (const listener of listeners) listener();
}

/** Sets the keys of a command, or all keys, back to the default ones with `undefined`. */
export function setKeys(id: CommandId | 'all', keys: string | undefined): void {
  const next = id === 'all' ? {} : { ...changed, [id]: keys };
  if (id !== 'all' && keys === undefined) delete next[id];
  localStorage.setItem(storageName, JSON.stringify(next));
  update(next);
}

/** The keys of a command: those that the user has set, otherwise the default ones. */
export function keysOf(id: CommandId): readonly string[] {
  const own = changed[id];
  return own === undefined ? commands[id].keys : [own];
}

export const isChanged = (id: CommandId): boolean => changed[id] !== undefined;

/** Renders a component again when keys change. @returns the changed keys */
export function useChangedKeys(): Changed {
  return useSyncExternalStore(subscribe, () => changed);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** The key of a command, as a hint in its button. @param isHidden whether screen readers skip it */
export function CommandKey({ id, isHidden }: { id: CommandId; isHidden?: boolean }) {
  useChangedKeys();
  const [key] = keysOf(id);
  return key === undefined ? null : <kbd aria-hidden={isHidden}>{keyLabel(key)}</kbd>;
}

/** The pressed keys as in `commands`; undefined while only modifiers are pressed. */
export function pressedKeys(event: KeyboardEvent): string | undefined {
  const { key, altKey, shiftKey, metaKey, ctrlKey } = event;
  if (/^(Shift|Control|Alt|AltGraph|Meta|CapsLock|Dead|Process|Unidentified)$/.test(key)) return undefined;
  const [isMod, isControl] = isApple ? [metaKey, ctrlKey] : [ctrlKey, false];
  const named = latinKey(event);
  // On some layouts, punctuation needs Shift.
  const hasShift = shiftKey && (named.length > 1 || /[a-z]/.test(named));
  const parts = [isMod && 'Mod', isControl && 'Control', altKey && 'Alt', hasShift && 'Shift', named];
  return parts.filter(Boolean).join('+');
}

/** Why keys cannot be set; `taken` by another command that can be used on the same screen. */
export type KeyProblem = { kind: 'types' | 'reserved' } | { kind: 'taken'; by: CommandId };

/** Returns why a command cannot have these keys; undefined if it can. */
export function problemOf(id: CommandId, keys: string): KeyProblem | undefined {
  const parts = keys.split('+');
  const key = parts.at(-1) ?? '';
  const has = (name: string) => parts.slice(0, -1).includes(name);
  const { where }: Command = commands[id];
  const isLetter = key.length === 1;
  const isFunction = /^F\d+$/.test(key);
  if (isReserved(key, has, where !== 'list')) return { kind: 'reserved' };
  const typesCharacter = !has('Mod') && !has('Control') && (!has('Alt') || (isApple && isLetter));
  if (typesCharacter && !isFunction && (where !== 'list' || has('Alt'))) return { kind: 'types' };
  const by = commandIds.find((other) => other !== id && !areApart(id, other) && hasKeys(other, keys));
  return by && { kind: 'taken', by };
}

/** Whether the browser or the system keeps the keys, or they edit a text or move the focus. */
function isReserved(key: string, has: (name: string) => boolean, isInField: boolean): boolean {
  if (has('Mod') && (has('Alt') || /^[\dtwn]$/.test(key))) return true;
  if (has('Mod') && isInField && /^[acvxzy]$/.test(key)) return true;
  const isPlain = !has('Mod') && !has('Alt') && !has('Control');
  return (
    /^(Tab|Escape|Backspace|Delete)$/.test(key) ||
    (isPlain && /^(Arrow.*|Home|End|Page.*|Space|F5|F11|F12)$/.test(key)) ||
    (isPlain && isInField && key === 'Enter')
  );
}

const hasKeys = (id: CommandId, keys: string) =>
  keysOf(id).some((one) => one.split('+').sort().join() === keys.split('+').sort().join());

/** Whether two commands have a default key in common, because they are on different screens. */
const areApart = (one: CommandId, other: CommandId) =>
  commands[one].keys.some((key) => (commands[other].keys as readonly string[]).includes(key));
