import { directionOf } from '../typesetting/languages.ts';
import { shapeParagraph } from '../typesetting/paragraph.ts';
import type { BlockTranslation, Languages } from './fitting/frames.ts';
import { intersection, transformRectangle } from './geometry.ts';
import type { PageContent } from './page-content.ts';

/**
 * Moves the bullet or number in front of a text into its translation if the translation is right-to-left, unlike its source,
 * because the label must be at the start of the text on the other side. The label does not move in a table, if no font has its
 * character, or in a link, whose position is fixed.
 */
export function withLabelInText(
  item: BlockTranslation,
  page: PageContent,
  languages: Languages,
): BlockTranslation {
  const { block, target } = item;
  const { label } = block;
  const isTurned =
    directionOf(languages.targetLanguage) === 'rtl' && directionOf(languages.sourceLanguage) === 'ltr';
  const begins = block.alignment === 'left' || block.alignment === 'justified';
  if (!isTurned || !label || !begins || block.kind === 'table_cell') return item;
  const box = { ...block.box, left: label.left };
  const place = transformRectangle(block.matrix, box);
  if (page.annotations.some((other) => other.kind === 'link' && intersection(other.box, place))) return item;
  if (!hasFont(label.text, languages.targetLanguage)) return item;
  const tag = Math.max(0, ...block.spans.keys()) + 1;
  return {
    block: {
      ...block,
      box,
      label: null,
      indent: label.left - block.box.left,
      spans: new Map([...block.spans, [tag, label.style]]),
      glyphs: [...label.glyphs, ...block.glyphs],
    },
    target: [{ tag, type: 'open' }, label.text, { tag, type: 'close' }, ' ', ...target],
  };
}

function hasFont(text: string, language: string): boolean {
  const { clusters } = shapeParagraph(text, { language, direction: directionOf(language) });
  return clusters.every(({ glyphs }) => glyphs.every(({ id }) => id !== 0));
}
