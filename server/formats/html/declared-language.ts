import type { Token } from 'parse5';
import { canonicalLanguage, languageDirection, readLanguage } from '#server/languages.ts';
import type { Edit } from '../office/splice.ts';

/**
 * Returns the changes that declare the language of a translation and its direction in the tag of the element `html`. A
 * declaration that means the same language stays, such as `en-GB` for `en`.
 */
export function declaredLanguage(
  source: string,
  root: Token.TagToken | undefined,
  language: string | undefined,
): Edit[] {
  const code = language === undefined ? undefined : canonicalLanguage(language);
  if (!root || !code) return [];
  const direction = languageDirection(code);
  const edits: Edit[] = [];
  const added: string[] = [];
  const attributeOf = (name: string): string | undefined =>
    root.attrs.find((one) => one.name === name)?.value;
  const declare = (name: string, value: string): void => {
    const range = root.location!.attrs?.[name];
    if (!range) {
      added.push(` ${name}="${value}"`);
      return;
    }
    const { startOffset: start, endOffset: end } = range;
    const [, before, quote] = /^([^=]*=?\s*)(["']?)/.exec(source.slice(start, end))!;
    // The value may be template code.
    if (/[{<]/.test(source.slice(start, end))) return;
    const written = before!.includes('=') ? before! : `${name}=`;
    edits.push({ start, end, text: `${written}${quote || '"'}${value}${quote || '"'}` });
  };
  for (const name of ['lang', 'xml:lang']) {
    const declared = attributeOf(name);
    if (declared === undefined ? name === 'lang' : readLanguage(declared) !== code) declare(name, code);
  }
  const declared = attributeOf('dir')?.toLowerCase();
  if (direction === 'rtl' ? declared !== 'rtl' : declared === 'rtl') declare('dir', direction);
  const at = root.location!.startOffset + '<html'.length;
  if (added.length > 0) edits.push({ start: at, end: at, text: added.join('') });
  return edits;
}
