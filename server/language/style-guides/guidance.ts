import { sql } from 'drizzle-orm';
import { prepare, type Tx } from '#db/client.ts';
import type { ForbiddenWord } from '#db/schema/style-guides.ts';
import { rulesWithHash, type WorkspaceRules } from '#server/language/segmentation/rules.ts';
import { glossaryRevision } from '#server/language/terminology/terms.ts';
import { textRulesOf } from '#server/language/text-rules/schema.ts';
import type { TaskStyle } from '#server/platform/engines/engine.ts';

/** The glossaries and style guides that the texts of a tenant follow. */
export interface Guidance {
  /** The revision of the glossaries, in the form of `readGlossaryRevision`; null without glossaries. */
  glossaries: string | null;
  styles: StylesByLanguage;
  /** Whether the workspace demands a review of texts with suspected instructions to the model. */
  reviewsInstructions: boolean;
  /** Whether the workspace demands a review of translations that are made of sentences of the TM. */
  reviewsSentences: boolean;
  /** The patterns of the workspace's own placeholders. */
  placeholders: readonly string[];
  /** The stored rules of redaction; null without redaction. They have not been checked. */
  redaction: unknown;
  /** The segmentation rules of the tenant; undefined without such rules. */
  segmentation: WorkspaceRules | undefined;
}

/** The stored guides by target language; '' is the guide of all languages. */
export type StylesByLanguage = ReadonlyMap<string, StoredStyle>;

interface StoredStyle {
  language: string;
  rules: string;
  quotation_marks: string | null;
  spacing: TaskStyle['spacing'];
  formality: TaskStyle['formality'];
  forbidden_words: ForbiddenWord[];
}

/**
 * Prepared once per connection, because every job runs it. One statement for both, because a statement more costs every
 * job more than the few rows that it reads.
 */
const guidanceInScope = prepare<
  { separator: string; languages: string },
  {
    revision: string | null;
    guides: StoredStyle[] | null;
    metadata: Record<string, unknown> | null;
    segmentation: string | null;
  }[]
>((db) =>
  db
    .select({
      revision: sql<string | null>`${glossaryRevision(sql.placeholder('separator'))}`,
      guides: sql<StoredStyle[] | null>`(
        select json_agg(json_build_object('language', target_lang, 'rules', rules, 'quotation_marks', quotation_marks,
          'spacing', spacing, 'formality', formality, 'forbidden_words', forbidden_words))
        from style_guides where tenant_id = tenant_scope_from()
          and target_lang = any(string_to_array(${sql.placeholder('languages')}, ',')))`,
      metadata: sql<Record<string, unknown> | null>`(
        select jsonb_build_object(
          'review_suspected_instructions', metadata -> 'review_suspected_instructions',
          'review_tm_sentences', metadata -> 'review_tm_sentences',
          'redaction', metadata -> 'redaction',
          'text_rules', metadata -> 'text_rules')
        from tenants where tenant_id = tenant_scope_from())`,
      segmentation: sql<string | null>`(
        select hash from segmentation_rules where tenant_id = tenant_scope_from())`,
    })
    .from(sql`(select) as one`)
    .prepare('guidance'),
);

/**
 * Returns what texts into these languages have to follow. The tenant is that of the transaction, so this can run in the
 * same round trip as authentication. Guides are read each time, so that a saved guide applies to the next text of every
 * process.
 */
export async function readGuidance(tx: Tx, targetLangs: readonly string[]): Promise<Guidance> {
  const languages = ['', ...new Set(targetLangs)].join(',');
  const [row] = await guidanceInScope(tx, { separator: ' ', languages });
  return {
    glossaries: row?.revision ?? null,
    styles: new Map(row?.guides?.map((guide) => [guide.language, guide])),
    reviewsInstructions: row?.metadata?.['review_suspected_instructions'] === true,
    reviewsSentences: row?.metadata?.['review_tm_sentences'] === true,
    placeholders: textRulesOf(row?.metadata?.['text_rules']).placeholders,
    redaction: row?.metadata?.['redaction'],
    segmentation: row?.segmentation == null ? undefined : await rulesWithHash(tx, row.segmentation),
  };
}

/**
 * Returns the style of texts into a language; null if no guide applies. The quotation marks, spacing and formality of the
 * language's guide override those of the guide of all languages. Rules and forbidden words of both apply.
 */
export function styleOf(styles: StylesByLanguage, targetLang: string): TaskStyle | null {
  const [general, own] = [styles.get(''), styles.get(targetLang)];
  if (!general && !own) return null;
  const words = [...(own?.forbidden_words ?? []), ...(general?.forbidden_words ?? [])];
  const terms = new Set<string>();
  return {
    rules: [general?.rules, own?.rules].filter((rules): rules is string => Boolean(rules)),
    quotationMarks: own?.quotation_marks ?? general?.quotation_marks ?? null,
    spacing: own?.spacing ?? general?.spacing ?? null,
    formality: own?.formality ?? general?.formality ?? null,
    // Of two entries of a term, that of the language comes first.
    forbiddenWords: words.filter(({ term }) => terms.size < terms.add(term).size),
  };
}
