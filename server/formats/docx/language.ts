import { parseProperties } from '../office/properties.ts';
import { type Edit, splice } from '../office/splice.ts';

/**
 * The language that `w:lang` sets for a run. Word uses this language to check spelling, to hyphenate and to read aloud.
 * `w:lang` has separate attributes for three groups of scripts.
 */
export interface TextLanguage {
  attribute: 'val' | 'eastAsia' | 'bidi';
  /** The language tag with its region, as Word writes it: `fr-FR`. */
  tag: string;
  /** The language as a supported language code. */
  code: string;
}

const eastAsianScripts = new Set(['Hans', 'Hant', 'Jpan', 'Kore']);
/** The scripts that Word formats by its complex-script properties. */
const complexScripts = new Set(['Arab', 'Deva', 'Thai']);

/** @param code a supported language code */
export function textLanguageOf(code: string): TextLanguage {
  const { language, script = '', region } = new Intl.Locale(code).maximize();
  const attribute = eastAsianScripts.has(script) ? 'eastAsia' : complexScripts.has(script) ? 'bidi' : 'val';
  return { attribute, tag: `${language}-${region}`, code };
}

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

/**
 * Whether a language tag is a variety of the language. British text stays British if the target is `en`, but not if the
 * target is a code with another region.
 */
function isVariety(tag: string, language: TextLanguage): boolean {
  return tag === language.tag || (!language.code.includes('-') && tag.startsWith(`${language.code}-`));
}
