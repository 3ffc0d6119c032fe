import type { Edit } from '../office/splice.ts';
import { textLanguageOf } from '../office/text-language.ts';
import type { TextOptions } from '../text-file.ts';
import { directionChange } from '../typesetting/languages.ts';

const namespaces = 'urn:oasis:names:tc:opendocument:xmlns:';

/** The suffixes of the attributes for the three groups of scripts. */
const suffixes = { val: '', eastAsia: '-asian', bidi: '-complex' } as const;

/**
 * Returns the changes that declare the language of the translation: in all text properties with the language of the
 * source, and in those of default styles. If the writing direction changes, default paragraphs get the new one.
 *
 * @param offset is added to the positions
 */
export function languageEdits(
  source: string,
  offset: number,
  { sourceLanguage, targetLanguage }: TextOptions,
): Edit[] {
  const prefixOf = (name: string) =>
    new RegExp(`\\sxmlns:([\\w.-]+)\\s*=\\s*["']${namespaces}${name}["']`).exec(source)?.[1];
  const [fo, style] = [prefixOf('xsl-fo-compatible:1.0'), prefixOf('style:1.0')];
  // A part without a declaration of the namespaces has no properties of texts.
  if (!sourceLanguage || !targetLanguage || fo === undefined || style === undefined) return [];
  const from = sourceLanguage.split('-')[0]!;
  const to = textLanguageOf(targetLanguage);
  const [language = '', region = 'none'] = to.tag.split('-');
  const direction = directionChange(sourceLanguage, targetLanguage);
  const suffix = suffixes[to.attribute];
  const prefix = suffix === '' ? fo : style;
  const edits: Edit[] = [];
  let inDefault = false;
  for (const { 0: tag, 1: slash, 2: name, index } of source.matchAll(
    new RegExp(`<(/?)${style}:(default-style|text-properties|paragraph-properties)\\b[^>]*>`, 'g'),
  )) {
    if (name === 'default-style') inDefault = slash === '' && !tag.endsWith('/>');
    if (slash !== '' || name === 'default-style') continue;
    const isSource = new RegExp(
      `\\slanguage(?:-asian|-complex)?="${from}"|:language(?:-asian|-complex)?="${from}"`,
    ).test(tag);
    let changed = tag;
    if (name === 'text-properties' && (isSource || inDefault)) {
      changed = set(changed, `${prefix}:language${suffix}`, language);
      changed = set(changed, `${prefix}:country${suffix}`, region);
    }
    if (name === 'paragraph-properties' && inDefault && direction !== 'kept')
      changed = set(changed, `${style}:writing-mode`, direction === 'rtl' ? 'rl-tb' : 'lr-tb');
    if (changed !== tag)
      edits.push({ start: offset + index, end: offset + index + tag.length, text: changed });
  }
  return edits;
}

function set(tag: string, name: string, value: string): string {
  const known = new RegExp(`(\\s${name}=)("[^"]*"|'[^']*')`);
  if (known.test(tag)) return tag.replace(known, `$1"${value}"`);
  return tag.replace(/\s*\/?>$/, (end) => ` ${name}="${value}"${end.trim()}`);
}
