import { sql } from 'drizzle-orm';
import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
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
    /** The password's argon2id hash in PHC format; null for members who sign in with an identity provider. */
    passwordHash: text('password_hash'),
    /** Issuer and `sub` of the identity provider, separated by a space; null for members with a password. */
    providerSubject: text('provider_subject'),
    active: boolean('active').notNull().default(true),
    createdAt: moment('created_at').notNull().defaultNow(),
    /**
     * When someone with access to the mailbox confirmed the email address; null if it is not confirmed. Identity
     * providers confirm the addresses of their members, for whom the column has no meaning.
     */
    emailConfirmedAt: moment('email_confirmed_at'),
    /** The secret of the member's authenticator app, sealed; null if none is enrolled. */
    totpSecret: bytes('totp_secret'),
    /** The sealed secret of an enrollment that awaits confirmation. */
    totpPendingSecret: bytes('totp_pending_secret'),
    /**
     * The latest 30-second step of which a verification code was accepted. No code of this step or an earlier one is
     * accepted again.
     */
    totpLastStep: integer('totp_last_step'),
    /**
     * The session that set up the authenticator, or created the recovery codes, without a recent proof of identity. Its
     * codes prove nothing in this session, which may be stolen. Null if there was a proof.
     */
    unprovedFamily: identifier('unproved_family'),
    /** Times of the latest failed verification codes, at most ten. */
    mfaFailedAt: moment('mfa_failed_at').array().notNull().default(sql`'{}'`),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId] }),
    unique('users_tenant_id_email_key').on(t.tenantId, t.email),
    unique('users_tenant_id_provider_subject_key').on(t.tenantId, t.providerSubject),
    // Requests with the operator key identify a member by id only, without a tenant.
    index('users_user_id_idx').on(t.userId),
    // Finds the oldest accounts with an email address, over all tenants.
    index('users_password_accounts_idx').on(t.email, t.createdAt).where(sql`provider = 'email' and active`),
    // Those of them whose address is confirmed, which a sign-in checks first.
    index('users_confirmed_accounts_idx')
      .on(t.email, t.createdAt)
      .where(sql`provider = 'email' and active and email_confirmed_at is not null`),
    index('users_provider_subject_idx').on(t.providerSubject).where(sql`provider_subject is not null`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** Access and refresh tokens, identified by their SHA-256. */
export const tokens = pgTable(
  'tokens',
  {
    tenantId: identifier('tenant_id').notNull(),
    tokenHash: bytes('token_hash').notNull(),
    kind: text('kind', { enum: ['access_token', 'refresh_token'] }).notNull(),
    userId: identifier('user_id').notNull(),
    scope: text('scope').notNull(),
    /**
     * The member's role when the token was issued; introspection returns it. Guards read the member's current role
     * instead.
     */
    role: text('role').notNull(),
    /** The token family. All tokens that result from one sign-in have the same family. */
    familyId: identifier('family_id').notNull().default(sql`gen_random_uuid()::text`),
    /**
     * The time of the sign-in that started this token's family. For families that are older than this column, the
     * time of the migration.
     */
    familyBeganAt: moment('family_began_at').notNull().default(sql`now()`),
    /** Whether MFA was completed in this token's family; false if unknown. */
    secondFactor: boolean('second_factor').notNull().default(false),
    /**
     * Whether the sign-in itself passed a second factor, here or at the identity provider. A later enrollment does not
     * change it. Only such a session can be an operator's.
     */
    factorAtSignIn: boolean('factor_at_sign_in').notNull().default(false),
    /** When the member last gave a password or a code in this token's family; null if unknown. */
    provedAt: moment('proved_at'),
    /** The program of the session's last sign-in or refresh, such as `Firefox, Linux`; null if unknown. */
    agent: text('agent'),
    /** The network from which the session was last refreshed, such as `192.0.2.0/24`; null if unknown. */
    network: text('network'),
    /**
     * When the refresh token was used. The row stays until the token expires, so that a later second use is detected.
     */
    consumedAt: moment('consumed_at'),
    /**
     * The SHA-256 of the retry key that was sent with the used refresh token. A client with this key may repeat the
     * refresh.
     */
    retryKeyHash: bytes('retry_key_hash'),
    /** The hash of the refresh token that was exchanged for this one; null for the first token of a sign-in. */
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
 * Maps a credential's SHA-256 to its tenant. It is the only table of tenant data without a policy for row-level
 * security, because it is read before the tenant is known. Therefore it contains no other data about the tenant, only
 * what limits the credential.
 */
export const credentialDirectory = pgTable(
  'credential_directory',
  {
    credentialHash: bytes('credential_hash').primaryKey(),
    /**
     * `api_key` is the current secret of the workspace key, which has all scopes and no end. `limited_key` is every
     * other secret of an API key. Versions that do not know it reject such a secret, instead of ignoring its limits.
     */
    kind: text('kind', { enum: ['access_token', 'api_key', 'limited_key', 'refresh_token'] }).notNull(),
    tenantId: identifier('tenant_id').notNull(),
    /** Null for an API key without an end. */
    expiresAt: moment('expires_at'),
    /** The API key of a `limited_key`; otherwise null. */
    keyId: identifier('key_id'),
    /** The scopes of a `limited_key`, separated by spaces; otherwise null. */
    scope: text('scope'),
    /** Whether a rotation has replaced this secret, which is valid until the end of the overlap. */
    replaced: boolean('replaced').notNull().default(false),
  },
  (t) => [
    index('credential_directory_tenant_id_idx').on(t.tenantId),
    index('credential_directory_expires_at_idx').on(t.expiresAt),
  ],
);

/** API keys of a tenant. The SHA-256 of their secrets is in the credential directory. */
export const apiKeys = pgTable(
  'api_keys',
  {
    tenantId: identifier('tenant_id').notNull(),
    keyId: identifier('key_id').notNull(),
    name: text('name').notNull(),
    /** The scopes, separated by spaces. */
    scope: text('scope').notNull(),
    /** The first eight characters of the current secret. */
    prefix: text('prefix').notNull(),
    /** Whether this is the key that was created with the workspace, or its successor. A tenant has at most one. */
    workspace: boolean('workspace').notNull().default(false),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** ID of the member who created the current secret; null if an operator did. */
    createdBy: text('created_by'),
    /** Null if the key has no end. */
    expiresAt: moment('expires_at'),
    /** The end of the overlap of the latest rotation: until then, the replaced secret is valid. */
    overlapEndsAt: moment('overlap_ends_at'),
    /** Accurate to about a minute. */
    lastUsedAt: moment('last_used_at'),
    revokedAt: moment('revoked_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.keyId] }),
    uniqueIndex('api_keys_workspace_key').on(t.tenantId).where(sql`workspace and revoked_at is null`),
    uniqueIndex('api_keys_name_key').on(t.tenantId, t.name).where(sql`not workspace and revoked_at is null`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/** Sign-ins with a correct password that await a verification code, by the SHA-256 of the challenge's secret. */
export const mfaChallenges = pgTable(
  'mfa_challenges',
  {
    tenantId: identifier('tenant_id').notNull(),
    challengeHash: bytes('challenge_hash').notNull(),
    userId: identifier('user_id').notNull(),
    method: text('method', { enum: ['totp', 'totp_enroll'] }).notNull(),
    /** The scope of the tokens that a successful sign-in will get. */
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

/** Unused recovery codes. A keyed hash is stored, because the codes are too short for an ordinary one. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    tenantId: identifier('tenant_id').notNull(),
    userId: identifier('user_id').notNull(),
    codeHash: bytes('code_hash').notNull(),
    /** The key with which the code was hashed; null for codes that are older than this column. */
    keyId: text('key_id'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.userId, t.codeHash] }),
    foreignKey({ columns: [t.tenantId, t.userId], foreignColumns: [users.tenantId, users.userId] }).onDelete(
      'cascade',
    ),
  ],
);

/** Password reset links, by the SHA-256 of their secrets. A member has at most one valid link. */
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

/**
 * Invites into a tenant. Rows are kept after use, as a record, until retention deletes them. Only the SHA-256 of the secret is stored, never the
 * token.
 */
export const invites = pgTable(
  'invites',
  {
    tenantId: identifier('tenant_id').notNull(),
    inviteId: identifier('invite_id').notNull(),
    secretHash: bytes('secret_hash').notNull(),
    /** The invited email address in lowercase; null if anyone with the token may use the invite. */
    email: text('email'),
    role: text('role').notNull(),
    /** The languages that the profile of the member gets who joins. */
    languages: jsonb('languages')
      .$type<{ source_lang: string; target_lang: string; review: boolean; second: boolean }[]>()
      .notNull()
      .default([]),
    createdBy: text('created_by').notNull(),
    /**
     * Whether an operator created the invite. An email address of an operator can join a tenant only with such an
     * invite.
     */
    byOperator: boolean('by_operator').notNull().default(false),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
    redeemedAt: moment('redeemed_at'),
    /** The member who joined with this invite. */
    redeemedBy: text('redeemed_by'),
    withdrawnAt: moment('withdrawn_at'),
  },
  (t) => [
    primaryKey({ columns: [t.tenantId, t.inviteId] }),
    unique('invites_tenant_id_secret_hash_key').on(t.tenantId, t.secretHash),
    index('invites_tenant_id_created_at_idx').on(t.tenantId, t.createdAt, t.inviteId),
    // The table keeps all invites, but only a few of them are open.
    index('invites_open_idx')
      .on(t.tenantId, t.expiresAt)
      .where(sql`redeemed_at is null and withdrawn_at is null`),
    foreignKey({ columns: [t.tenantId], foreignColumns: [tenants.tenantId] }).onDelete('cascade'),
  ],
);

/**
 * Single sign-ons in progress, by the SHA-256 of their state. The table has no policy for row-level security, because
 * the tenant is unknown until the provider responds. The sealed data are nonce, verifier, redirect URL, and the
 * hashes of invite and browser.
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
 * Counts of attempts at the authentication endpoints, by rate limit and client address. The table is unlogged:
 * counting needs no write to PostgreSQL's log, and a crash of the database only resets the counts.
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
