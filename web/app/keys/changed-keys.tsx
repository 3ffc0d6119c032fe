import { useSyncExternalStore } from 'react';
import { type CommandId, commandIds, commands, keyLabel } from './commands.ts';

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
