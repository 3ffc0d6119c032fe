import { isUnspaced } from '#server/languages.ts';
import { alignTexts } from '#server/matching/alignment/index.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { SegmentationRules, sentencesIn } from '#server/matching/sentences/index.ts';

/** The texts of a file in reading order, and their language. */
interface Texts {
  texts: readonly string[];
  language: string;
}

export interface AlignTextsPayload {
  source: Texts;
  target: Texts;
  /** The SRX file of the workspace, if it has one. It was checked when it was saved. */
  srx: string | undefined;
}

export interface AlignedSentences {
  source: string;
  target: string;
  sourceSentences: string[];
  targetSentences: string[];
  confidence: number;
}

/**
 * Divides the texts of two files into sentences and aligns them. Sentences are in normal form. A sentence without a
 * partner has an empty text on the other side.
 */
export function alignTextsTask({
  source,
  target,
  srx,
}: AlignTextsPayload): { belongTogether: boolean; links: AlignedSentences[] } | { tooMany: number } {
  const rules = srx === undefined ? undefined : new SegmentationRules(Buffer.from(srx));
  const { sentences: sources, opening: sourceOpening } = cut(source, rules);
  const { sentences: targets, opening: targetOpening } = cut(target, rules);
  if (Math.max(sources.length, targets.length) > maxSentences)
    return { tooMany: Math.max(sources.length, targets.length) };
  const { links, belongTogether } = alignTexts(sources, targets, {
    sources: sourceOpening,
    targets: targetOpening,
  });
  return {
    belongTogether,
    links: links.map((link) => {
      const [sourceSentences, targetSentences] = [
        sources.slice(...link.sources),
        targets.slice(...link.targets),
      ];
      return {
        source: sourceSentences.join(gapOf(source)),
        target: targetSentences.join(gapOf(target)),
        sourceSentences,
        targetSentences,
        confidence: link.confidence,
      };
    }),
  };
}

/** The maximum number of sentences of a file: these take 300 MB. */
export const maxSentences = 20_000;

const gapOf = ({ language }: Texts) => (isUnspaced(language) ? '' : ' ');

/** Returns the sentences of the texts in normal form, and the indexes of those that open a text. */
function cut(
  { texts, language }: Texts,
  rules: SegmentationRules | undefined,
): { sentences: string[]; opening: Set<number> } {
  const sentences: string[] = [];
  const opening = new Set<number>();
  for (const text of texts) {
    opening.add(sentences.length);
    for (const { start, end } of sentencesIn(text, language, rules))
      sentences.push(normalForm(text.slice(start, end)));
  }
  return { sentences, opening };
}
