import type { RunFormatting } from '../office/paragraph/paragraph-writer.ts';
import type { TextLanguage } from '../office/text-language.ts';
import type { DirectionChange } from '../typesetting/languages.ts';
import { runDirection } from './direction.ts';
import { runLanguage } from './language.ts';

/** The maximum number of cached results. A document has many runs, but few different run properties. */
const maxCached = 1000;

/**
 * Computes the `rPr` elements of translated runs: the properties of the source, with the direction and the language of
 * the translation.
 */
export class WordRunFormatting implements RunFormatting {
  readonly #direction: DirectionChange;
  readonly #language: TextLanguage;
  readonly #made = new Map<string, string>();

  constructor(direction: DirectionChange, language: TextLanguage) {
    this.#direction = direction;
    this.#language = language;
  }

  get changesDirection(): boolean {
    return this.#direction !== 'kept';
  }

  /**
   * @param properties the XML of the source's `rPr` element; '' if the run has none
   * @param prefix the namespace prefix of Word's elements, with the colon
   * @param isRightToLeft whether the paragraph's style makes the text right-to-left
   */
  of(properties: string, prefix: string, isRightToLeft: boolean): string {
    const key = `${prefix}${isRightToLeft}${properties}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const turned = runDirection(properties, prefix, this.#direction, isRightToLeft);
    const made = runLanguage(turned, prefix, this.#language);
    if (this.#made.size === maxCached) this.#made.clear();
    this.#made.set(key, made);
    return made;
  }
}
