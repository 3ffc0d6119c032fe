import { and, asc, eq, gt, ne, sql } from 'drizzle-orm';
import { documentArtifacts } from '#db/schema/documents.ts';
import { apiKeys, invites, users } from '#db/schema/identity.ts';
import { terminologyEntries, terminologySets } from '#db/schema/terminology.ts';
import { memorySets } from '#db/schema/translation-memory.ts';
import { translationJobs } from '#db/schema/translations.ts';
import type { Services } from '#server/context.ts';
import { extensionOf, readArtifact } from '#server/documents/artifacts.ts';
import { AppError } from '#server/errors.ts';
import { tmxHead, tmxTail } from '#server/formats/tmx/writer.ts';
import { readTenant } from '#server/identity/tenants/tenant-row.ts';
import { csvFormat, tbxFormat, usedFields } from '#server/language/terminology/export.ts';
import { isListed } from '#server/language/translation-memory/sets.ts';
import { selectSegments, writeUnits } from '#server/language/translation-memory/tmx-export.ts';
import type { LocatingServices } from '#server/storage/destination.ts';
import { jobOfRow } from '#server/texts/jobs.ts';
import { viewFor } from '#server/texts/tenant-view.ts';

export type ExportServices = LocatingServices & Pick<Services, 'log'>;

/** The key of the last exported row of a section; empty at its start. */
export type Cursor = readonly (string | number)[];

/** One file of an export. */
export interface ExportFile {
  /** The path in the zip. */
  name: string;
  content: string | Uint8Array;
}

/** Some files of a section, made in one step. */
export interface Page {
  files: ExportFile[];
  /** The number of rows, units, terms or files in it. */
  rows: number;
  /** The start of the next page; null after the last one. */
  next: Cursor | null;
}

interface Section {
  /** The name under which the export counts its rows. */
  name: string;
  /** @param number the number of the page in its section, starting at 1 */
  read(services: ExportServices, tenantId: string, after: Cursor, number: number): Promise<Page>;
}

/** Characters after which a file of a section ends. */
const maxFileLength = 8 * 1024 * 1024;

/** The lines of some rows, and the key of the last one. */
interface Lines {
  lines: string[];
  last: Cursor;
}

/** A section with one JSON object per line, in several files if there are many rows. */
function lineSection(
  name: string,
  select: (services: ExportServices, tenantId: string, after: Cursor) => Promise<Lines | null>,
): Section {
  return {
    name,
    async read(services, tenantId, from, number) {
      const lines: string[] = [];
      let length = 0;
      let after: Cursor | null = from;
      while (after && length < maxFileLength) {
        const found: Lines | null = await select(services, tenantId, after);
        after = found?.last ?? null;
        for (const line of found?.lines ?? []) {
          lines.push(line, '\n');
          length += line.length;
        }
      }
      const files =
        lines.length > 0 ? [{ name: numbered(name, number, 'jsonl'), content: lines.join('') }] : [];
      return { files, rows: lines.length / 2, next: after };
    },
  };
}

const numbered = (name: string, number: number, extension: string) =>
  `${name}-${String(number).padStart(4, '0')}.${extension}`;

/** The rows of a table that are exported, in the SQL of this file. No text of a caller is in it. */
interface TableRows {
  table: string;
  /** The key columns after the tenant, with their types. */
  keys: readonly (readonly [column: string, type: 'bigint' | 'date' | 'int' | 'text'])[];
  /** What is exported: nothing that only operators see, and no secret. */
  columns: string;
  where?: string;
}

const rowsPerQuery = 500;

function tableSection(name: string, { table, keys, columns, where = 'true' }: TableRows): Section {
  const names = keys.map(([column]) => column).join(', ');
  return lineSection(name, async ({ database }, tenantId, after) => {
    const values = keys.map(([, type], index) => sql`${after[index]}::text::${sql.raw(type)}`);
    const follows = sql`(${sql.raw(names)}) > (${sql.join(values, sql`, `)})`;
    const rows = await database.inTenant(tenantId, (tx) =>
      tx.execute<{ key: Cursor; line: string }>(sql`
        select jsonb_build_array(${sql.raw(names)}) as key,
          (select row_to_json(line)::text from (select ${sql.raw(columns)}) line) as line
        from ${sql.identifier(table)}
        where tenant_id = ${tenantId} and ${sql.raw(where)} and ${after.length > 0 ? follows : sql`true`}
        order by ${sql.raw(names)} limit ${rowsPerQuery}::int`),
    );
    const last = rows.at(-1)?.key;
    return last ? { lines: rows.map(({ line }) => line), last } : null;
  });
}

const workspace: Section = {
  name: 'members',
  async read({ database }, tenantId) {
    const { userId, email, role, active, provider, createdAt } = users;
    const found = await database.inTenant(tenantId, async (tx) => ({
      workspace: await readTenant(tx, tenantId),
      members: await tx
        .select({ id: userId, email, role, active, provider, created_at: createdAt })
        .from(users)
        .where(eq(users.tenantId, tenantId))
        .orderBy(asc(userId)),
      invites: await tx
        .select({
          email: invites.email,
          role: invites.role,
          languages: invites.languages,
          expires_at: invites.expiresAt,
        })
        .from(invites)
        .where(eq(invites.tenantId, tenantId))
        .orderBy(asc(invites.inviteId)),
      api_keys: await tx
        .select({
          name: apiKeys.name,
          scope: apiKeys.scope,
          prefix: apiKeys.prefix,
          created_at: apiKeys.createdAt,
          created_by: apiKeys.createdBy,
          expires_at: apiKeys.expiresAt,
          last_used_at: apiKeys.lastUsedAt,
          revoked_at: apiKeys.revokedAt,
        })
        .from(apiKeys)
        .where(eq(apiKeys.tenantId, tenantId))
        .orderBy(asc(apiKeys.keyId)),
    }));
    const content = `${JSON.stringify(found, null, 2)}\n`;
    return { files: [{ name: 'workspace.json', content }], rows: found.members.length, next: null };
  },
};

const view = viewFor({ operator: false });

/** Jobs are long: a page of 50 may have some megabytes. */
const jobsPerQuery = 50;

const jobs = lineSection('jobs/jobs', async ({ database }, tenantId, [after]) => {
  const { tenantId: ofTenant, jobId } = translationJobs;
  const rows = await database.inTenant(tenantId, (tx) =>
    tx
      .select()
      .from(translationJobs)
      .where(and(eq(ofTenant, tenantId), gt(jobId, String(after ?? ''))))
      .orderBy(asc(jobId))
      .limit(jobsPerQuery),
  );
  const last = rows.at(-1);
  return last ? { lines: rows.map((row) => JSON.stringify(view(jobOfRow(row)))), last: [last.jobId] } : null;
});

const files: Section = {
  name: 'documents/files',
  async read(services, tenantId, [after]) {
    const { tenantId: ofTenant, artifactId, state } = documentArtifacts;
    const [row] = await services.database.inTenant(tenantId, (tx) =>
      tx
        .select()
        .from(documentArtifacts)
        .where(and(eq(ofTenant, tenantId), ne(state, 'superseded'), gt(artifactId, String(after ?? ''))))
        .orderBy(asc(artifactId))
        .limit(1),
    );
    if (!row) return { files: [], rows: 0, next: null };
    const name = `documents/files/${row.documentId}/${row.kind}-${row.revision}.${extensionOf(row.contentType)}`;
    const file = await readArtifact(services, row).then(
      (content) => ({ name, content }),
      (error: unknown) => {
        if (!(error instanceof AppError) || error.code === 'transient_error') throw error;
        return { name: `${name}.missing.txt`, content: `${error.message}\n` };
      },
    );
    return { files: [file], rows: 1, next: [row.artifactId] };
  },
};

/** Returns a file name from a name that a caller has chosen. The end of the ID makes it unique. */
function fileName(name: string, id: string): string {
  return `${name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80)}-${id.slice(-8)}`;
}

/** The cursor has the set, its version, the last segment, and the number of the next file. */
const memory: Section = {
  name: 'memory',
  async read({ database }, tenantId, [setId = '', version = '', segment = 0, file = 1]) {
    const { tenantId: ofTenant, setId: id } = memorySets;
    const follows = segment === 0 ? gt(id, String(setId)) : eq(id, String(setId));
    const [set] = await database.inTenant(tenantId, (tx) =>
      tx
        .select()
        .from(memorySets)
        .where(and(eq(ofTenant, tenantId), follows, isListed))
        .orderBy(asc(id))
        .limit(1),
    );
    if (!set) return { files: [], rows: 0, next: segment === 0 ? null : [setId, '', 0] };
    // If the set was replaced in the meantime, its new segments follow in further files.
    let after = set.versionId === version ? Number(segment) : 0;
    const number = segment === 0 ? 1 : Number(file);
    const { sourceLang, targetLang } = set;
    const units = [tmxHead({ sourceLang, targetLang, creationDate: new Date() })];
    let length = 0;
    let rows = 0;
    let isLast = false;
    while (!isLast && length < maxFileLength) {
      const page = await database.inTenant(tenantId, (tx) => selectSegments(tx, set, after, 'next'));
      isLast = page.length === 0;
      rows += page.length;
      after = page.at(-1)?.segmentNo ?? after;
      for (const unit of writeUnits(set, page, Number.POSITIVE_INFINITY)) {
        units.push(unit);
        length += unit.length;
      }
    }
    units.push(tmxTail);
    const name = numbered(`memory/${fileName(set.name, set.setId)}`, number, 'tmx');
    return {
      files: rows > 0 ? [{ name, content: units.join('') }] : [],
      rows,
      next: isLast ? [set.setId, '', 0] : [set.setId, set.versionId, after, number + 1],
    };
  },
};

const glossaries: Section = {
  name: 'glossaries',
  async read({ database }, tenantId, [after]) {
    const found = await database.inTenant(tenantId, async (tx) => {
      const [set] = await tx
        .select()
        .from(terminologySets)
        .where(and(eq(terminologySets.tenantId, tenantId), gt(terminologySets.setId, String(after ?? ''))))
        .orderBy(asc(terminologySets.setId))
        .limit(1);
      if (!set) return null;
      const { tenantId: ofTenant, setId: ofSet, entryNo } = terminologyEntries;
      const terms = await tx
        .select()
        .from(terminologyEntries)
        .where(and(eq(ofTenant, tenantId), eq(ofSet, set.setId)))
        .orderBy(asc(entryNo));
      return { set, terms, fields: await usedFields(tx, tenantId, set.setId) };
    });
    if (!found) return { files: [], rows: 0, next: null };
    const { set, terms, fields } = found;
    const files = [tbxFormat('2019'), csvFormat].map(async ({ suffix, write }) => {
      const pieces: Uint8Array[] = [];
      for await (const piece of write(set.name, pageOf(terms), fields)) pieces.push(Buffer.from(piece));
      const name = `glossaries/${fileName(set.name, set.setId)}${suffix}`;
      return { name, content: Buffer.concat(pieces).toString() };
    });
    return { files: await Promise.all(files), rows: terms.length, next: [set.setId] };
  },
};

async function* pageOf<Row>(rows: Row[]): AsyncGenerator<Row[]> {
  yield rows;
}

/** The sections of an export, in the order of its zip. */
export const sections: readonly Section[] = [
  workspace,
  jobs,
  tableSection('reviews/decisions', {
    table: 'translation_jobs',
    keys: [['job_id', 'text']],
    columns: 'job_id, status, decided_at, decided_by, replaced_text',
    where: 'decided_at is not null',
  }),
  tableSection('reviews/comments', {
    table: 'review_comments',
    keys: [['comment_id', 'text']],
    columns:
      'comment_id as id, item_kind, item_id, position, user_id, author, body, mentions, created_at, deleted_at',
  }),
  tableSection('reviews/days', {
    table: 'review_days',
    keys: [
      ['day', 'date'],
      ['user_id', 'text'],
    ],
    columns: 'day, user_id, approved, edited, rejected, measured, words, edits, timed, worked_ms',
  }),
  tableSection('reviews/segment-events', {
    table: 'segment_events',
    keys: [['event_id', 'text']],
    columns:
      'event_id as id, document_id, position, change_id, kind, user_id, actor, target_text, reason, undone_at, created_at',
  }),
  tableSection('documents/documents', {
    table: 'document_jobs',
    keys: [['document_id', 'text']],
    columns: `document_id as id, status, source_file_name, source_format, page_count, source_chars, segments,
      request #- '{metadata,candidate_models}' #- '{metadata,primary_model}' as request, submitted_by, approved_at,
      review_history, created_at, updated_at`,
  }),
  tableSection('documents/segments', {
    table: 'document_segments',
    keys: [
      ['document_id', 'text'],
      ['position', 'int'],
    ],
    columns: `document_id, position, kind, page, place, source_text, target_text, score, needs_review, issues, corrected,
      pipeline_text, confirmed_at, confirmed_by`,
  }),
  tableSection('documents/analyses', {
    table: 'analyses',
    keys: [['analysis_id', 'text']],
    columns: `analysis_id as id, source_lang, target_langs, options, created_by, created_at, started_at, canceled_at,
      expires_at`,
  }),
  tableSection('documents/analyzed-files', {
    table: 'analysis_files',
    keys: [['file_id', 'text']],
    columns: `file_id as id, analysis_id, position, file_name, size_bytes, sha256, state, refusal, source_lang,
      image_pages, results, starts`,
  }),
  files,
  memory,
  tableSection('memory/sets', {
    table: 'memory_sets',
    keys: [['set_id', 'text']],
    columns: `set_id as id, name, source_lang, target_lang, origin, penalty, age_penalty, created_at, updated_at`,
    where: "origin <> 'golden_sentences'",
  }),
  tableSection('memory/uses', {
    table: 'memory_use',
    keys: [
      ['content_id', 'text'],
      ['segment_no', 'bigint'],
    ],
    columns: 'content_id as version_id, segment_no as unit_no, served, served_at',
  }),
  tableSection('memory/changes', {
    table: 'memory_changes',
    keys: [['change_id', 'text']],
    columns: 'change_id as id, kind, actor, segments, created_at, undone_at, undone_by',
  }),
  tableSection('memory/changed-segments', {
    table: 'memory_changed_segments',
    keys: [
      ['change_id', 'text'],
      ['position', 'int'],
    ],
    columns: 'change_id, position, old_source, old_target, new_source, new_target, undone',
  }),
  glossaries,
  tableSection('glossaries/sets', {
    table: 'terminology_sets',
    keys: [['set_id', 'text']],
    columns: 'set_id as id, name, source_lang, target_lang, entry_count, created_at, updated_at',
  }),
  tableSection('style-guides/style-guides', {
    table: 'style_guides',
    keys: [['target_lang', 'text']],
    columns: `nullif(target_lang, '') as target_lang, rules, quotation_marks, spacing, formality, forbidden_words,
      updated_at, updated_by`,
  }),
  tableSection('segmentation/rules', {
    table: 'segmentation_rules',
    keys: [['tenant_id', 'text']],
    columns: 'name, srx, updated_at, updated_by',
  }),
  tableSection('reviews/assignments', {
    table: 'review_assignments',
    keys: [
      ['item_kind', 'text'],
      ['item_id', 'text'],
    ],
    columns: `item_kind, item_id, assignee, four_eyes, second, passed_at, passed_by, due_at, comment, assigned_by,
      assigned_at, words, held_at, first_passed_at, closed_at, decided_at`,
    where: 'version > 0',
  }),
  tableSection('reviews/profiles', {
    table: 'reviewer_profiles',
    keys: [['user_id', 'text']],
    columns: 'user_id, display_name, time_zone, away_from, away_to, languages',
  }),
  tableSection('reviews/assignment-rules', {
    table: 'assignment_rules',
    keys: [['tenant_id', 'text']],
    columns: 'rules',
  }),
  tableSection('mail/mails', {
    table: 'mails',
    keys: [['mail_id', 'text']],
    columns:
      'mail_id as id, kind, user_id, language, subject_id, items, failed_items, state, created_at, ended_at',
  }),
  tableSection('mail/preferences', {
    table: 'mail_preferences',
    keys: [['user_id', 'text']],
    columns: 'user_id, digest, documents, language',
  }),
  tableSection('usage/usage', {
    table: 'usage_records',
    keys: [['job_id', 'text']],
    columns: `job_id, kind, billing_period, source_lang, target_lang, source_chars, billable_chars, job_status, fast_path,
      submitted_by, recorded_at`,
  }),
  tableSection('usage/days', {
    table: 'usage_day_groups',
    keys: [
      ['day', 'date'],
      ['kind', 'text'],
      ['source_lang', 'text'],
      ['target_lang', 'text'],
      ['served_from', 'text'],
      ['submitted_by', 'text'],
      ['domain', 'text'],
    ],
    columns: `day, kind, source_lang, target_lang, served_from, submitted_by, domain, jobs, source_chars, billable_chars`,
  }),
  tableSection('audit/audit', {
    table: 'audit_log',
    keys: [['event_id', 'text']],
    // As in the audit log on screen: members do not see the addresses of operators.
    columns: `event_id as id, recorded_at, action, actor_kind, actor_id, target,
      case when actor_kind in ('member', 'api_key', 'anonymous') then address end as address, request_id, details`,
  }),
];
