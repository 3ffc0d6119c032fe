import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import type { LanguageCount } from '../capacity.ts';

/** The terms of a tenant by their languages, but for those of the set that is replaced. */
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
