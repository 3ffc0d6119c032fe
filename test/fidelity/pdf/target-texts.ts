import type { InlineContent } from '#server/formats/inline-content.ts';
import type { LanguageCode } from '#server/languages.ts';
import { declaration } from '#test/formats/golden-declaration.ts';

const accented: Record<string, string> = {
  ...{ a: 'á', c: 'ç', e: 'é', i: 'î', n: 'ñ', o: 'ö', s: 'š', u: 'ü', y: 'ý', z: 'ž' },
  ...{ A: 'Á', C: 'Ç', E: 'É', I: 'Î', N: 'Ñ', O: 'Ö', S: 'Š', U: 'Ü', Y: 'Ý', Z: 'Ž' },
};

/**
 * Creates a pseudo-translation: the same words with accents, in which vowels are repeated until the text is `ratio`
 * times as long. Untranslated text is then easy to see, and the lengths of words are realistic.
 */
export function pseudoTranslate(content: InlineContent, ratio: number): InlineContent {
  let owed = 0;
  const letters = (text: string): string => {
    let result = '';
    for (const letter of text) {
      const drawn = accented[letter] ?? letter;
      owed += ratio - 1;
      const isVowel = /[aeiouyAEIOUY]/.test(letter);
      const times = isVowel ? 1 + Math.floor(Math.max(0, owed)) : 1;
      owed -= times - 1;
      result += drawn.repeat(times);
    }
    return result;
  };
  return content.map((item) => (typeof item === 'string' ? letters(item) : item));
}

/** Text in a language, in pieces of any length, from the Universal Declaration of Human Rights. */
export class NativeText {
  readonly #words: string[];
  #next = 0;

  constructor(language: LanguageCode) {
    const text = declaration(language).replace(/\s+/g, ' ');
    this.#words = [...new Intl.Segmenter(language, { granularity: 'word' }).segment(text)].map(
      ({ segment }) => segment,
    );
  }

  /** @param length in columns of Latin letters; an ideograph takes two columns */
  take(length: number): string {
    let text = '';
    do {
      text += this.#words[this.#next] ?? '';
      this.#next = (this.#next + 1) % this.#words.length;
    } while (columnsOf(text.trim()) < length || text.trim() === '');
    return text.trim();
  }

  /** Replaces a text by one of about the same length. The tags of the source are kept, and are between words. */
  translate(content: InlineContent): InlineContent {
    return content.map((item, index) => {
      if (typeof item !== 'string' || !/[\p{L}\p{N}]/u.test(item)) return item;
      const text = this.take(columnsOf(item.trim()));
      return `${index === 0 ? '' : ' '}${text}${index === content.length - 1 ? '' : ' '}`;
    });
  }
}

const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60]/u;

/** The approximate width of a text, in columns of Latin letters. Combining marks take no column. */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += wide.test(character) ? 2 : /\p{M}/u.test(character) ? 0 : 1;
  return columns;
}
