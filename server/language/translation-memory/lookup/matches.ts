import type { Tx } from '#db/client.ts';
import type { Services } from '#server/context.ts';
import { readBlocks } from '#server/formats/html-segments.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { segmentationOf } from '#server/language/segmentation/rules.ts';
import { requireDeclaredLanguage } from '#server/language/set-upload.ts';
import { type LanguagePair, pairName } from '#server/languages.ts';
import { normalForm, type TextContext } from '#server/matching/normal-form.ts';
import { requireLength } from '#server/platform/input-limits.ts';
import type { MemoryMatches, MemoryMatchesRequest } from '../unit-schema.ts';
import { type CloseHit, findCloseEach } from './close-match.ts';
import { lookUpExact, type MemoryHit, respelled, unpenalized } from './exact-match.ts';
import { longest, mergeClose } from './examples.ts';
import { isRespellable, matchSentences, sentenceTexts } from './sentences.ts';

type Match = MemoryMatches['matches'][number];

/** Maximum number of sentences that are compared, and of similar segments of each. */
const maxSentences = 20;
const closeOfSentence = 2;

/** Reads the context of a segment of a document; undefined if it is unknown. Documents belong to a module above this one. */
export type ReadContext = (
  tx: Tx,
  segment: { tenantId: string; documentId: string; position: number },
) => Promise<TextContext | undefined>;

/**
 * Reads corrections of documents that are not approved yet and therefore not in the TM, latest first. Documents belong to a
 * module above this one.
 */
export type ReadUnapproved = (
  tx: Tx,
  tenantId: string,
  pair: LanguagePair,
  text: string,
  segment: { documentId: string; position: number } | undefined,
) => Promise<
  { source_text: string; target_text: string; document_id: string; file_name: string; changed_at: string }[]
>;

const placeOf = (
  tenantId: string,
  { document_id: documentId, position }: NonNullable<MemoryMatchesRequest['segment']>,
) => ({ tenantId, documentId, position });

/**
 * Returns the TM matches of a text, as a job would find them: the exact match, segments that are at least 70% similar, and
 * the same for each sentence; and corrections that are not approved yet, which a job would not use. Calls no model, so
 * segments that are similar only in meaning are missing.
 * @throws AppError 413, 422
 */
export async function findMatches(
  services: Pick<Services, 'database' | 'log' | 'settings'>,
  withTenant: WithTenant,
  { source_text: text, source_lang, target_lang, text_type, segment }: MemoryMatchesRequest,
  { readContext, readUnapproved }: { readContext: ReadContext; readUnapproved: ReadUnapproved },
): Promise<MemoryMatches> {
  const { tenantId, rules, pair } = await withTenant(async (tx, { tenant }) => {
    const sourceLang = requireDeclaredLanguage('source_lang', source_lang).code;
    const targetLang = requireDeclaredLanguage('target_lang', target_lang).code;
    requireLength('source text exceeds MAX_SOURCE_CHARS', text, services.settings.MAX_SOURCE_CHARS);
    const pair = { pairSource: sourceLang, pairTarget: targetLang };
    return { tenantId: tenant.id, pair, rules: await segmentationOf(tx) };
  });
  const { pairSource: sourceLang, pairTarget: targetLang } = pair;
  if (text_type !== 'Html') await rules?.divide([{ text, language: sourceLang }], { tenantId });
  const { exact, sentences, isHeld, unapproved } = await withTenant(async (tx) => {
    const whole = { sourceText: text, sourceLang, targetLang, textType: text_type, rules };
    const parts = sentenceTexts(whole);
    const divided = parts.map((sourceText) => ({ ...whole, sourceText, isPart: true }));
    const respellable = [whole, ...divided].filter(isRespellable);
    const { hits, pairs } = await lookUpExact(tx, [
      { ...whole, context: segment && (await readContext(tx, placeOf(tenantId, segment))) },
      ...divided,
      ...respellable.map((one) => ({ ...one, isRespelled: true })),
    ]);
    const respelledOf = new Map(
      respellable.map((one, at) => [one, respelled(hits[1 + parts.length + at], one)]),
    );
    const hitOf = new Map(
      divided.map((one, at) => [one.sourceText, unpenalized(hits[at + 1]) ?? respelledOf.get(one)]),
    );
    const matched = matchSentences(whole, (part) => hitOf.get(part));
    const other = hits[0] ? undefined : respelledOf.get(whole);
    // Two sentences may be one part, which is then the whole text.
    const sentences = other || (matched.length === 1 && hits[0]) ? [] : matched;
    // The only sentence of a text may be a sentence of an approved segment.
    const own = parts.findIndex((part) => normalForm(part) === normalForm(text));
    const exact = hits[0] ?? [hits[own + 1]].find((hit) => hit && hit.penalty > 0);
    const place = segment && placeOf(tenantId, segment);
    const found = await readUnapproved(tx, tenantId, pair, text, place);
    const unapproved = found
      .filter(({ target_text }) => target_text !== exact?.targetText)
      .map(unapprovedMatch);
    return { exact: exact ?? other, sentences, isHeld: pairs.has(pairName(pair)), unapproved };
  });
  if (!isHeld) return { matches: unapproved };
  const blocks = text_type === 'Html' ? longest(readBlocks(text)) : [];
  const searched = [
    ...blocks,
    ...sentences
      .filter(({ hit }) => !hit)
      .slice(0, maxSentences)
      .map(({ sourceText }) => sourceText),
  ];
  const [alike, ...found] = await findCloseEach(services.database, tenantId, pair, [
    { text },
    ...searched.map((part) => ({ text: part, isPart: true })),
  ]);
  const closeOf = new Map(searched.map((part, index) => [part, found[index]!.close]));
  const pages = mergeClose([
    alike!,
    ...blocks.map((block) => ({ close: closeOf.get(block)!, relevant: [] })),
  ]);
  return {
    matches: [
      ...(exact ? [fullMatch(exact)] : []),
      ...unapproved,
      // A part of a page may be the whole source of a segment. It is not an exact match of the page, so it gets at most
      // 99%.
      ...pages.close.filter((one) => !isServed(one, exact)).map(closeMatch),
      ...sentences.flatMap(({ sourceText: part, hit }) =>
        hit
          ? [{ ...fullMatch(hit), part }]
          : (closeOf.get(part) ?? []).slice(0, closeOfSentence).map((one) => ({ ...closeMatch(one), part })),
      ),
    ],
  };
}

/** A correction that is not approved yet. It is never exact, so that it does not look approved. */
const unapprovedMatch = ({
  document_id: set_id,
  file_name: set_name,
  ...match
}: Awaited<ReturnType<ReadUnapproved>>[number]): Match => ({
  ...{ ...match, set_id, set_name, tuid: null },
  ...{ kind: 'close', score: 99, origin: 'unapproved' },
});

/** A match of an equal text. With a penalty or in other typography, it is a close one. */
const fullMatch = (hit: MemoryHit): Match =>
  hit.isRespelled
    ? { ...matchOf(hit, 'close', 99), typography: true }
    : matchOf(
        hit,
        hit.penalty > 0 ? 'close' : 'exact',
        hit.penalty === 0 && hit.inContext ? 101 : 100 - hit.penalty,
      );

/** Whether a similar segment is the match in other typography. */
const isServed = (one: MemoryHit, exact: MemoryHit | undefined) =>
  exact?.isRespelled === true && one.sourceText === exact.sourceText;

const closeMatch = (hit: CloseHit) => matchOf(hit, 'close', Math.min(99, Math.floor(100 * hit.similarity)));

function matchOf(hit: MemoryHit, kind: Match['kind'], score: number): Match {
  return {
    kind,
    score,
    source_text: hit.sourceText,
    target_text: hit.targetText,
    set_id: hit.setId,
    set_name: hit.setName,
    origin: hit.origin,
    tuid: hit.tuid,
    changed_at: hit.changedAt,
  };
}
