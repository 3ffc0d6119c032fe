import { boolean, foreignKey, index, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { bytes, identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** Members of a tenant (A 2.2); `email` is lowercase and unique within its tenant only. */
export const users = pgTable(
  'users',
  {
    tenantId: identifier('tenant_id').notNull(),
    userId: identifier('user_id').notNull(),
    email: text('email').notNull(),
    provider: text('provider').notNull(),
    role: text('role').notNull(),
    /** argon2id in PHC form; null for members who sign in by an identity provider. */
    passwordHash: text('password_hash'),
    active: boolean('active').notNull().default(true),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId] }),
    unique('users_tenant_id_email_key').on(t.tenantId, t.email),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** Access and refresh tokens (A 2.3), by the SHA-256 of the token. */
export const tokens = pgTable(
  'tokens',
  {
    tenantId: identifier('tenant_id').notNull(),
    tokenHash: bytes('token_hash').notNull(),
    kind: text('kind', { enum: ['access_token', 'refresh_token'] }).notNull(),
    userId: identifier('user_id').notNull(),
    scope: text('scope').notNull(),
    /** The role at issuance, which introspection shows; guards read the member's present one. */
    role: text('role').notNull(),
    issuedAt: moment('issued_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.tokenHash] }),
    index('tokens_tenant_id_user_id_idx').on(t.tenantId, t.userId),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.userId] }).onDelete(
      'cascade',
    ),
  ],
);

/**
 * Which tenant a credential belongs to, by its SHA-256. The one table about tenants without a policy: it is
 * read before the tenant is known. It holds nothing else of the tenant's.
 */
export const credentialDirectory = pgTable(
  'credential_directory',
  {
    credentialHash: bytes('credential_hash').primaryKey(),
    kind: text('kind', { enum: ['access_token', 'api_key', 'refresh_token'] }).notNull(),
    tenantId: identifier('tenant_id').notNull(),
    /** Null for a key, which does not expire. */
    expiresAt: moment('expires_at'),
  },
  (t) => [
    index('credential_directory_tenant_id_idx').on(t.tenantId),
    index('credential_directory_expires_at_idx').on(t.expiresAt),
  ],
);
