import { type InlineContent, joinStrings, plainText } from '../../inline-content.ts';
import type { TextLine } from './text-lines.ts';

/** Represents a hyphen at the end of a line until the words of the whole document decide whether the word has a hyphen. */
export const openHyphen = '\u00ad';

const openHyphens = /\u00ad/gu;
const wordBefore = /[\p{L}\p{M}'’-]*\p{L}$/u;
const wordAfter = /^\p{L}[\p{L}\p{M}]*/u;
/** The maximum length of a word in UTF-16 units. */
const maxWordLength = 80;

/** Prefixes that keep their hyphen. */
const hyphenatedPrefix = /^(?:self|well|quasi|half)$/u;
/** Words that join others without a hyphen: `under-stand`, `some-thing`. */
const joiningWord = /^(?:after|every|here|over|some|there|through|under|upper|what|when|where|with)$/u;
/** A first part before a separate word, such as `mode` in `mixed-mode`. */
const participle = /^\p{L}{3,}ed$/u;
const compound = /^\p{Ll}{3,}(?:-\p{Ll}{2,})+$/u;
/** The minimum number of compounds in a text that shows that its language joins words by hyphens. */
const minCompounds = 2;
/** The minimum length of a part in letters. Shorter parts of a divided word may be words by chance, as in `per-form`. */
const minPart = 4;

/** The words of a document that are neither first nor last in their line. They show how a divided word is spelled. */
export class Vocabulary {
  readonly #words = new Set<string>();
  /** With their case: German nouns start with a capital, parts of divided words do not. */
  readonly #lowerCase = new Set<string>();
  readonly #compounds = new Set<string>();

  add(lines: readonly TextLine[]): void {
    for (const { text } of lines)
      for (const written of text.split(' ').slice(1, -1)) {
        const word = bare(written);
        this.#words.add(word.toLowerCase());
        if (word === word.toLowerCase()) this.#lowerCase.add(word);
        if (this.#compounds.size < minCompounds && compound.test(word)) this.#compounds.add(word);
      }
  }

  /** Keeps or removes each open hyphen of a text. */
  settle(content: InlineContent): InlineContent {
    const text = plainText(content);
    if (!text.includes(openHyphen)) return content;
    const hyphens = [...text.matchAll(openHyphens)].map(({ index }) => {
      const before = text.slice(Math.max(0, index - maxWordLength), index).replaceAll(openHyphen, '');
      const after = text.slice(index + 1, index + maxWordLength).replaceAll(openHyphen, '');
      const tail = wordAfter.exec(after)?.[0] ?? '';
      const goesOn = after[tail.length] === '-';
      return this.#keepsHyphen(wordBefore.exec(before)?.[0] ?? '', tail, goesOn) ? '-' : '';
    });
    let count = 0;
    return joinStrings(
      content.map((item) =>
        typeof item === 'string' ? item.replace(openHyphens, () => hyphens[count++]!) : item,
      ),
    );
  }

  /**
   * Whether a word that a hyphen divides at the end of a line is spelled with that hyphen.
   * @param goesOn whether another hyphen follows the tail
   */
  #keepsHyphen(head: string, tail: string, goesOn: boolean): boolean {
    const [first, second] = [head.toLowerCase(), tail.toLowerCase()];
    if (this.#words.has(first + second)) return false;
    // A capital starts a word, as in `Franco-German`.
    if (tail === '' || tail !== second) return true;
    if (hyphenatedPrefix.test(first) || this.#words.has(`${first}-${second}`)) return true;
    const last = first.split('-').at(-1)!;
    // A further part of a compound, such as the last or the first part of `stop-the-world`.
    if (last !== first) return last.length > 1 && this.#words.has(last);
    if (goesOn) return this.#words.has(first) && this.#words.has(second);
    if (!this.#lowerCase.has(second) || second.length < minPart) return false;
    if (participle.test(first)) return true;
    return (
      first.length >= minPart &&
      this.#words.has(first) &&
      !joiningWord.test(first) &&
      this.#compounds.size >= minCompounds
    );
  }
}

function bare(word: string): string {
  return word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}
