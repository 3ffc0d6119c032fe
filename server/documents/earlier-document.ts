import { sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { AppError } from '#server/errors.ts';
import type { Finding } from '#server/translation/findings.ts';
import { findingsAt, limitOf } from '#server/translation/request.ts';
import { awaitsApproval } from './assigned.ts';
import { type DocumentRow, requestOf } from './jobs.ts';
import type { DocumentTranslationRequest } from './schema.ts';

/*
 * A new version of a file. If the request names the document of the previous version, texts that both have in common keep
 * their translations with their reviews. They are not translated and not billed again.
 */

/** The fields that a translation depends on, besides its text. */
const options = ['domain', 'tone', 'gender'] as const;

type Update = Pick<
  DocumentTranslationRequest,
  'source_lang' | 'target_lang' | 'update_of' | (typeof options)[number]
>;

/**
 * Checks the field `update_of` of a request; without the field, nothing is checked.
 * @throws AppError 400 if the earlier document does not exist, is not translated, or has other languages or options
 */
export function requireEarlier(earlier: DocumentRow | undefined, { update_of: id, ...wanted }: Update): void {
  if (id === undefined) return;
  const refuse = (problem: string) => new AppError('validation_error', `update_of: ${problem}`);
  if (!earlier) throw refuse('document not found');
  if (earlier.status !== 'translated')
    throw refuse(`the document is not translated (status=${earlier.status})`);
  const request = requestOf(earlier);
  const { source_lang: from, target_lang: to } = request;
  const { source_lang, target_lang } = wanted;
  if (from !== source_lang || to !== target_lang)
    throw refuse(
      `the document was translated from ${from} to ${to}, and this request is from ${source_lang} to ${target_lang}`,
    );
  const other = options.find((name) => request[name] !== wanted[name]);
  if (other) throw refuse(`the document was translated with another ${other}`);
}

/**
 * Finds the documents of which a file may be a new version: for each target language, the latest translated one with the
 * same name, source language and options. The same file again is not a new version.
 */
export async function findEarlierByName(
  tx: Tx,
  tenantId: string,
  { fileName, sha256, request }: { fileName: string; sha256: string; request: Omit<Update, 'target_lang'> },
): Promise<Map<string, { document_id: string; created_at: string }>> {
  const isSame = sql.join(
    (['source_lang', ...options] as const).map(
      (name) => sql`coalesce(d.request ->> ${name}, '') = ${request[name] ?? ''}`,
    ),
    sql` and `,
  );
  const rows = await tx.execute<{
    document_id: string;
    target_lang: string;
    created_at: Date;
    sha256: string;
  }>(sql`
    select distinct on (d.request ->> 'target_lang') d.document_id, d.request ->> 'target_lang' as target_lang, d.created_at,
      a.sha256
    from document_jobs d join document_artifacts a on a.tenant_id = d.tenant_id and a.document_id = d.document_id
      and a.kind = 'source' and a.revision = 1
    where d.tenant_id = ${tenantId} and d.source_file_name = ${fileName} and d.status = 'translated' and ${isSame}
    order by d.request ->> 'target_lang', d.created_at desc`);
  return new Map(
    rows
      .filter((row) => row.sha256 !== sha256)
      .map(({ document_id, target_lang, created_at }) => [
        target_lang,
        { document_id, created_at: new Date(created_at).toISOString() },
      ]),
  );
}

/**
 * SQL: the segments of a document whose translations a new version keeps. Corrections that await the approval of the
 * document are not kept: the new version would deliver them without it.
 */
const keptSegments = (tenantId: string, documentId: string) => sql`document_segments s
  where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.target is not null and not ${awaitsApproval}`;

/**
 * SQL: the translations that a new version keeps by the key of their source, one for each key: a confirmed one if there is
 * one.
 */
const translationsOf = (tenantId: string, documentId: string) => sql`
  select distinct on (source_key) source_key, target, target_text, score, needs_review, issues, provenance, confirmed_at,
    confirmed_by
  from ${keptSegments(tenantId, documentId)}
  order by source_key, confirmed_at is null, position`;

/**
 * Copies the translations of the earlier document into the segments of a new one. A translation that exceeds a limit of the
 * new file needs a review, and is not confirmed any longer.
 * @returns the number of segments that have a translation now, and the code points of those that have none
 */
export async function keepTranslations(
  tx: Tx,
  { tenantId, documentId }: { tenantId: string; documentId: string },
  earlierId: string,
): Promise<{ translatedSegments: number; sourceChars: number }> {
  await tx.execute(sql`
    update document_segments s set target = e.target, target_text = e.target_text, score = e.score,
      needs_review = s.needs_review or e.needs_review,
      issues = case when e.issues @> s.issues then e.issues else s.issues || e.issues end,
      confirmed_at = e.confirmed_at, confirmed_by = e.confirmed_by,
      provenance = coalesce(e.provenance, '{}') || jsonb_build_object('kept_from', ${earlierId}::text)
    from (${translationsOf(tenantId, earlierId)}) e
    where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.source_key = e.source_key`);
  for (let after: number | undefined = -1; after !== undefined; )
    after = await checkLimits(tx, { tenantId, documentId }, after);
  const [counted] = await tx.execute<{ translated: number; chars: number }>(sql`
    select count(target)::int as translated, coalesce(sum(length(source_text)) filter (where target is null), 0)::int as chars
    from document_segments where tenant_id = ${tenantId} and document_id = ${documentId}`);
  return { translatedSegments: counted?.translated ?? 0, sourceChars: counted?.chars ?? 0 };
}

/** Number of kept translations whose lengths are checked together. */
const checkedTogether = 1000;

/**
 * Replaces the findings of kept translations about the limits of the earlier file.
 * @returns the position after which to continue; undefined at the end
 */
async function checkLimits(
  tx: Tx,
  { tenantId, documentId }: { tenantId: string; documentId: string },
  after: number,
): Promise<number | undefined> {
  const rows = await tx.execute<{
    position: number;
    text: string;
    most: number | null;
    unit: string | null;
    issues: Finding[];
  }>(sql`
    select position, target_text as text, max_length as most, length_unit as unit, issues from document_segments
    where tenant_id = ${tenantId} and document_id = ${documentId} and position > ${after} and target is not null
      and (max_length is not null or issues <> '[]')
    order by position limit ${checkedTogether}`);
  const found = await Promise.all(
    rows.map(async ({ position, text, most, unit, issues }) => {
      const { findings, isUnseen } = await findingsAt(limitOf(most, unit), text, issues);
      const isSame = findings.length === issues.length && findings.every((one, at) => one === issues[at]);
      return isSame ? [] : { position, issues: findings, is_unseen: isUnseen };
    }),
  );
  await tx.execute(sql`
    update document_segments s set issues = r.issues, needs_review = s.needs_review or r.is_unseen,
      confirmed_at = case when not r.is_unseen then s.confirmed_at end,
      confirmed_by = case when not r.is_unseen then s.confirmed_by end
    from json_to_recordset(${JSON.stringify(found.flat())}::json) as r(position int, issues jsonb, is_unseen boolean)
    where s.tenant_id = ${tenantId} and s.document_id = ${documentId} and s.position = r.position`);
  return rows.length < checkedTogether ? undefined : rows.at(-1)?.position;
}

/** Returns which of these keys, as hexadecimal digits, have a translation in a document that a new version keeps. */
export async function selectKnownKeys(
  tx: Tx,
  tenantId: string,
  documentId: string,
  keys: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.execute<{ key: string }>(sql`
    select distinct encode(source_key, 'hex') as key from ${keptSegments(tenantId, documentId)}
      and encode(source_key, 'hex') = any(array(select json_array_elements_text(${JSON.stringify(keys)}::json)))`);
  return new Set(rows.map(({ key }) => key));
}
