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

/** Glossaries. If a glossary is uploaded again under the same name, it keeps its id. */
export const terminologySets = pgTable(
  'terminology_sets',
  {
    tenantId: identifier('tenant_id').notNull(),
    setId: identifier('set_id').notNull(),
    name: text('name').notNull(),
    /** The language as the uploader stated it; null if a CSV upload declared none. */
    sourceLang: text('source_lang'),
    targetLang: text('target_lang'),
    entryCount: integer('entry_count').notNull(),
    embeddingModel: text('embedding_model'),
    /** Changes with each upload. The cache of compiled glossaries uses it as a key. */
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

/**
 * The terms of a glossary. Languages are canonical codes, from the term's own row in the file or else from the
 * glossary; '' means any language.
 */
export const terminologyEntries = pgTable(
  'terminology_entries',
  {
    tenantId: identifier('tenant_id').notNull(),
    setId: identifier('set_id').notNull(),
    /** The position of the term in the file, starting at 1. */
    entryNo: integer('entry_no').notNull(),
    sourceLang: identifier('source_lang').notNull(),
    targetLang: identifier('target_lang').notNull(),
    sourceTerm: text('source_term').notNull(),
    targetTerm: text('target_term').notNull(),
    caseSensitive: boolean('case_sensitive').notNull(),
    priority: integer('priority').notNull(),
    definition: text('definition'),
    note: text('note'),
    partOfSpeech: text('part_of_speech', {
      enum: ['noun', 'verb', 'adjective', 'adverb', 'proper_noun', 'other'],
    }),
    gender: text('gender', { enum: ['masculine', 'feminine', 'neuter', 'other'] }),
    status: text('status', { enum: ['preferred', 'allowed', 'forbidden'] })
      .notNull()
      .default('preferred'),
    /** If true, the target term is the source term. */
    doNotTranslate: boolean('do_not_translate').notNull().default(false),
    domain: text('domain'),
    /** An https URL. The service never requests it. */
    picture: text('picture'),
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

/** Candidates for terms that members have rejected, so that they are not suggested again. */
export const rejectedTerms = pgTable(
  'rejected_terms',
  {
    tenantId: identifier('tenant_id').notNull(),
    sourceLang: identifier('source_lang').notNull(),
    /** In lower case. */
    term: text('term').notNull(),
    /** The member; null for an API key. */
    rejectedBy: identifier('rejected_by'),
    rejectedAt: moment('rejected_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.sourceLang, t.term] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** Words that members of a workspace have declared correct, although a dictionary lacks them. */
export const spellingWords = pgTable(
  'spelling_words',
  {
    tenantId: identifier('tenant_id').notNull(),
    lang: identifier('lang').notNull(),
    word: identifier('word').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.lang, t.word] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);
