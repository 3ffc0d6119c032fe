import type { FontChoice } from './font-choice.ts';
import type { FontName } from './font-files.ts';
import { scriptOf } from './script.ts';

/** A stretch of text that is shaped at once: one font, one script, one embedding level. */
export interface Item {
  /** UTF-16 offsets into the paragraph. */
  start: number;
  end: number;
  font: FontName;
  script: string | undefined;
  level: number;
}

const graphemes = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Shaping a stack of combining marks takes quadratic time, so an item ends here, inside a grapheme if need be. */
const longestItem = 1000;

/**
 * Cuts a paragraph into items. A tab is an item of its own.
 * @param boundaries is set to 1 at each offset that starts a grapheme
 */
export function itemize(
  text: string,
  levels: Uint8Array,
  fontFor: FontChoice,
  boundaries: Uint8Array,
): Item[] {
  const items: Item[] = [];
  let current: Item | undefined;
  for (const { segment, index } of graphemes.segment(text)) {
    boundaries[index] = 1;
    const level = levels[index]!;
    const font = fontFor(segment, current?.level === level ? current.font : undefined);
    const script = scriptOf(String.fromCodePoint(segment.codePointAt(0)!));
    for (let start = index; start < index + segment.length; start += longestItem) {
      const end = Math.min(start + longestItem, index + segment.length);
      const joins =
        current !== undefined &&
        current.font === font &&
        current.level === level &&
        (!script || !current.script || current.script === script) &&
        end - current.start <= longestItem &&
        segment !== '\t' &&
        text[current.start] !== '\t';
      if (joins) {
        current!.end = end;
        current!.script ??= script;
      } else {
        current = { start, end, font, script, level };
        items.push(current);
      }
    }
  }
  return items;
}
