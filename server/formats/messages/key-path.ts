import { escapeKey } from '../existing-target.ts';
import { FileError } from '../file-error.ts';
import { plainText } from '../inline-content.ts';
import type { Edit } from '../office/splice.ts';
import type { TextPlace } from '../text-file.ts';

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

/** Writes the keys of a file's strings. A long key is repeated for each string below it, so their length is limited. */
export class KeyWriter {
  #left: number;

  /** @param text the text of the file */
  constructor(text: string) {
    this.#left = 20 * text.length + 100_000;
  }

  /** @throws {FileError} `too_large` with the line */
  write({ keys, names }: KeyPath, line: number): { key: string; name: string } {
    this.#left -= keys.reduce((sum, key) => sum + key.length + 1, 0);
    if (this.#left < 0)
      throw new FileError(
        'too_large',
        `line ${line}: the keys above this text are too long, or have too many levels`,
      );
    return { key: keys.join('.'), name: names.join('.') };
  }
}

/**
 * Joins places whose translations are written together, in a copy of the source.
 *
 * @param write receives the changes of all places, which lead from the source to the translation, in order
 */
export function joinPlaces(
  places: readonly TextPlace[],
  write: (edits: Edit[], needsReview: boolean) => Edit[],
): TextPlace {
  return {
    isBilingual: true,
    segments: places.flatMap(({ segments }) => segments),
    original: places
      .map(({ original, segments }) => original ?? segments.map(({ source }) => plainText(source)).join(''))
      .join(''),
    write: (targets) => {
      let at = 0;
      const edits = places.flatMap((place) => {
        const start = at;
        at += place.segments.length;
        return place.write(targets.slice(start, at));
      });
      edits.sort((one, other) => one.start - other.start || one.end - other.end);
      const needsReview = targets.some((target) => target.needsReview);
      return write(edits, needsReview);
    },
  };
}
