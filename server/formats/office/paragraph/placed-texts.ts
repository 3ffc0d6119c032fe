import type { Finding, SegmentKey } from '../../document.ts';
import type { InlineContent } from '../../inline-content.ts';
import type { KeyAndPlace } from '../numbering.ts';
import type { ParagraphContent, ParagraphTexts } from './paragraph-content.ts';
import { isUnchanged, sourceOf, type WritingStyle, writeParagraph } from './paragraph-writer.ts';

/** A text of a paragraph: all of it, or the text on one side of a tab. */
export interface PlacedText extends SegmentKey {
  /** The location of the text in its story, in a readable form: `paragraph 3`, `table 1, row 2, cell 3`. */
  place: string;
  content: ParagraphContent;
}

export function placedTexts({ parts, isWhole }: ParagraphTexts, key: KeyAndPlace): PlacedText[] {
  if (isWhole) return [{ ...key, content: parts[0]! }];
  const { regionId, cellId, place } = key;
  return parts.map((content, index) => {
    const suffix = `s${index + 1}`;
    const own =
      cellId === null ? { regionId: regionId + suffix, cellId } : { regionId, cellId: cellId + suffix };
    return { ...own, place: `${place}, text ${index + 1}`, content };
  });
}

/** A loss of a translation: the order of its tags, or some of its formatting. */
export type Loss = 'order' | 'format';

/**
 * Writes the translations of a paragraph's texts.
 *
 * @param targetOf returns the translation of a text; undefined if it has none
 * @param keepsUnchanged whether a text stays that equals its source
 * @param onLoss is called for each text whose translation loses something
 * @returns the XML of the paragraph without its properties; undefined if no text changes
 */
export function writeTexts(
  texts: readonly PlacedText[],
  targetOf: (text: PlacedText) => InlineContent | undefined,
  { style, keepsUnchanged }: { style: WritingStyle; keepsUnchanged: boolean },
  onLoss: (text: PlacedText, loss: Loss) => void,
): string | undefined {
  const targets = texts.map((text) => {
    const target = targetOf(text);
    return target && keepsUnchanged && isUnchanged(text.content, target) ? undefined : target;
  });
  if (targets.every((target) => target === undefined)) return undefined;
  return texts
    .map((text, index) => {
      const target = targets[index];
      if (!target) return sourceOf(text.content, style);
      const written = writeParagraph(text.content, target, style);
      if (written.isReordered) onLoss(text, 'order');
      else if (written.hasLostFormat) onLoss(text, 'format');
      return written.text;
    })
    .join('');
}

/**
 * Returns the finding about a translation that has lost something.
 *
 * @param location the place of the text in the file
 * @param program the program that opens the file
 */
export function lossFinding(
  loss: Loss,
  location: string,
  { regionId, cellId }: SegmentKey,
  program: string,
): Finding {
  const unitId = cellId ?? regionId;
  if (loss === 'format')
    return {
      severity: 'info',
      code: 'formatting_lost',
      message: `${location}: some words of the translation do not have the formatting of the source`,
      unitId,
    };
  return {
    severity: 'warning',
    code: 'low_segment_quality',
    message: `the translation of ${location} moves links, fields or breaks to places that ${program} does not allow; they keep the order of the source`,
    unitId,
  };
}
