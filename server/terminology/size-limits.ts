import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';

/** The size of some terms: their number, and the characters of both sides. */
export interface TermCapacity {
  terms: number;
  characters: number;
}

/** The size of the terms of two languages; '' is any language. */
export interface LanguageCount extends TermCapacity {
  sourceLang: string;
  targetLang: string;
}

/**
 * Finds a pair to which more terms than `most` would apply (B 8 "Terminology entries"), or more characters of terms: those of
 * its languages and those of any language, over all sets. Considers only pairs to which the added terms apply, because this
 * upload does not change the others.
 */
export function findOverfullPair(
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

/** All languages that no set names. */
const anyOther = 'any other language';

/** Returns the sizes of a tenant's terms by language, without those of the set that is being replaced. */
export async function countByLanguages(tx: Tx, tenantId: string, without: string): Promise<LanguageCount[]> {
  const rows = await tx.execute<{
    source_lang: string;
    target_lang: string;
    terms: string;
    characters: string;
  }>(sql`
    select e.source_lang, e.target_lang, count(*) as terms,
      sum(char_length(e.source_term) + char_length(e.target_term)) as characters
    from terminology_entries e join terminology_sets s on s.tenant_id = e.tenant_id and s.set_id = e.set_id
    where e.tenant_id = ${tenantId} and s.name <> ${without} group by 1, 2`);
  return rows.map(({ source_lang, target_lang, terms, characters }) => ({
    sourceLang: source_lang,
    targetLang: target_lang,
    terms: Number(terms),
    characters: Number(characters),
  }));
}
