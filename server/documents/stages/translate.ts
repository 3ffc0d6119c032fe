import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { documentSegments } from '#db/schema/documents.ts';
import { toAppError } from '#server/errors.ts';
import type { Segment } from '#server/formats/document.ts';
import {
  formatTagged,
  type InlineContent,
  parseWithoutFormats,
  plainText,
  tagWriter,
} from '#server/formats/inline-content.ts';
import { withTypographyOf } from '#server/matching/typography.ts';
import type { QualityIssue, TaskDocument } from '#server/platform/engines/engine.ts';
import { takingTurns } from '#server/platform/threads/slices.ts';
import { keyOf, type Prefetched } from '#server/translation/leverage/leverage.ts';
import { lookUpTexts, lookupOfText, translateGroup } from '#server/translation/pipeline/group.ts';
import type { GroupText } from '#server/translation/pipeline/run.ts';
import { lostTagsIssue } from '#server/translation/pipeline/tagged-segments.ts';
import { limitOf, smallestLimits } from '#server/translation/request.ts';
import { selectApprovedTargets } from '../approved-tags.ts';
import { type DocumentRun, updateRun, Yielded } from '../document-run.ts';
import { groupRequestOf, requestOf } from '../jobs.ts';
import { sourceTexts } from '../segment-contexts.ts';
import { noteOf, ofDocument } from '../segments.ts';
import { repeatedTypography } from './extract.ts';
import { TranslationStore } from './translation-store.ts';

/** A distinct text of the document. */
interface GroupSegment extends GroupText {
  /** Positions of the text in the document. Segments with the same source are translated once. */
  positions: readonly number[];
}

/** Number of distinct texts that are read and looked up together. */
const textsOfBatch = 400;
/**
 * Maximum UTF-16 units of the texts in one group, with their tags and 20 for the fields of each. A group is one call to
 * the engine, which translates it in two requests, and judges it in one. The second request has room for what a long
 * text leaves of the first one.
 */
const unitsOfGroup = 11_500;
const unitsOfFields = 20;
/** A translation with many texts must not leave one out. */
const textsOfGroup = 80;
/**
 * Number of groups of one document that are translated concurrently: half of a tenant's share of the model slots
 * (`concurrency-limit.ts`), because a process runs two documents at a time by default. After a crash, at most the calls
 * of these groups are repeated.
 */
const groupsInFlight = 96;

/**
 * Translates the segments that have no translation yet, in reading order. Equal segments are translated once, and those
 * that differ from another one in typography only get its translation, which is judged again. Each group is stored when
 * it is completed, while the next one is translated, so that after a crash another worker repeats only the groups that
 * were in progress.
 * @throws Yielded if the worker has to yield; it then starts no more groups, and has stored those in progress
 */
export async function translateSegments(run: DocumentRun): Promise<void> {
  const { services, tenantId, signal } = run;
  await services.engine.redaction?.learn(() => sourceTexts(services, run), { tenantId, signal, run });
  const [untranslated, originals, about] = await services.database.inTenant(tenantId, (tx) =>
    Promise.all([selectUntranslated(tx, run), selectOriginals(tx, run), selectAbout(tx, run)]),
  );
  const [first, copies] = [false, true].map((isCopy) =>
    untranslated.filter(({ positions: [at] }) => originals.has(at!) === isCopy),
  );
  await translateTexts(run, about, readGroups(run, first!, originals));
  await translateTexts(run, about, readGroups(run, copies!, originals));
  await services.database.inTenant(tenantId, (tx) => updateRun(tx, run, { stage: 'reconstruct' }));
}

/** Translates groups of texts concurrently, and stores them. */
async function translateTexts(
  run: DocumentRun,
  about: About,
  groups: ReturnType<typeof readGroups>,
): Promise<void> {
  const { services, tenantId, documentId, signal } = run;
  const request = groupRequestOf(requestOf(run.row));
  const searchFailed = () =>
    services.log.warn({ document_id: documentId }, 'a segment is translated without fuzzy matches');
  const scope = { tenantId, signal, run };
  const store = new TranslationStore(run);
  /** Groups for which the model had no capacity. */
  const returned: TextsOfGroup[] = [];
  let lanesLeft = groupsInFlight;
  const nextTurn = takingTurns();
  let isOver = false;
  /**
   * One of the concurrent loops; each translates one group after another. If the model has no capacity for a group, the
   * loop ends and leaves the group to the others, so that there are as many requests as the model takes.
   */
  const translateInTurn = async () => {
    let stored: Promise<void> | undefined;
    while (!isOver) {
      signal.throwIfAborted();
      const next = returned.pop() ?? (await groups.next()).value;
      if (!next) break;
      // Otherwise all lanes would run in the same iteration of the event loop, and delay other requests.
      await nextTurn();
      const group = await translateGroup(
        services,
        scope,
        { request, ...next, document: documentOf(about, next.texts[0]!) },
        searchFailed,
      ).catch((error: unknown) => {
        if (toAppError(error).code !== 'rate_limit' || lanesLeft === 1) throw error;
        returned.push(next);
      });
      await stored;
      if (!group) break;
      stored = store.add({
        cost: group.cost,
        segments: group.translations.map(({ of, translation }) => ({
          positions: of.positions,
          ...translation,
        })),
      });
      stored.catch(() => {});
      if (group.cost.models.length > 0) run.modelResponded();
      isOver ||= await run.isOver();
    }
    await stored;
  };
  const lanes = Array.from({ length: groupsInFlight }, () =>
    translateInTurn()
      .catch(async (error: unknown) => {
        isOver = true;
        await store.settled();
        throw error;
      })
      .finally(() => {
        lanesLeft -= 1;
      }),
  );
  const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === 'rejected');
  if (failed) throw failed.reason;
  // The other loops had ended before the last group was returned.
  if (returned.length > 0 && !isOver) {
    lanesLeft = 1;
    await translateInTurn();
  }
  if (isOver && (returned.length > 0 || !(await groups.next()).done)) throw new Yielded();
}

interface TextsOfGroup {
  texts: GroupSegment[];
  found: Prefetched;
}

/** Yields the groups in reading order, each with the terms and TM matches for the texts of its batch. */
async function* readGroups(
  run: DocumentRun,
  untranslated: readonly Untranslated[],
  originals: Originals,
): AsyncGenerator<TextsOfGroup, undefined> {
  const { database } = run.services;
  for (let start = 0; start < untranslated.length; start += textsOfBatch) {
    const { texts, found } = await database.inTenant(run.tenantId, async (tx) => {
      const texts = await selectTexts(tx, run, untranslated.slice(start, start + textsOfBatch));
      await addRepetitions(tx, run, texts, originals);
      const request = groupRequestOf(requestOf(run.row));
      const found = await lookUpTexts(tx, request, texts);
      await addApproved(
        tx,
        run,
        texts.filter((text) => found.exact.get(keyOf(lookupOfText(request, text)))),
      );
      return { texts, found };
    });
    for (const group of groupsOf(texts)) yield { texts: group, found };
  }
}

/** The first position of each text that differs from another one in typography only, with the position of that one. */
type Originals = ReadonlyMap<number, number>;

/** SQL: deletes the characters in which texts differ that differ in typography only, so that these have the same rest. */
const roughText = sql`translate(case when source_text ~ '[\ufb00-\ufb06]' then normalize(source_text, NFKC) else source_text end,
  ${'\u0022\u0027\u00b4\u02bc\u00ab\u00bb\u2010\u2011\u2012\u2013\u2014\u2015\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u2032\u2033\u2039\u203a\u2026\u2212-. \u00a0\u00ad\u2002\u2003\u2009\u200b\u202f\u2060\u3000\ufeff'}, '')`;

/**
 * Finds the untranslated texts that differ from another text of the document in typography only. The original is
 * translated already, or is the first one in reading order.
 */
async function selectOriginals(tx: Tx, { tenantId, documentId, row }: DocumentRun): Promise<Originals> {
  const { source_lang } = requestOf(row);
  const rows = await tx.execute<Pick<Segment, 'source'> & TextOfDocument>(sql`
    select s.position, s.source, s.variant, t.is_open
    from (
      select position, is_open, count(*) over alike > 1 and bool_or(is_open) over alike as is_found
      from (
        select min(position) as position, bool_or(target is null) as is_open, min(md5(${roughText})) as rough
        from document_segments where tenant_id = ${tenantId} and document_id = ${documentId} group by source_key) d
      window alike as (partition by rough)) t
    join document_segments s
      on s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = t.position
    where t.is_found order by t.is_open, s.position`);
  const found = new Map<string, number>();
  const originals = new Map<number, number>();
  for (const { position, source, variant, is_open } of rows) {
    const key = repeatedTypography({ source, ...(variant !== null && { variant }) }, source_lang);
    const original = found.get(key);
    if (original === undefined) found.set(key, position);
    else if (is_open) originals.set(position, original);
  }
  return originals;
}

type TextOfDocument = { position: number; variant: string | null; is_open: boolean };

/** Adds the translations of their originals to texts, in the typography of the texts and with their tags. */
async function addRepetitions(
  tx: Tx,
  { tenantId, documentId, row }: DocumentRun,
  texts: readonly GroupSegment[],
  originals: Originals,
): Promise<void> {
  const copies = texts.flatMap((text) => {
    const at = originals.get(text.positions[0]!);
    return at === undefined ? [] : [{ text, at }];
  });
  if (copies.length === 0) return;
  const rows = await tx.execute<{
    position: number;
    source: InlineContent;
    target: InlineContent;
    issues: QualityIssue[];
  }>(sql`
    select position, source, target, issues from document_segments
    where ${ofDocument(tenantId, documentId)} and target is not null and position = any(array(
      select jsonb_array_elements_text(${JSON.stringify(copies.map(({ at }) => at))}::jsonb)::int))`);
  const translated = new Map(rows.map((one) => [one.position, one]));
  const { target_lang } = requestOf(row);
  for (const { text, at } of copies) {
    const original = translated.get(at);
    if (!original || original.issues.some(({ explanation }) => explanation === lostTagsIssue.explanation))
      continue;
    const writeTag = tagWriter(text.source);
    const targetText = original.target
      .map((item) => (typeof item === 'string' ? item : writeTag(item)))
      .join('');
    const stored = { sourceText: plainText(original.source), targetText };
    const own = withTypographyOf(plainText(text.source), stored, target_lang);
    text.repetition = parseWithoutFormats(own, text.source);
  }
}

/** Adds their approved translations to texts with tags that the TM serves: it does not have the positions of the tags. */
async function addApproved(tx: Tx, { row }: DocumentRun, served: readonly GroupSegment[]): Promise<void> {
  const tagged = served.filter(({ source }) => source.some((item) => typeof item !== 'string'));
  const approved = await selectApprovedTargets(
    tx,
    row,
    tagged.map(({ source }) => source),
  );
  for (const [index, text] of tagged.entries()) text.approved = approved[index]!;
}

/** The context that all groups of a document have in common, and its headings with their positions. */
type About = TaskDocument & { headings: readonly { position: number; text: string }[] };

/** Maximum headings that are read, and UTF-16 units of one. A longer one is not cut: redaction must see whole values. */
const maxHeadings = 5000;
const headingUnits = 120;
/** Maximum UTF-16 units of the headings in each request. */
const outlineUnits = 400;

async function selectAbout(tx: Tx, { tenantId, documentId }: DocumentRun): Promise<About> {
  const ofThis = sql`tenant_id = ${tenantId} and document_id = ${documentId}`;
  const [row] = await tx.execute<Omit<About, 'outline'> & Record<string, unknown>>(sql`
    select exists (select from document_segments where ${ofThis}
        and jsonb_path_exists(source, '$[*] ? (@.type() == "object")')) as "hasTags",
      exists (select from document_segments where ${ofThis}
        and (context is not null or max_length is not null or place ~ '^line \\d+, ')) as "hasNotes",
      (select coalesce(json_agg(h), '[]') from (
        select position, source_text as text from document_segments
        where ${ofThis} and kind = 'heading' and length(source_text) <= ${headingUnits}
        order by position limit ${maxHeadings}) h) as headings`);
  const { headings, ...about } = row!;
  const outline: string[] = [];
  let room = outlineUnits;
  for (const { text } of headings) {
    room -= text.length;
    if (room < 0) break;
    outline.push(text);
  }
  return { ...about, headings, outline };
}

/** Returns what the model gets to know about the document with a group. */
function documentOf({ headings, ...about }: About, { positions: [first = 0] }: GroupSegment): TaskDocument {
  return { ...about, section: headings.findLast(({ position }) => position < first)?.text ?? null };
}

/** A distinct text without a translation: its positions, and the limits of all of them. */
type Untranslated = Pick<GroupSegment, 'positions' | 'limits'>;

/** Returns the distinct texts without a translation in reading order. */
async function selectUntranslated(tx: Tx, { tenantId, documentId }: DocumentRun): Promise<Untranslated[]> {
  const rows = await tx.execute<{
    positions: number[];
    limits: [most: number, unit: string | null][] | null;
  }>(sql`
    select json_agg(position order by position) as positions,
      json_agg(distinct jsonb_build_array(max_length, length_unit)) filter (where max_length is not null) as limits
    from document_segments
    where tenant_id = ${tenantId} and document_id = ${documentId} and target is null
    group by source_key order by min(position)`);
  return rows.map(({ positions, limits }) => ({
    positions,
    limits: limits ? smallestLimits(limits.map(([most, unit]) => limitOf(most, unit))) : [],
  }));
}

async function selectTexts(
  tx: Tx,
  { tenantId, documentId }: DocumentRun,
  texts: readonly Untranslated[],
): Promise<GroupSegment[]> {
  const byFirst = new Map(texts.map((text) => [text.positions[0], text]));
  const rows = await tx
    .select({
      position: documentSegments.position,
      source: documentSegments.source,
      place: documentSegments.place,
      context: documentSegments.context,
      variant: documentSegments.variant,
      before: sql<string | null>`(select b.source_text from document_segments b
        where b.tenant_id = ${tenantId} and b.document_id = ${documentId} and b.position = document_segments.position - 1)`,
      after: sql<string | null>`(select b.source_text from document_segments b
        where b.tenant_id = ${tenantId} and b.document_id = ${documentId} and b.position = document_segments.position + 1)`,
    })
    .from(documentSegments)
    .where(
      sql`${ofDocument(tenantId, documentId)} and ${documentSegments.position} = any(array(
        select jsonb_array_elements_text(${JSON.stringify([...byFirst.keys()])}::jsonb)::int))`,
    )
    .orderBy(documentSegments.position);
  return rows.map(({ position, source, place, context, ...row }) => ({
    ...row,
    ...byFirst.get(position)!,
    context: noteOf(place, context),
    source: source as InlineContent,
  }));
}

function groupsOf(texts: readonly GroupSegment[]): GroupSegment[][] {
  const groups: GroupSegment[][] = [];
  let units = 0;
  for (const text of texts) {
    const last = groups.at(-1);
    const own = formatTagged(text.source).length + unitsOfFields;
    units += own;
    if (last && units <= unitsOfGroup && last.length < textsOfGroup) last.push(text);
    else {
      groups.push([text]);
      units = own;
    }
  }
  return groups;
}
