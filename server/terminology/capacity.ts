/** What terms come to: their number, and the characters of both their sides. */
export interface TermCapacity {
  terms: number;
  characters: number;
}

/** The terms that there are of two languages; '' is any. */
export interface LanguageCount extends TermCapacity {
  sourceLang: string;
  targetLang: string;
}

/**
 * A pair to which more terms than `most` would apply (B 8 "Terminology entries"), or more characters of terms: those of its
 * languages, and those of any language, of all sets. Only pairs that the added terms apply to are looked at: what others hold is not this upload's doing.
 */
export function overfullPair(
  held: readonly LanguageCount[],
  added: readonly LanguageCount[],
  most: TermCapacity,
): { pair: string; exceeded: keyof TermCapacity; count: number } | undefined {
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
      const applying = all.filter(applies);
      for (const exceeded of ['terms', 'characters'] as const) {
        const count = applying.reduce((sum, counted) => sum + counted[exceeded], 0);
        if (count > most[exceeded]) return { pair: `${source} to ${target}`, exceeded, count };
      }
    }
  return undefined;
}

/** Stands for all languages that no set names. */
const anyOther = 'any other language';
