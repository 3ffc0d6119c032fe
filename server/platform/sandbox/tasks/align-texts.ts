import { alignTexts } from '#server/matching/alignment/index.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { sentencesIn } from '#server/matching/sentences/index.ts';

/** The texts of a file in reading order, and their language. */
interface Texts {
  texts: readonly string[];
  language: string;
}

export interface AlignTextsPayload {
  source: Texts;
  target: Texts;
}

export interface AlignedSentences {
  source: string;
  target: string;
  confidence: number;
}

/**
 * Divides the texts of two files into sentences and aligns them. Sentences are in normal form. A sentence without a
 * partner has an empty text on the other side.
 */
export function alignTextsTask({
  source,
  target,
}: AlignTextsPayload): { belongTogether: boolean; links: AlignedSentences[] } | { tooMany: number } {
  const [sources, targets] = [cut(source), cut(target)];
  if (Math.max(sources.length, targets.length) > maxSentences)
    return { tooMany: Math.max(sources.length, targets.length) };
  const { links, belongTogether } = alignTexts(sources, targets);
  return {
    belongTogether,
    links: links.map((link) => ({
      source: sources.slice(...link.sources).join(' '),
      target: targets.slice(...link.targets).join(' '),
      confidence: link.confidence,
    })),
  };
}

/** The maximum number of sentences of a file: these take 300 MB. */
export const maxSentences = 20_000;

function cut({ texts, language }: Texts): string[] {
  return texts.flatMap((text) =>
    sentencesIn(text, language).map(({ start, end }) => normalForm(text.slice(start, end))),
  );
}
