import { textLanguageOf } from '../docx/language.ts';
import { withAttributes } from '../office/attributes.ts';
import type { RunFormatting } from '../office/paragraph/paragraph-writer.ts';

/**
 * Returns the formatting of translated runs: the properties of the source with the language of the translation. PowerPoint
 * takes the direction of a text from its paragraph.
 */
export function drawingFormatting(targetLanguage: string): RunFormatting {
  const { tag, code } = textLanguageOf(targetLanguage);
  const isVariety = (lang: string): boolean =>
    lang === tag || (!code.includes('-') && lang.startsWith(`${code}-`));
  return {
    changesDirection: false,
    of: (properties, prefix) => {
      const opening = /^<(?:[^"'>]+|"[^"]*"|'[^']*')*>/.exec(properties)?.[0];
      if (opening === undefined) return `<${prefix}rPr lang="${tag}"/>`;
      const lang = /\slang\s*=\s*["']([^"']*)/.exec(opening)?.[1] ?? '';
      // `err` marks a mistake in the source text.
      const values = { err: undefined, ...(!isVariety(lang) && { lang: tag }) };
      return withAttributes(opening, values) + properties.slice(opening.length);
    },
  };
}
