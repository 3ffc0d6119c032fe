import { foreignKey, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** A word that translations must not contain. */
export interface ForbiddenWord {
  term: string;
  /** The word to use in its place; null: only avoid the term. */
  use_instead: string | null;
}

/** Style guides: how the translations of a workspace are to be written, in one language or in all. */
export const styleGuides = pgTable(
  'style_guides',
  {
    tenantId: identifier('tenant_id').notNull(),
    /** A canonical language code; '' for the guide of all languages. */
    targetLang: identifier('target_lang').notNull(),
    /** Rules as text, which only the model reads. */
    rules: text('rules').notNull(),
    /** Null for the rules that are not set. The values are those of `server/language/style-guides/schema.ts`. */
    quotationMarks: text('quotation_marks'),
    spacing: text('spacing'),
    formality: text('formality'),
    forbiddenWords: jsonb('forbidden_words').$type<ForbiddenWord[]>().notNull(),
    /** Changes with each save. A save names the version that it replaces. */
    version: identifier('version').notNull(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    /** The member who saved the guide; null for an API key. */
    updatedBy: identifier('updated_by'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.targetLang] }),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);
