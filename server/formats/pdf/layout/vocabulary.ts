import { type InlineContent, joinStrings, plainText } from '../../inline-content.ts';
import type { TextLine } from './text-lines.ts';

/** Stands for a hyphen at the end of a line until the words of the whole document tell whether the word has it. */
export const openHyphen = '\u00ad';

const openHyphens = /\u00ad/gu;
const wordBefore = /[\p{L}\p{M}'’-]*\p{L}$/u;
const wordAfter = /^\p{L}[\p{L}\p{M}]*/u;
/** In UTF-16 units: longer words are none. */
const longestWord = 80;

/** Prefixes that keep their hyphen. */
const hyphenatedPrefix = /^(?:self|well|quasi|half)$/u;
/** Words that join others without a hyphen: `under-stand`, `some-thing`. */
const joiningWord = /^(?:after|every|here|over|some|there|through|under|upper|what|when|where|with)$/u;
/** Before a word of its own, such as `mode` in `mixed-mode`. */
const participle = /^\p{L}{3,}ed$/u;
const compound = /^\p{Ll}{3,}(?:-\p{Ll}{2,})+$/u;
/** A text with fewer does not show that its language joins words by hyphens. */
const fewestCompounds = 2;
/** In letters: shorter parts of a divided word may be words by chance, as in `per-form`. */
const shortestPart = 4;

/** The words of a document that are neither first nor last in their line. They tell how a divided word is written. */
export class Vocabulary {
  readonly #words = new Set<string>();
  /** As they are written: nouns of German have a capital, parts of divided words do not. */
  readonly #lowerCase = new Set<string>();
  readonly #compounds = new Set<string>();

  add(lines: readonly TextLine[]): void {
    for (const { text } of lines)
      for (const written of text.split(' ').slice(1, -1)) {
        const word = bare(written);
        this.#words.add(word.toLowerCase());
        if (word === word.toLowerCase()) this.#lowerCase.add(word);
        if (this.#compounds.size < fewestCompounds && compound.test(word)) this.#compounds.add(word);
      }
  }

  /** Writes or drops each open hyphen of a text. */
  settle(content: InlineContent): InlineContent {
    const text = plainText(content);
    if (!text.includes(openHyphen)) return content;
    const hyphens = [...text.matchAll(openHyphens)].map(({ index }) => {
      const before = text.slice(Math.max(0, index - longestWord), index).replaceAll(openHyphen, '');
      const after = text.slice(index + 1, index + longestWord).replaceAll(openHyphen, '');
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
   * Whether a word that a hyphen divides at the end of a line is written with that hyphen.
   * @param goesOn whether another hyphen comes after the tail
   */
  #keepsHyphen(head: string, tail: string, goesOn: boolean): boolean {
    const [first, second] = [head.toLowerCase(), tail.toLowerCase()];
    if (this.#words.has(first + second)) return false;
    // A capital begins a word, as in `Franco-German`.
    if (tail === '' || tail !== second) return true;
    if (hyphenatedPrefix.test(first) || this.#words.has(`${first}-${second}`)) return true;
    const last = first.split('-').at(-1)!;
    // One more part of a compound, such as the last or the first one of `stop-the-world`.
    if (last !== first) return last.length > 1 && this.#words.has(last);
    if (goesOn) return this.#words.has(first) && this.#words.has(second);
    if (!this.#lowerCase.has(second) || second.length < shortestPart) return false;
    if (participle.test(first)) return true;
    return (
      first.length >= shortestPart &&
      this.#words.has(first) &&
      !joiningWord.test(first) &&
      this.#compounds.size >= fewestCompounds
    );
  }
}

function bare(word: string): string {
  return word.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}
