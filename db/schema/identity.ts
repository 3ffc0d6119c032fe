import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, pgTable, primaryKey, text, unique } from 'drizzle-orm/pg-core';
import { bytes, identifier, moment } from './columns.ts';
import { tenants } from './tenants.ts';

/** Members of a tenant. `email` is lowercase and unique only within its tenant. */
export const users = pgTable(
  'users',
  {
    tenantId: identifier('tenant_id').notNull(),
    userId: identifier('user_id').notNull(),
    email: text('email').notNull(),
    provider: text('provider').notNull(),
    role: text('role').notNull(),
    /** argon2id in PHC format; null for members who sign in with an identity provider. */
    passwordHash: text('password_hash'),
    /** Issuer and `sub` of the identity provider, separated by a space; null for members with a password. */
    providerSubject: text('provider_subject'),
    active: boolean('active').notNull().default(true),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** The authenticator's secret, sealed; null if none is enrolled. */
    totpSecret: bytes('totp_secret'),
    /** The sealed secret of an enrollment that awaits confirmation. */
    totpPendingSecret: bytes('totp_pending_secret'),
    /** The latest 30-second step whose code was accepted, so that no code is accepted twice. */
    totpLastStep: integer('totp_last_step'),
    /** Times of the last failed codes, at most ten. */
    mfaFailedAt: moment('mfa_failed_at').array().notNull().default(sql`'{}'`),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId] }),
    unique('users_tenant_id_email_key').on(t.tenantId, t.email),
    unique('users_tenant_id_provider_subject_key').on(t.tenantId, t.providerSubject),
    // The operator key identifies a member by id only.
    index('users_user_id_idx').on(t.userId),
    // Finds the oldest accounts of an email address over all tenants.
    index('users_password_accounts_idx').on(t.email, t.createdAt).where(sql`provider = 'email' and active`),
    index('users_provider_subject_idx').on(t.providerSubject).where(sql`provider_subject is not null`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** Access and refresh tokens, by the token's SHA-256. */
export const tokens = pgTable(
  'tokens',
  {
    tenantId: identifier('tenant_id').notNull(),
    tokenHash: bytes('token_hash').notNull(),
    kind: text('kind', { enum: ['access_token', 'refresh_token'] }).notNull(),
    userId: identifier('user_id').notNull(),
    scope: text('scope').notNull(),
    /** The role at issuance, which introspection shows; guards read the member's current role. */
    role: text('role').notNull(),
    /** The token family: all tokens that descend from one sign-in. */
    familyId: identifier('family_id').notNull().default(sql`gen_random_uuid()::text`),
    /** When the family's sign-in was. Families of unknown age count from the migration. */
    familyBeganAt: moment('family_began_at').notNull().default(sql`now()`),
    /** Whether this family has passed a second factor; false if unknown. */
    secondFactor: boolean('second_factor').notNull().default(false),
    /** When a refresh token was used. The row stays until it expires, so that a late second use is recognized. */
    consumedAt: moment('consumed_at'),
    /** The SHA-256 of the retry key that a used refresh token was used with: its client may repeat the refresh. */
    retryKeyHash: bytes('retry_key_hash'),
    /** The hash of the refresh token that this one was issued for; null for a sign-in's. */
    issuedFor: bytes('issued_for'),
    issuedAt: moment('issued_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.tokenHash] }),
    index('tokens_tenant_id_user_id_idx').on(t.tenantId, t.userId, t.familyId),
    index('tokens_expires_at_idx').on(t.expiresAt),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.userId] }).onDelete(
      'cascade',
    ),
  ],
);

/**
 * Maps a credential's SHA-256 to its tenant. The only table of tenant data without a policy: it is read before the
 * tenant is known. It contains nothing else about the tenant.
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

/** Sign-ins whose password was correct and that await a code, by the SHA-256 of their secret. */
export const mfaChallenges = pgTable(
  'mfa_challenges',
  {
    tenantId: identifier('tenant_id').notNull(),
    challengeHash: bytes('challenge_hash').notNull(),
    userId: identifier('user_id').notNull(),
    method: text('method', { enum: ['totp', 'totp_enroll'] }).notNull(),
    /** The scope of the tokens that will be issued. */
    scope: text('scope').notNull(),
    codesSubmitted: integer('codes_submitted').notNull().default(0),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.challengeHash] }),
    index('mfa_challenges_tenant_id_user_id_idx').on(t.tenantId, t.userId),
    index('mfa_challenges_expires_at_idx').on(t.expiresAt),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.userId] }).onDelete(
      'cascade',
    ),
  ],
);

/** Unused recovery codes, by a keyed hash: the codes are too short for a plain one. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    tenantId: identifier('tenant_id').notNull(),
    userId: identifier('user_id').notNull(),
    codeHash: bytes('code_hash').notNull(),
    /** The key that hashed it; null for a code from before this was recorded. */
    keyId: text('key_id'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId, t.codeHash] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.userId] }).onDelete(
      'cascade',
    ),
  ],
);

/** Password reset links: one valid per member, by the SHA-256 of its secret. */
export const resetLinks = pgTable(
  'reset_links',
  {
    tenantId: identifier('tenant_id').notNull(),
    userId: identifier('user_id').notNull(),
    linkHash: bytes('link_hash').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId] }),
    index('reset_links_expires_at_idx').on(t.expiresAt),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.userId] }).onDelete(
      'cascade',
    ),
  ],
);

/** Invites into a tenant, kept as a ledger. The token is never stored, only the SHA-256 of its secret. */
export const invites = pgTable(
  'invites',
  {
    tenantId: identifier('tenant_id').notNull(),
    inviteId: identifier('invite_id').notNull(),
    secretHash: bytes('secret_hash').notNull(),
    /** Lowercase; null if anyone with the token may use it. */
    email: text('email'),
    role: text('role').notNull(),
    createdBy: text('created_by').notNull(),
    /** Created by an operator. An operator's address can join only through such an invite. */
    byOperator: boolean('by_operator').notNull().default(false),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    redeemedAt: moment('redeemed_at'),
    /** The member that it created. */
    redeemedBy: text('redeemed_by'),
    withdrawnAt: moment('withdrawn_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.inviteId] }),
    unique('invites_tenant_id_secret_hash_key').on(t.tenantId, t.secretHash),
    index('invites_tenant_id_created_at_idx').on(t.tenantId, t.createdAt, t.inviteId),
    // The ledger grows, but few invites are open.
    index('invites_open_idx')
      .on(t.tenantId, t.expiresAt)
      .where(sql`redeemed_at is null and withdrawn_at is null`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/**
 * Single sign-ons in progress, by the SHA-256 of their state. Without a policy: the tenant is unknown until the
 * provider responds. Sealed: nonce, verifier, redirect URL, and the hashes of invite and browser.
 */
export const ssoStates = pgTable(
  'sso_states',
  {
    stateHash: bytes('state_hash').primaryKey(),
    sealed: bytes('sealed').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [index('sso_states_expires_at_idx').on(t.expiresAt)],
);

/**
 * Attempts at the authentication endpoints, by bucket and client address. Unlogged: counting needs no flush to disk,
 * and after a crash of the database all counts start again.
 */
export const rateWindows = pgTable(
  'rate_windows',
  {
    bucket: identifier('bucket').notNull(),
    subject: identifier('subject').notNull(),
    attempts: integer('attempts').notNull(),
    endsAt: moment('ends_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.bucket, t.subject] }), index('rate_windows_ends_at_idx').on(t.endsAt)],
);
