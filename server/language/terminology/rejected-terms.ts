import { and, eq, inArray, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { rejectedTerms, terminologyEntries } from '#db/schema/terminology.ts';
import { AppError } from '#server/errors.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { requireDeclaredLanguage } from '#server/language/set-upload.ts';
import type { LanguagePair } from '#server/languages.ts';

/** Maximum number of rejected terms of a workspace and source language. */
const maxRejected = 10_000;

/** Input of `terminology.rejectCandidates`. */
export const rejectRequest = z.object({
  source_lang: z.string().max(100).describe('The language of the terms.'),
  terms: z
    .array(z.string().trim().min(1).max(500))
    .min(1)
    .max(200)
    .describe('The terms, in any letter case.'),
  rejected: z.boolean().default(true).describe('With `false`, the terms are suggested again.'),
});

/** Output of `terminology.rejectCandidates`. */
export const rejection = z.object({
  changed: z.int().describe('The number of terms whose state has changed.'),
});

/**
 * Rejects candidates for terms, so that they are not suggested again, or restores them.
 * @throws AppError 422 for an unsupported language; 400 if too many are rejected
 */
export async function rejectCandidates(
  tx: Tx,
  principal: Principal,
  { source_lang, terms, rejected }: z.infer<typeof rejectRequest>,
): Promise<{ changed: number }> {
  const tenantId = principal.tenant.id;
  const sourceLang = requireDeclaredLanguage('source_lang', source_lang).code;
  const keys = [...new Set(terms.map((term) => term.toLowerCase()))];
  const ofLanguage = and(eq(rejectedTerms.tenantId, tenantId), eq(rejectedTerms.sourceLang, sourceLang));
  if (!rejected) {
    const removed = await tx
      .delete(rejectedTerms)
      .where(and(ofLanguage, inArray(rejectedTerms.term, keys)))
      .returning({ term: rejectedTerms.term });
    return { changed: removed.length };
  }
  const [counted] = await tx
    .select({ terms: sql<number>`count(*)::int` })
    .from(rejectedTerms)
    .where(ofLanguage);
  if ((counted?.terms ?? 0) + keys.length > maxRejected)
    throw new AppError('validation_error', `at most ${maxRejected} terms of a language can be rejected`);
  const rejectedBy = principal.kind === 'session' ? principal.user.id : null;
  const added = await tx
    .insert(rejectedTerms)
    .values(keys.map((term) => ({ tenantId, sourceLang, term, rejectedBy })))
    .onConflictDoNothing()
    .returning({ term: rejectedTerms.term });
  return { changed: added.length };
}

/** Returns terms in lower case that are not suggested: those of the glossaries of a pair, and rejected ones. */
export async function selectKnownTerms(
  tx: Tx,
  tenantId: string,
  { pairSource, pairTarget }: LanguagePair,
): Promise<string[]> {
  const entries = tx
    .select({ term: sql<string>`lower(${terminologyEntries.sourceTerm})` })
    .from(terminologyEntries)
    .where(
      and(
        eq(terminologyEntries.tenantId, tenantId),
        inArray(terminologyEntries.sourceLang, [pairSource, '']),
        inArray(terminologyEntries.targetLang, [pairTarget, '']),
      ),
    );
  const rejected = tx
    .select({ term: rejectedTerms.term })
    .from(rejectedTerms)
    .where(and(eq(rejectedTerms.tenantId, tenantId), eq(rejectedTerms.sourceLang, pairSource)));
  return (await Promise.all([entries, rejected])).flat().map(({ term }) => term);
}
