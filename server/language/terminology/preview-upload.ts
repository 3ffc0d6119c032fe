import { and, asc, eq } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { terminologyEntries, terminologySets } from '#db/schema/terminology.ts';
import { AppError } from '#server/errors.ts';
import { fieldView } from '#server/formats/term-fields.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import { groupInSteps, inSlices } from '#server/platform/threads/slices.ts';
import { findConflicts } from './glossary-conflicts.ts';
import { lineWarnings, sourceKey } from './line-warnings.ts';
import type { GlossaryForm, UploadedGlossary } from './schema.ts';
import type { NewEntry } from './sets.ts';
import type { Term } from './term-changes.ts';
import type { ApplyPreviewRequest, PreviewRequest, UploadPreview } from './term-schema.ts';
import {
  readUpload,
  requireRoomForUpload,
  tableView,
  type UploadServices,
  uploadGlossary,
} from './upload.ts';
import { glossaryWarnings } from './upload-warnings.ts';

/** Maximum number of terms of the file or of the glossary that are compared, and of changes of a kind that are listed. */
const limits = { compared: 50_000, listed: 100 };

type Change = UploadPreview['changes'][number];
/** A term of the file with its line, or a term of the glossary. */
type Compared = NewEntry | Term;

/**
 * Reads a file like an upload, with the same errors, and compares it with the glossary of this name, but stores nothing.
 * @throws AppError 400, 413, 415, 422
 */
export async function previewUpload(
  services: UploadServices,
  withTenant: WithTenant,
  request: PreviewRequest,
  signal: AbortSignal,
): Promise<UploadPreview> {
  const form = formOf(request);
  const { tenantId, name, read, entries } = await readUpload(
    services,
    withTenant,
    form,
    signal,
    request.table,
  );
  return services.database.inTenant(tenantId, async (tx) => {
    await requireRoomForUpload(tx, services.settings, tenantId, name, entries);
    const present = await selectPresent(tx, tenantId, name);
    if (Math.max(entries.length, present.terms.length) > limits.compared)
      throw new AppError('unprocessable', `a preview compares at most ${limits.compared} terms`);
    const { changes, unchanged } = await inSlices(compare(present.terms, entries));
    const conflicts = await findConflicts(tx, tenantId, name, entries);
    const ofKind = (kind: Change['kind']) => changes.filter((change) => change.kind === kind);
    return {
      set_id: present.setId,
      revision: present.revision,
      entry_count: entries.length,
      added: ofKind('added').length,
      changed: ofKind('changed').length,
      removed: ofKind('removed').length,
      unchanged,
      changes: (['changed', 'removed', 'added'] as const).flatMap((kind) =>
        ofKind(kind).slice(0, limits.listed),
      ),
      warnings: await inSlices(glossaryWarnings(read, entries)),
      unit: read.unit,
      table: read.table ? tableView(read.table) : null,
      ...(await inSlices(lineWarnings(read, entries, conflicts))),
    };
  });
}

/**
 * Uploads a previewed file, if its glossary is still as it was for the preview.
 * @throws AppError 400, 413, 415, 422; 409 if the glossary has changed since the preview
 */
export function applyPreview(
  services: UploadServices,
  withTenant: WithTenant,
  { revision, ...request }: ApplyPreviewRequest,
  signal: AbortSignal,
): Promise<UploadedGlossary> {
  const form = formOf(request);
  return uploadGlossary(services, withTenant, form, signal, { replaces: revision, table: request.table });
}

function formOf({ file_name, content, table: _, ...fields }: PreviewRequest): GlossaryForm {
  const bytes = Buffer.from(content, 'base64');
  return {
    ...fields,
    terminology_file: { name: file_name, contentType: '', bytes, via: 'form' },
  };
}

async function selectPresent(tx: Tx, tenantId: string, name: string) {
  const [set] = await tx
    .select({ setId: terminologySets.setId, revision: terminologySets.revision })
    .from(terminologySets)
    .where(and(eq(terminologySets.tenantId, tenantId), eq(terminologySets.name, name)));
  if (!set) return { setId: null, revision: null, terms: [] };
  const terms = await tx
    .select()
    .from(terminologyEntries)
    .where(and(eq(terminologyEntries.tenantId, tenantId), eq(terminologyEntries.setId, set.setId)))
    .orderBy(asc(terminologyEntries.entryNo))
    .limit(limits.compared + 1);
  return { ...set, terms };
}

/**
 * Compares the terms of a glossary with those of a file. Equal terms are unchanged. Of the others, terms with the same
 * source, languages and case rule are pairs of before and after.
 */
function* compare(
  present: readonly Compared[],
  entries: readonly NewEntry[],
): Generator<undefined, { changes: Change[]; unchanged: number }> {
  const left = yield* groupInSteps<Compared>(present, wholeKey);
  const added: NewEntry[] = [];
  for (const entry of entries) {
    if (left.get(wholeKey(entry))?.pop() === undefined) added.push(entry);
    yield;
  }
  const remaining = [...left.values()].flat();
  const bySource = yield* groupInSteps(remaining.toReversed(), sourceKey);
  const paired = new Set<Compared>();
  const changes: Change[] = [];
  for (const entry of added) {
    const before = bySource.get(sourceKey(entry))?.pop();
    if (before) paired.add(before);
    changes.push({
      kind: before ? 'changed' : 'added',
      line: entry.line,
      place: entry.place ?? null,
      before: before ? termView(before) : null,
      after: termView(entry),
    });
    yield;
  }
  for (const term of remaining)
    if (!paired.has(term))
      changes.push({ kind: 'removed', line: null, place: null, before: termView(term), after: null });
  return { changes, unchanged: entries.length - added.length };
}

function wholeKey(term: Compared): string {
  return JSON.stringify([
    term.sourceLang,
    term.targetLang,
    term.caseSensitive,
    term.priority,
    term.sourceTerm,
    term.targetTerm,
    fieldView(term),
  ]);
}

function termView(term: Compared) {
  return {
    source_lang: term.sourceLang || null,
    target_lang: term.targetLang || null,
    source_term: term.sourceTerm,
    target_term: term.targetTerm,
    case_sensitive: term.caseSensitive,
    priority: term.priority,
    ...fieldView(term),
  };
}
