/** How many terms there are of two languages; '' is any. */
export interface LanguageCount {
  sourceLang: string;
  targetLang: string;
  terms: number;
}

/**
 * A pair to which more terms than `most` would apply (B 8 "Terminology entries"): those of its languages, and those of any
 * language, of all sets. Only pairs that the added terms apply to are looked at: what others hold is not this upload's doing.
 */
export function overfullPair(
  held: readonly LanguageCount[],
  added: readonly LanguageCount[],
  most: number,
): { pair: string; terms: number } | undefined {
  const all = [...held, ...added];
  const sources = new Set([...all.map(({ sourceLang }) => sourceLang), anyOther]);
  const targets = new Set([...all.map(({ targetLang }) => targetLang), anyOther]);
  sources.delete('');
  targets.delete('');
  for (const source of sources)
    for (const target of targets) {
      const applies = ({ sourceLang, targetLang }: LanguageCount) =>
        (sourceLang === '' || sourceLang === source) && (targetLang === '' || targetLang === target);
      if (!added.some(applies)) continue;
      const terms = all.filter(applies).reduce((sum, count) => sum + count.terms, 0);
      if (terms > most) return { pair: `${source} to ${target}`, terms };
    }
  return undefined;
}

/** Stands for all languages that no set names. */
const anyOther = 'any other language';
