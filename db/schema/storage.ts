import { bigint, boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytes, identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** The account in which a tenant keeps its records and files. Without a row: platform storage. */
export const storageBindings = pgTable(
  'storage_bindings',
  {
    tenantId: identifier('tenant_id')
      .primaryKey()
      .references(() => tenants.tenantId, { onDelete: 'cascade' }),
    /** `https://<account>.dfs.core.windows.net` */
    accountUrl: text('account_url').notNull(),
    filesystem: text('filesystem').notNull(),
    authMode: text('auth_mode', { enum: ['managed_identity', 'sas', 'connection_string'] }).notNull(),
    /** Sealed for this tenant; null if the mode needs none. */
    secret: bytes('secret'),
    /** The key that sealed it. */
    secretKeyId: text('secret_key_id'),
    documentsPrefix: text('documents_prefix').notNull(),
    goldenPrefix: text('golden_prefix').notNull(),
    terminologyPrefix: text('terminology_prefix').notNull(),
    status: text('status', { enum: ['unverified', 'verified', 'error'] }).notNull(),
    lastError: text('last_error'),
    /** Incremented by each edit: a probe of an earlier revision changes nothing. */
    revision: integer('revision').notNull().default(1),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    updatedBy: text('updated_by'),
    lastVerifiedAt: moment('last_verified_at'),
    /** Time since which the tenant holds the container exclusively; null until a verification has succeeded. */
    heldSince: moment('held_since'),
  },
  (t) => [index('storage_bindings_container_idx').on(t.accountUrl, t.filesystem)],
);

/** Publications of parked jobs after a change of storage, and their progress. */
export const parkedJobReplays = pgTable(
  'parked_job_replays',
  {
    tenantId: identifier('tenant_id')
      .notNull()
      .references(() => tenants.tenantId, { onDelete: 'cascade' }),
    replayId: identifier('replay_id').notNull(),
    /** The number of parked jobs when it began. */
    parked: integer('parked').notNull(),
    published: integer('published').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    ended: boolean('ended').notNull().default(false),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.replayId] })],
);

/** The bytes of a tenant's documents in platform storage. A trigger on `document_artifacts` updates it. */
export const storageTotals = pgTable('storage_totals', {
  tenantId: identifier('tenant_id')
    .primaryKey()
    .references(() => tenants.tenantId, { onDelete: 'cascade' }),
  bytes: bigint('bytes', { mode: 'number' }).notNull().default(0),
  objects: integer('objects').notNull().default(0),
  /** The cap that an operator set for this tenant; 0 for none. Null: the deployment's. */
  capBytes: bigint('cap_bytes', { mode: 'number' }),
});
