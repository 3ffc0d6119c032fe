/** Codes for which Android has others: it keeps the former codes of languages, and names Chinese by regions. */
const others: ReadonlyMap<string, string> = new Map([
  ['he', 'iw'],
  ['id', 'in'],
  ['yi', 'ji'],
  ['zh-Hans', 'zh-CN'],
  ['zh-Hant', 'zh-TW'],
]);

/**
 * Returns the code of a language in the names of Android's resource directories: `pt-rBR` for `pt-BR`, `b+sr+Latn` for
 * `sr-Latn`. The names are those of Android Studio and Weblate; `b+` needs Android 5.0.
 *
 * @see https://developer.android.com/guide/topics/resources/providing-resources
 * @param language a BCP 47 language tag in any letter case
 */
export function androidCode(language: string): string {
  const tag = canonical(language);
  const [base, ...rest] = (others.get(tag) ?? tag).split('-');
  const subtags = [others.get(base!) ?? base, ...rest];
  const isRegion = rest.length === 1 && /^[a-z]{2}$/i.test(rest[0]!);
  return isRegion ? subtags.join('-r') : rest.length === 0 ? subtags[0]! : `b+${subtags.join('+')}`;
}

/** Returns a tag in its usual letter case. An invalid tag stays, and the service rejects it. */
function canonical(language: string): string {
  try {
    return Intl.getCanonicalLocales(language)[0]!;
  } catch {
    return language;
  }
}
