import { isUnspaced } from '#server/languages.ts';
import { alignTexts, maxSentences } from '#server/matching/alignment/index.ts';
import { normalForm } from '#server/matching/normal-form.ts';
import { type SentenceRules, sentencesIn } from '#server/matching/sentences/index.ts';
import { SegmentationRules } from '#server/matching/sentences/srx-rules.ts';

/** The texts of a file in reading order, and their language. */
interface Texts {
  texts: readonly string[];
  language: string;
}

interface AlignTextsPayload {
  source: Texts;
  target: Texts;
  /** The SRX file of the workspace, if it has one. It was checked when it was saved. */
  srx: string | undefined;
}

interface AlignedSentences {
  source: string;
  target: string;
  sourceSentences: string[];
  targetSentences: string[];
  confidence: number;
}

interface AlignedTexts {
  belongTogether: boolean;
  /** Whether most sentences of the target are those of the source. */
  isUntranslated: boolean;
  links: AlignedSentences[];
}

/**
 * Divides the texts of two files into sentences and aligns them. Sentences are in normal form. A sentence without a
 * partner has an empty text on the other side.
 */
export function alignTextsTask({
  source,
  target,
  srx,
}: AlignTextsPayload): AlignedTexts | { tooMany: number } {
  const rules = srx === undefined ? undefined : SegmentationRules.ofStored(srx);
  const { sentences: sources, opening: sourceOpening } = cut(source, rules);
  const { sentences: targets, opening: targetOpening } = cut(target, rules);
  if (Math.max(sources.length, targets.length) > maxSentences)
    return { tooMany: Math.max(sources.length, targets.length) };
  const { links, belongTogether } = alignTexts(sources, targets, {
    sources: sourceOpening,
    targets: targetOpening,
  });
  const aligned = links.map((link): AlignedSentences => {
    const sourceSentences = sources.slice(...link.sources);
    const targetSentences = targets.slice(...link.targets);
    const pair = {
      source: sourceSentences.join(gapOf(source)),
      target: targetSentences.join(gapOf(target)),
      ...{ sourceSentences, targetSentences },
    };
    return { ...pair, confidence: isCopied(pair) ? Math.min(link.confidence, 0.5) : link.confidence };
  });
  const long = aligned.filter((link) => link.source && link.target && isLong(link.source));
  const isUntranslated = long.length > 0 && long.filter(isCopied).length > 0.8 * long.length;
  return { belongTogether, isUntranslated, links: aligned };
}

/** Whether the target is its source again, and not a name or code, which a translation keeps. */
function isCopied({ source, target }: Pick<AlignedSentences, 'source' | 'target'>): boolean {
  return source === target && isLong(source);
}

const isLong = (text: string) =>
  /^(?:\S+\s+){3}/.test(text) || /[\p{Script=Han}\p{Script=Thai}]{6}/u.test(text);

const gapOf = ({ language }: Texts) => (isUnspaced(language) ? '' : ' ');

/** Returns the sentences of the texts in normal form, and the indexes of those that open a text. */
function cut(
  { texts, language }: Texts,
  rules: SentenceRules | undefined,
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
