import {
  boolean,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** Glossaries. A glossary that is uploaded again under its name keeps its id. */
export const terminologySets = pgTable(
  'terminology_sets',
  {
    tenantId: identifier('tenant_id').notNull(),
    setId: identifier('set_id').notNull(),
    name: text('name').notNull(),
    /** As supplied; null if a CSV upload declared none. */
    sourceLang: text('source_lang'),
    targetLang: text('target_lang'),
    entryCount: integer('entry_count').notNull(),
    embeddingModel: text('embedding_model'),
    /** Changes with each upload; the cache of compiled glossaries is keyed by it. */
    revision: identifier('revision').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.setId] }),
    uniqueIndex('terminology_sets_tenant_id_name_key').on(t.tenantId, t.name),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** The terms of a glossary. Languages are canonical codes, read from the row's cells or else from the set; '' means any. */
export const terminologyEntries = pgTable(
  'terminology_entries',
  {
    tenantId: identifier('tenant_id').notNull(),
    setId: identifier('set_id').notNull(),
    /** Position in the file, from 1. */
    entryNo: integer('entry_no').notNull(),
    sourceLang: identifier('source_lang').notNull(),
    targetLang: identifier('target_lang').notNull(),
    sourceTerm: text('source_term').notNull(),
    targetTerm: text('target_term').notNull(),
    caseSensitive: boolean('case_sensitive').notNull(),
    priority: integer('priority').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.setId, t.entryNo] }),
    index('terminology_entries_languages_idx').on(t.tenantId, t.sourceLang, t.targetLang),
    foreignKey({
      columns: [t.tenantId, t.setId],
      foreignColumns: [terminologySets.tenantId, terminologySets.setId],
    }).onDelete('cascade'),
  ],
);
