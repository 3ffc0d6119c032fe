import { isPairAt } from './text.ts';

/**
 * The class of a text that is not translated. `kept`: a rule keeps it, such as a number. `unreadable`: its characters or
 * its place cannot be determined. `not_selected`: the request does not select its page or sheet, or does not include it.
 */
export type KeptClass = 'kept' | 'unreadable' | 'not_selected';

/** The texts of a file that are not translated for one reason. */
export interface KeptTexts {
  class: KeptClass;
  /** The name of the reason, such as `number` or `comments`. */
  reason: string;
  texts: number;
  /** The number of characters, in the unit of `countCharacters`. */
  characters: number;
}

/** The characters that do not count as visible: those that `String.prototype.trim` removes. */
export const whiteSpace =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff';

const whiteSpaces: ReadonlySet<string> = new Set(whiteSpace);

/** Counts the Unicode code points of a text without white space. */
export function countCharacters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    // Most characters are neither white space nor outside of ASCII.
    if ((unit > 0x20 && unit < 0x7f) || !whiteSpaces.has(text[index]!)) count++;
    if (isPairAt(text, index)) index++;
  }
  return count;
}

/** The outcome of all texts of a file before any is translated. */
export interface TextOutcome {
  kept: KeptTexts[];
  /** The number of characters of visible texts that are in neither a segment nor in `kept`. It must be 0. */
  unaccounted: number;
}

/** Counts the texts of a file that are not translated, and checks that none is missing. */
export class TextTally {
  readonly #kept = new Map<string, KeptTexts>();
  #unaccounted = 0;

  /** Adds a text that is not translated. A text without visible characters does not count, unless its length is unknown. */
  keep(kind: KeptClass, reason: string, characters: number, texts = 1): void {
    const key = `${kind} ${reason}`;
    const known = this.#kept.get(key);
    if (known) {
      known.texts += texts;
      known.characters += characters;
    } else this.#kept.set(key, { class: kind, reason, texts, characters });
  }

  /**
   * Compares the visible characters of a part of the file with those that are in segments or were kept.
   *
   * @param read counted independently of what becomes of the texts
   */
  check(read: number, accounted: number): void {
    this.#unaccounted += Math.abs(read - accounted);
  }

  outcome(): TextOutcome {
    return { kept: [...this.#kept.values()], unaccounted: this.#unaccounted };
  }
}
