import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import { countCodePoints } from '#server/formats/text.ts';
import type { Settings } from '#server/settings.ts';
import type { NewEntry } from './sets.ts';

/** The size of a number of terms: how many there are, and the characters of source and target together. */
interface TermCapacity {
  terms: number;
  characters: number;
}

/** The size of the terms of one language pair; '' is any language. */
interface LanguageCount extends TermCapacity {
  sourceLang: string;
  targetLang: string;
}

/**
 * Rejects new terms if a language pair would then have more terms or characters of terms than a tenant may have.
 * @throws AppError 422; the message contains the language pair and the limit
 */
export function requireCapacity(
  held: readonly LanguageCount[],
  added: readonly LanguageCount[],
  settings: Pick<Settings, 'MAX_TERMINOLOGY_TERMS' | 'WORKSPACE_LIMITS'>,
): void {
  const limits = {
    terms: settings.MAX_TERMINOLOGY_TERMS,
    characters: settings.WORKSPACE_LIMITS.glossary_chars,
  };
  const overfull = findOverfullPair(held, added, limits);
  if (!overfull) return;
  const { pair, exceeded, count } = overfull;
  throw new AppError(
    'unprocessable',
    exceeded === 'terms'
      ? `terminology_max_terms_exceeded: with this change, ${count} terms would apply to ${pair}; at most ${limits.terms} are allowed`
      : `terminology_max_characters_exceeded: with this change, the terms that apply to ${pair} would have ${count} characters, counting source and target terms; at most ${limits.characters} are allowed`,
  );
}

/** Returns the sizes of new terms by language pair. */
export function sizesOf(
  entries: readonly Pick<NewEntry, 'sourceLang' | 'targetLang' | 'sourceTerm' | 'targetTerm'>[],
): LanguageCount[] {
  const groups = Map.groupBy(entries, ({ sourceLang, targetLang }) => `${sourceLang} ${targetLang}`);
  return [...groups.values()].map((group) => ({
    sourceLang: group[0]!.sourceLang,
    targetLang: group[0]!.targetLang,
    terms: group.length,
    characters: group.reduce(
      (sum, { sourceTerm, targetTerm }) => sum + countCodePoints(sourceTerm) + countCodePoints(targetTerm),
      0,
    ),
  }));
}

/**
 * Finds a language pair with more terms, or more characters of terms, than `limits` allows. The terms of a pair are
 * those of its languages and those of any language, from all sets. Checks only pairs to which the added terms apply,
 * because the upload does not change the others.
 */
function findOverfullPair(
  held: readonly LanguageCount[],
  added: readonly LanguageCount[],
  limits: TermCapacity,
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
        if (count > limits[exceeded]) return { pair: `${source} to ${target}`, exceeded, count };
      }
    }
  return undefined;
}

/** Stands for every language that no set names. */
const anyOther = 'any other language';

/** Returns the sizes of a tenant's terms by language pair, without the set that is being replaced. */
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
