/*
 * Languages that a file of texts declares, as a key at its root or as the value of a key such as `locale`. A translation
 * declares its own language, because programs choose and check files by it.
 */

/** A language, with a script or a region: `en`, `en_US`, `zh-Hant-TW`. */
const tag = /^[a-z]{2,3}(?:[-_](?:[a-z]{4}|[a-z]{2}|\d{3}))*$/i;

const keys = /^(?:lang|language|locale|(?:lang|language|locale)[_-]?code)$/i;

/** Whether a tag is that of a language, in any region: `en-US` and `en_GB` are English. */
export function isTagOf(written: string, language: string | undefined): boolean {
  return language !== undefined && tag.test(written) && primary(written) === primary(language);
}

function primary(written: string): string {
  const [code] = written.toLowerCase().split(/[-_]/) as [string];
  return code === 'no' ? 'nb' : code;
}

/** Returns the tag of a language, with the separator that another tag has. */
export function spelledLike(written: string, language: string): string {
  return written.includes('_') ? language.replaceAll('-', '_') : language;
}

/**
 * Returns the value that the translation has for a key that declares the language of the source; undefined for other
 * keys and values.
 *
 * @param key the key with the keys around it, such as `app.locale`
 */
export function declaredTag(
  key: string,
  value: string,
  {
    sourceLanguage,
    targetLanguage,
  }: { sourceLanguage?: string | undefined; targetLanguage?: string | undefined },
): string | undefined {
  const isDeclared = keys.test(key.slice(key.lastIndexOf('.') + 1)) && isTagOf(value, sourceLanguage);
  return isDeclared && targetLanguage !== undefined ? spelledLike(value, targetLanguage) : undefined;
}
