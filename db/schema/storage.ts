import { bigint, boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytes, identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** The storage account in which a tenant keeps its records and files. A tenant without a row uses platform storage. */
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
    /** The secret to access the account, sealed for this tenant; null if the authentication mode needs none. */
    secret: bytes('secret'),
    /** The id of the key that sealed the secret. */
    secretKeyId: text('secret_key_id'),
    documentsPrefix: text('documents_prefix').notNull(),
    goldenPrefix: text('golden_prefix').notNull(),
    terminologyPrefix: text('terminology_prefix').notNull(),
    status: text('status', { enum: ['unverified', 'verified', 'error'] }).notNull(),
    lastError: text('last_error'),
    /** Incremented by each change of the binding. The result of a verification of an earlier revision is ignored. */
    revision: integer('revision').notNull().default(1),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    updatedBy: text('updated_by'),
    lastVerifiedAt: moment('last_verified_at'),
    /** The time since when this tenant alone holds the container; null until a verification has succeeded. */
    heldSince: moment('held_since'),
  },
  (t) => [index('storage_bindings_container_idx').on(t.accountUrl, t.filesystem)],
);

/** Runs that publish a tenant's parked jobs after a change of storage, with their progress. */
export const parkedJobReplays = pgTable(
  'parked_job_replays',
  {
    tenantId: identifier('tenant_id')
      .notNull()
      .references(() => tenants.tenantId, { onDelete: 'cascade' }),
    replayId: identifier('replay_id').notNull(),
    /** The number of parked jobs at the start of the run. */
    parked: integer('parked').notNull(),
    published: integer('published').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    ended: boolean('ended').notNull().default(false),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.tenantId, t.replayId] })],
);

/** The number of bytes of a tenant's documents in platform storage. A trigger on `document_artifacts` updates it. */
export const storageTotals = pgTable('storage_totals', {
  tenantId: identifier('tenant_id')
    .primaryKey()
    .references(() => tenants.tenantId, { onDelete: 'cascade' }),
  bytes: bigint('bytes', { mode: 'number' }).notNull().default(0),
  objects: integer('objects').notNull().default(0),
  /**
   * The limit in bytes that an operator set for this tenant; 0 for no limit. If null, the limit of the deployment
   * applies.
   */
  capBytes: bigint('cap_bytes', { mode: 'number' }),
});

/**
 * The ID of the platform storage that belongs to this database, in one row. The storage has the same ID
 * (`server/storage/store-identity.ts`).
 */
export const storeIdentity = pgTable('store_identity', {
  singleton: boolean('singleton').primaryKey().default(true),
  storeId: identifier('store_id').notNull(),
});
