import type { RunFormatting } from '../office/paragraph/paragraph-writer.ts';
import { parseProperties } from '../office/properties.ts';
import { type Edit, splice } from '../office/splice.ts';
import { isVariety, type TextLanguage } from '../office/text-language.ts';
import type { DirectionChange } from '../typesetting/languages.ts';
import { runDirection } from './direction.ts';

/** The elements that the schema of `rPr` places after `lang`, apart from elements of newer namespaces. */
const afterLang = new Set('eastAsianLayout specVanish oMath rPrChange'.split(' '));

/**
 * Returns the XML of an `rPr` element for text in the language. If the old element already sets a variety of this
 * language, it stays unchanged.
 *
 * @param properties the XML of the old `rPr`; '' if the run has none
 * @param prefix the namespace prefix of Word's elements, with the colon
 */
function runLanguage(properties: string, prefix: string, language: TextLanguage): string {
  const { raw, opening, name, prefix: own, children, endTag } = parseProperties(properties, `${prefix}rPr`);
  // The attribute is in Word's namespace, so it can only be written with a prefix.
  if (own === '') return properties;
  const { attribute, tag } = language;
  const element = `<${own}lang ${own}${attribute}="${tag}"/>`;
  if (endTag === undefined) return `${opening}>${element}</${name}>`;
  const present = children.find(({ local }) => local === 'lang');
  if (!present) {
    const at = children.find(({ local }) => local === undefined || afterLang.has(local))?.start ?? endTag;
    return [...splice(raw, [{ start: at, end: at, text: element }])].join('');
  }
  const written = raw.slice(present.start, present.end);
  const value = new RegExp(`\\s${own}${attribute}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(written);
  if (value && isVariety(value[1] ?? value[2] ?? '', language)) return raw;
  const edit: Edit = { start: present.start, end: present.end, text: '' };
  edit.text = value
    ? `${written.slice(0, value.index)} ${own}${attribute}="${tag}"${written.slice(value.index + value[0].length)}`
    : `<${own}lang ${own}${attribute}="${tag}"${written.slice(own.length + '<lang'.length)}`;
  return [...splice(raw, [edit])].join('');
}

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
