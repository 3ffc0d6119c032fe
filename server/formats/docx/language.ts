import { parseProperties } from '../office/properties.ts';
import { type Edit, splice } from '../office/splice.ts';
import { isVariety, type TextLanguage } from '../office/text-language.ts';

/** The elements that the schema of `rPr` places after `lang`, apart from elements of newer namespaces. */
const afterLang = new Set('eastAsianLayout specVanish oMath rPrChange'.split(' '));

/**
 * Returns the XML of an `rPr` element for text in the language. If the old element already sets a variety of this
 * language, it stays unchanged.
 *
 * @param properties the XML of the old `rPr`; '' if the run has none
 * @param prefix the namespace prefix of Word's elements, with the colon
 */
export function runLanguage(properties: string, prefix: string, language: TextLanguage): string {
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
