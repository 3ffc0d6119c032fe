import { type LanguageCode, languageDirection } from '#server/languages.ts';
import type { PoEntry } from './parser.ts';

/*
 * Entries that are not texts: a toolkit reads a setting from the translation, as GTK the direction from `default:LTR`, or
 * translators write their names into it.
 */

const settings = /^(?:default|predefined|calendar):[\w:%-]+$|^(?:QT_LAYOUT_DIRECTION|html_lang_attribute)$/;
const credits =
  /^translators?[-_ ]credits?$|^(?:names?|e-?mails?|roles?|credits?)[_ ](?:of|for)[_ ]translators?\b/i;
const contexts = /^(?:calendar|default):|\bdo not translate\b|^text direction$/i;
/** A figure of a page that itstool has read. */
const figure = /^external ref='[^']*' md5='[^']*'$/;

/** Whether the text of an entry stays. */
export function isReserved({ id, context }: Pick<PoEntry, 'id' | 'context'>): boolean {
  const about = context?.text ?? '';
  return (
    settings.test(id.text) ||
    credits.test(id.text.replace(/^_:\s*/, '')) ||
    credits.test(about) ||
    contexts.test(about) ||
    figure.test(id.text)
  );
}

/** Returns the value of a setting that depends on the language; undefined for other entries, which have no translation. */
export function settingFor(
  { id, context }: Pick<PoEntry, 'id' | 'context'>,
  language: LanguageCode,
): string | undefined {
  const direction = languageDirection(language);
  if (id.text === 'default:LTR') return direction === 'rtl' ? 'default:RTL' : undefined;
  if (id.text === 'QT_LAYOUT_DIRECTION') return direction.toUpperCase();
  if (id.text === 'html_lang_attribute') return language;
  return context?.text === 'text direction' && /^(?:ltr|rtl)$/i.test(id.text) ? direction : undefined;
}
