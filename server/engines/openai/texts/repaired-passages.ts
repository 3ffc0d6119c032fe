import { cutText } from './cut-text.ts';
import { alignPassages } from './passages.ts';
import { unitsPerCall } from './groups.ts';

/** What an approximate source reaches beyond its translation on either side, in UTF-16 units. */
const margin = 1000;

/** A stretch of translation short enough to be written anew at once, and the source it stands for. */
export interface RepairedPassage {
  segment: number;
  /** To the letter; a segment's passages joined are its present translation. */
  translation: string;
  source: string;
  /** The source may reach further than the translation: nothing told where its original begins and ends. */
  approximate: boolean;
}

/**
 * Cuts a segment into passages for repair. It is the translation that is cut, so that whatever a model makes of the
 * source beside it, no part of the text is lost or doubled.
 */
export function cutForRepair(
  segment: number,
  source: string,
  translation: string,
  targetLang: string,
): RepairedPassage[] {
  const most = unitsPerCall(targetLang);
  return alignPassages([source, translation], ([, translated]) => translated!.length, most).flatMap(
    ([original, translated]) =>
      translated!.length <= most
        ? [{ segment, source: original!, translation: translated!, approximate: false }]
        : cutByProportion(original!, cutText(translated!, most, targetLang)).map((cut) => ({
            segment,
            ...cut,
          })),
  );
}

function cutByProportion(source: string, pieces: readonly string[]): Omit<RepairedPassage, 'segment'>[] {
  const scale = source.length / pieces.reduce((total, { length }) => total + length, 0);
  let start = 0;
  return pieces.map((translation) => {
    const from = Math.max(0, Math.floor(start * scale) - margin);
    start += translation.length;
    const to = Math.ceil(start * scale) + margin;
    return { translation, source: source.slice(from, to).toWellFormed(), approximate: pieces.length > 1 };
  });
}
