import type { ImportRow } from './queries/imports.ts';
import type { SetRow } from './queries/sets.ts';
import type { MemoryImportAnswer, MemoryImportJob, MemorySet } from './schema.ts';

export function setView(row: SetRow): MemorySet {
  return {
    id: row.setId,
    name: row.name,
    source_lang: row.sourceLang,
    target_lang: row.targetLang,
    origin: row.origin,
    entry_count: row.entryCount,
    embedding_model: row.embeddingModel,
    stub_embeddings: row.embeddingModel === null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** What a file came to, on top of its set (B 2.9 "plus on create"). */
export interface ImportCounts {
  totalUnits: number;
  skippedUnits: number;
  duplicatesDropped: number;
}

export function createdSetView(row: SetRow, counts: ImportCounts): MemorySet {
  return {
    ...setView(row),
    total_units: counts.totalUnits,
    imported: row.entryCount,
    skipped_units: counts.skippedUnits,
    duplicates_dropped: counts.duplicatesDropped,
  };
}

export function importView(row: ImportRow): MemoryImportJob {
  return {
    id: row.importId,
    status: row.status,
    set_name: row.setName,
    source_lang: row.sourceLang,
    target_lang: row.targetLang,
    total_units: row.totalUnits,
    deduped_units: row.dedupedUnits,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    error: row.error,
    // jsonb: written by `endImport` and nothing else.
    result: row.result as MemorySet | null,
  };
}

export function importAnswer(row: ImportRow): MemoryImportAnswer {
  return { poll_url: `/api/tm/imports/${row.importId}`, job: importView(row) };
}
