import { type Edit, splice } from '../office/splice.ts';
import { parseProperties } from './properties.ts';

/**
 * The language that `w:lang` sets for a run. Word uses it to check spelling, hyphenate and read aloud. Each kind of script has
 * a separate attribute.
 */
export interface TextLanguage {
  attribute: 'val' | 'eastAsia' | 'bidi';
  /** With its region, as Word writes it: `fr-FR`. */
  tag: string;
  /** A supported language code. */
  code: string;
}

const eastAsianScripts = new Set(['Hans', 'Hant', 'Jpan', 'Kore']);
/** Scripts that Word formats by the properties of complex scripts. */
const complexScripts = new Set(['Arab', 'Deva', 'Thai']);

/** @param code a supported language code */
export function textLanguageOf(code: string): TextLanguage {
  const { language, script = '', region } = new Intl.Locale(code).maximize();
  const attribute = eastAsianScripts.has(script) ? 'eastAsia' : complexScripts.has(script) ? 'bidi' : 'val';
  return { attribute, tag: `${language}-${region}`, code };
}

/** The elements after `lang` in an `rPr`, apart from elements of newer namespaces. */
const afterLang = new Set('eastAsianLayout specVanish oMath rPrChange'.split(' '));

/**
 * Returns an `rPr` for text in the language. If it already has a variety of that language, it stays unchanged.
 *
 * @param properties as written; '' if the run has none
 * @param prefix of Word's elements, with the colon
 */
export function runLanguage(properties: string, prefix: string, language: TextLanguage): string {
  const { raw, opening, name, prefix: own, children, endTag } = parseProperties(properties, `${prefix}rPr`);
  // An attribute in Word's namespace needs a prefix.
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
 * Whether a tag is a variety of the language. British text stays British if the target is English, but not if the target is
 * another variety of English.
 */
function isVariety(tag: string, language: TextLanguage): boolean {
  return tag === language.tag || (!language.code.includes('-') && tag.startsWith(`${language.code}-`));
}
