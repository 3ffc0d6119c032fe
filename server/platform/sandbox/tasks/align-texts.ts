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
  const [sources, targets] = [cut(source, rules), cut(target, rules)];
  if (Math.max(sources.length, targets.length) > maxSentences)
    return { tooMany: Math.max(sources.length, targets.length) };
  const { links, belongTogether } = alignTexts(sources, targets);
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

function cut({ texts, language }: Texts, rules: SegmentationRules | undefined): string[] {
  return texts.flatMap((text) =>
    sentencesIn(text, language, rules).map(({ start, end }) => normalForm(text.slice(start, end))),
  );
}
