import { escapeKey } from '../existing-target.ts';

/** The keys that lead to a string of a file. */
export interface KeyPath {
  /** The keys as readers know them. */
  keys: readonly string[];
  /** The keys as parts of a name: without ambiguous dots, and with the length of an array. */
  names: readonly string[];
}

export const rootPath: KeyPath = { keys: [], names: [] };

export function withKey({ keys, names }: KeyPath, key: string): KeyPath {
  return { keys: [...keys, key], names: [...names, escapeKey(key)] };
}

/**
 * Returns the path of an item of an array. If an item is inserted or removed, all items get other names: their former names
 * would be those of other items.
 */
export function withIndex({ keys, names }: KeyPath, index: number, length: number): KeyPath {
  return {
    keys: [...keys, String(index + 1)],
    names: [...names, `${index + 1}/${length}`],
  };
}
