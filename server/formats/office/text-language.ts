/**
 * The language of a run. Programs use this language to check spelling, to hyphenate and to read aloud. In Word files, three
 * groups of scripts have separate attributes.
 */
export interface TextLanguage {
  /** The attribute of `w:lang` for the scripts of the language. */
  attribute: 'val' | 'eastAsia' | 'bidi';
  /** The language tag with its region, as programs write it: `fr-FR`. */
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

/**
 * Whether a language tag is a variety of the language. British text stays British if the target is `en`, but not if the
 * target is a code with another region.
 */
export function isVariety(tag: string, language: Pick<TextLanguage, 'tag' | 'code'>): boolean {
  return tag === language.tag || (!language.code.includes('-') && tag.startsWith(`${language.code}-`));
}
