import { isTagOf } from '../messages/language-tags.ts';

/*
 * Parts of a page that are in another language than the page, and declare it, such as `<i lang="la">` and the names in a
 * choice of languages. They stay.
 */

/** The name of the reason in a receipt. */
export const otherLanguage = 'other_language';

/** A language, with a script and a region. `und`, `mul` and `mis` name none. */
const tag = /^(?!(?:und|mul|mis)(?:-|$))[a-z]{2,3}(?:[-_][a-z0-9]{2,8}){0,4}$/i;

/**
 * Returns whether a part with this declaration stays: undefined for a declaration that means nothing here.
 *
 * @param own the languages that are translated: that of the request, and that of the page if it declares another one
 */
export function isOtherLanguage(
  declared: string | undefined,
  own: readonly (string | undefined)[],
): boolean | undefined {
  const written = declared?.trim() ?? '';
  if (own[0] === undefined || !tag.test(written)) return undefined;
  return !own.some((language) => isTagOf(written, language));
}

/** Whether a text is the name of a language in this language, such as “Deutsch” for `de`. */
export function isOwnName(text: string, language: string): boolean {
  const written = language.trim().replaceAll('_', '-');
  if (!tag.test(written)) return false;
  const name = text.trim().toLowerCase();
  return [written, written.split('-')[0]!].some((code) => {
    const names = new Intl.DisplayNames(code, { type: 'language' });
    return Intl.DisplayNames.supportedLocalesOf(code).length > 0 && names.of(code)?.toLowerCase() === name;
  });
}
