import type { Token } from 'parse5';
import { canonicalLanguage, type LanguageCode, languageDirection, readLanguage } from '#server/languages.ts';
import { isTagOf } from '../messages/language-tags.ts';
import type { Edit } from '../office/splice.ts';
import type { TextOptions } from '../text-file.ts';

/**
 * Returns the changes that declare the language of a translation: in the tags of the element `html`, which also declares
 * its direction, and of `meta`, and in other tags that declare the language of the source. A declaration that means
 * the same language stays, such as `en-GB` for `en`.
 */
export function declaredLanguage(
  source: string,
  tags: readonly Token.TagToken[],
  { sourceLanguage, targetLanguage: language }: TextOptions,
): Edit[] {
  const code = language === undefined ? undefined : canonicalLanguage(language);
  if (!code) return [];
  return tags.flatMap((tag) => {
    if (tag.tagName === 'html') return declareOnRoot(source, tag, code);
    return tag.tagName === 'meta'
      ? declareInMeta(source, tag, code)
      : declareOnElement(source, tag, sourceLanguage, code);
  });
}

/** Changes the language of an element with that of the source, and its direction or that of the body. */
function declareOnElement(
  source: string,
  tag: Token.TagToken,
  from: string | undefined,
  code: LanguageCode,
): Edit[] {
  const names = ['lang', 'xml:lang'].filter((name) => {
    const declared = attributeOf(tag, name);
    return declared !== undefined && isTagOf(declared, from) && readLanguage(declared) !== code;
  });
  const edits = names.flatMap((name) => replaceValue(source, tag, name, code));
  const direction = languageDirection(code);
  const declared = attributeOf(tag, 'dir')?.toLowerCase();
  const isOther = declared === (direction === 'rtl' ? 'ltr' : 'rtl');
  if (isOther && (names.length > 0 || tag.tagName === 'body'))
    edits.push(...replaceValue(source, tag, 'dir', direction));
  return edits;
}

function declareOnRoot(source: string, root: Token.TagToken, code: LanguageCode): Edit[] {
  const direction = languageDirection(code);
  const edits: Edit[] = [];
  const added: string[] = [];
  const declare = (name: string, value: string): void => {
    if (root.location!.attrs?.[name]) edits.push(...replaceValue(source, root, name, value));
    else added.push(` ${name}="${value}"`);
  };
  for (const name of ['lang', 'xml:lang']) {
    const declared = attributeOf(root, name);
    if (declared === undefined ? name === 'lang' : readLanguage(declared) !== code) declare(name, code);
  }
  const declared = attributeOf(root, 'dir')?.toLowerCase();
  if (direction === 'rtl' ? declared !== 'rtl' : declared === 'rtl') declare('dir', direction);
  const at = root.location!.startOffset + '<html'.length;
  if (added.length > 0) edits.push({ start: at, end: at, text: added.join('') });
  return edits;
}

/** The names of `meta` elements that contain a language. */
const metaNames = new Set([
  'content-language',
  'og:locale',
  'language',
  'dc.language',
  'dcterms.language',
  'inlanguage',
]);

function declareInMeta(source: string, tag: Token.TagToken, code: LanguageCode): Edit[] {
  const name = ['http-equiv', 'property', 'name', 'itemprop']
    .map((attribute) => attributeOf(tag, attribute)?.toLowerCase())
    .find((one) => one !== undefined);
  const declared = attributeOf(tag, 'content')?.trim().replace('_', '-');
  if (
    !name ||
    !metaNames.has(name) ||
    !declared ||
    !readLanguage(declared) ||
    readLanguage(declared) === code
  )
    return [];
  // Open Graph requires a country.
  const { language, region } = new Intl.Locale(code).maximize();
  return replaceValue(source, tag, 'content', name === 'og:locale' ? `${language}_${region}` : code);
}

const attributeOf = (tag: Token.TagToken, name: string): string | undefined =>
  tag.attrs.find((one) => one.name === name)?.value;

/** Returns the change of the value of an attribute; none if the value may be template code. */
function replaceValue(source: string, tag: Token.TagToken, name: string, value: string): Edit[] {
  const range = tag.location!.attrs?.[name];
  if (!range) return [];
  const { startOffset: start, endOffset: end } = range;
  const written = source.slice(start, end);
  if (/[{<]/.test(written)) return [];
  const [, before, quote] = /^([^=]*=?\s*)(["']?)/.exec(written)!;
  const sign = before!.includes('=') ? before! : `${name}=`;
  return [{ start, end, text: `${sign}${quote || '"'}${value}${quote || '"'}` }];
}
