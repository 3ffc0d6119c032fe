import { withAttributes } from '../office/attributes.ts';
import type { RunFormatting } from '../office/paragraph/paragraph-writer.ts';
import { isVariety, textLanguageOf } from '../office/text-language.ts';

/**
 * Returns the formatting of translated runs: the properties of the source with the language of the translation. PowerPoint
 * takes the direction of a text from its paragraph.
 */
export function drawingFormatting(targetLanguage: string): RunFormatting {
  const language = textLanguageOf(targetLanguage);
  return {
    changesDirection: false,
    of: (properties, prefix) => {
      const opening = /^<(?:[^"'>]+|"[^"]*"|'[^']*')*>/.exec(properties)?.[0];
      if (opening === undefined) return `<${prefix}rPr lang="${language.tag}"/>`;
      const lang = /\slang\s*=\s*["']([^"']*)/.exec(opening)?.[1] ?? '';
      // `err` marks a mistake in the source text.
      const values = { err: undefined, ...(!isVariety(lang, language) && { lang: language.tag }) };
      return withAttributes(opening, values) + properties.slice(opening.length);
    },
  };
}
