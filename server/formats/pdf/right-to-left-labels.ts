import { directionOf } from '../typesetting/languages.ts';
import { shapeParagraph } from '../typesetting/paragraph.ts';
import type { BlockTranslation, Languages } from './fitting/frames.ts';

/**
 * If a left-to-right text becomes right-to-left, moves the bullet or number in front of the text into its translation,
 * because the label must then be at the right end of the first line. The label stays at its position if it is in a
 * table cell, or if no font has its characters.
 */
export function withLabelInText(item: BlockTranslation, languages: Languages): BlockTranslation {
  const { block, target } = item;
  const { label } = block;
  const isTurned =
    directionOf(languages.targetLanguage) === 'rtl' && directionOf(languages.sourceLanguage) === 'ltr';
  const begins = block.alignment === 'left' || block.alignment === 'justified';
  if (!isTurned || !label || !begins || block.kind === 'table_cell') return item;
  const box = { ...block.box, left: label.left };
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
