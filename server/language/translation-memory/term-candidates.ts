import { and, desc, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Tx } from '#db/client.ts';
import { memorySegments, memorySets } from '#db/schema/translation-memory.ts';
import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { requireLanguagePair, unreadableFile } from '#server/language/set-upload.ts';
import { selectKnownTerms } from '#server/language/terminology/rejected-terms.ts';
import type { LanguagePair } from '#server/languages.ts';
import { readFile, textsOf } from './align-files.ts';
import { alignFilesRequest } from './alignment-schema.ts';
import { isListed } from './sets.ts';

/** Maximum number of files, and of TM segments and their UTF-16 units: the task reads a million in 1.5 s. */
const maxFiles = 10;
const maxSegments = 20_000;
const maxCharacters = 4_000_000;

/** Texts that show how a candidate is used. */
const maxContexts = 4;
const longestContext = 400;

const { source_lang, target_lang, source_file } = alignFilesRequest.shape;

/** Input of `terminology.candidates`. */
export const candidatesRequest = z.object({
  source_lang,
  target_lang,
  min_count: z.int().min(2).max(10_000).default(5).describe('The least number of occurrences.'),
  limit: z.int().min(1).max(200).default(100).describe('The maximum number of candidates.'),
  files: z
    .array(source_file)
    .max(maxFiles)
    .default([])
    .describe(`Files in the source language, at most ${maxFiles}.`),
  memories: z
    .boolean()
    .default(true)
    .describe(
      `Whether the latest ${maxSegments} segments of the TMs are searched: imported ones and approved translations.`,
    ),
});

/** Output of `terminology.candidates`. */
export const termCandidates = z.object({
  candidates: z
    .array(
      z.object({
        term: z.string().describe('The most frequent form.'),
        forms: z
          .array(
            z.object({
              form: z.string().describe('The form.'),
              count: z.int().describe('The number of its occurrences.'),
            }),
          )
          .describe('The forms, the most frequent first; at most 10.'),
        count: z.int().describe('The number of occurrences in different texts.'),
        is_name: z.boolean().describe('Whether the term seems to be a name, which is often not translated.'),
        targets: z
          .array(
            z.object({
              target: z.string().describe('The proposed translation.'),
              count: z.int().describe('In how many translations of these texts it is.'),
              score: z.number().describe('How often they occur together and not separately, from 0 to 1.'),
            }),
          )
          .describe('Proposed translations from the TMs, the most likely first; at most 3.'),
        contexts: z
          .array(
            z.object({
              source: z.string().describe('A text with the term, at most 400 characters.'),
              target: z.string().nullable().describe('Its translation; null in a file.'),
              from: z.string().describe('The name of the TM or file.'),
            }),
          )
          .describe('Some texts with the term.'),
      }),
    )
    .describe('The best first. Terms of glossaries and rejected ones are left out.'),
  texts: z.int().describe('The number of searched texts.'),
});

type CandidatesRequest = z.infer<typeof candidatesRequest>;

interface Text {
  source: string;
  target: string | null;
  from: string;
}

/**
 * Finds candidates for glossary terms in files, imported TMs and approved translations. Stores nothing.
 * @throws AppError 400 if a file cannot be read, or nothing can be searched; 413, 415, 422, 503
 */
export async function findTermCandidates(
  services: Pick<Services, 'database' | 'fileWork' | 'settings'>,
  withTenant: WithTenant,
  request: CandidatesRequest,
  signal: AbortSignal,
): Promise<z.infer<typeof termCandidates>> {
  const { scope, pair, files, known, stored } = await withTenant(async (tx, { tenant }) => {
    const { source, target } = requireLanguagePair(request);
    const pair = { pairSource: source.code, pairTarget: target.code };
    return {
      scope: { tenantId: tenant.id, signal },
      pair,
      files: request.files.map((file, at) =>
        readFile(`files.${at}`, file, services.settings.MAX_UPLOAD_BYTES),
      ),
      known: await selectKnownTerms(tx, tenant.id, pair),
      stored: request.memories ? await selectTexts(tx, tenant.id, pair) : [],
    };
  });
  const texts = [...stored];
  for (const [at, file] of files.entries()) {
    const from = request.files[at]?.file_name ?? '';
    const read = await textsOf(services, file, scope);
    texts.push(...read.map((source): Text => ({ source, target: null, from })));
  }
  if (texts.length === 0)
    throw new AppError('validation_error', 'no translation memory has this language pair; send files');
  const cut = withinLimit(texts);
  const found = await services.fileWork
    .run(
      'find_candidates',
      {
        texts: cut.map(({ source, target }) => ({ source, target })),
        language: pair.pairSource,
        targetLanguage: pair.pairTarget,
        minCount: request.min_count,
        limit: request.limit,
        known,
      },
      scope,
    )
    .catch((error: unknown) => {
      throw unreadableFile('the searched text', error);
    });
  return {
    texts: cut.length,
    candidates: found.map(({ isName, texts: positions, ...candidate }) => ({
      ...candidate,
      is_name: isName,
      contexts: contextsOf(positions.flatMap((position) => cut[position] ?? [])),
    })),
  };
}

/** Files come last, so that they are never cut in favor of a TM: they are counted first. */
function withinLimit(texts: readonly Text[]): Text[] {
  let left = maxCharacters;
  const taken: Text[] = [];
  for (const text of texts.toReversed()) {
    left -= text.source.length + (text.target?.length ?? 0);
    if (left < 0) break;
    taken.push(text);
  }
  return taken.reverse();
}

/** Prefers texts with a translation, from different origins. */
function contextsOf(texts: readonly Text[]) {
  const byOrigin = Map.groupBy(texts, ({ from }) => from);
  const chosen: Text[] = [];
  for (let round = 0; chosen.length < maxContexts && round < maxContexts; round++)
    for (const ofOrigin of byOrigin.values()) {
      const text = ofOrigin[round];
      if (text && chosen.length < maxContexts) chosen.push(text);
    }
  return chosen.map(({ source, target, from }) => ({
    source: source.slice(0, longestContext),
    target: target?.slice(0, longestContext) ?? null,
    from,
  }));
}

/** Returns the latest segments of the TMs of a pair, the latest last. */
async function selectTexts(tx: Tx, tenantId: string, pair: LanguagePair): Promise<Text[]> {
  const sets = await tx
    .select({ name: memorySets.name, versionId: memorySets.versionId })
    .from(memorySets)
    .where(
      and(
        eq(memorySets.tenantId, tenantId),
        eq(memorySets.pairSource, pair.pairSource),
        eq(memorySets.pairTarget, pair.pairTarget),
        isListed,
      ),
    )
    .orderBy(desc(memorySets.updatedAt));
  const texts: Text[] = [];
  for (const { name: from, versionId } of sets) {
    if (texts.length >= maxSegments) break;
    const rows = await tx
      .select({ source: memorySegments.sourceText, target: memorySegments.targetText })
      .from(memorySegments)
      .where(and(eq(memorySegments.tenantId, tenantId), eq(memorySegments.versionId, versionId)))
      .orderBy(desc(memorySegments.segmentNo))
      .limit(maxSegments - texts.length);
    for (const row of rows) texts.push({ ...row, from });
  }
  return texts.reverse();
}
