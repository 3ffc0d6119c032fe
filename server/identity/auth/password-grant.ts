import { and, asc, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import type { Tx } from '#db/client.ts';
import { prepare } from '#db/client.ts';
import { users } from '#db/schema/identity.ts';
import { tenants } from '#db/schema/tenants.ts';
import type { RequestContext, Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { isEmail, normalizeEmail } from '#server/identity/access/email-address.ts';
import { tooManyAttempts } from '#server/identity/access/rate-limit.ts';
import { type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { beginGuess, endGuess } from './passwords/guesses.ts';
import { accountsOfPassword } from './passwords/hashing.ts';
import { normalizePassword } from './passwords/policy.ts';
import { completeSignIn, type SignIn } from './sign-in.ts';

/** Maximum number of accounts of one address that a sign-in without tenant_id checks. */
const candidatesSearched = 10;

interface PasswordGrant {
  username: string;
  password: string;
  tenantId: string | undefined;
  scope: string | undefined;
}

/** The result if the password matches accounts in several workspaces. */
export interface WorkspaceSelection {
  kind: 'selection';
  workspaces: { tenantId: string; tenantName: string }[];
}

/**
 * The password grant. For an unknown address, a wrong password and a revoked member, the steps are the same: one
 * look-up, one hash, one audit event, one response.
 * @throws AppError 401; 403 if password sign-in is disabled; 429 after too many attempts for the address
 */
export async function grantByPassword(
  ctx: RequestContext,
  { username, password, tenantId, scope }: PasswordGrant,
): Promise<SignIn | WorkspaceSelection> {
  const { services } = ctx;
  const { settings, database, secretsKeys } = services;
  if (!settings.PASSWORD_SIGNIN_ENABLED)
    throw new AppError('forbidden', 'password sign-in is disabled; use single sign-on');
  const email = normalizeEmail(username);
  const guess = await database.inPlatform(async (tx) => {
    const found = await findPasswordAccounts(tx, email, tenantId, candidatesSearched + 1);
    if (!settings.AUTH_RATE_LIMIT_ENABLED) return { accounts: found, count: null };
    return beginGuess(tx, ctx, email, found);
  });
  if (typeof guess === 'number') throw tooManyAttempts(guess);
  const { accounts, count } = guess;
  const searched = accounts.slice(0, candidatesSearched);
  const { matching, passwordHash } = await accountsOfPassword(
    searched,
    normalizePassword(password),
    email,
    secretsKeys,
  );

  const [only, ...others] = matching;
  // Anyone can create accounts with someone else's address. They do not count if the owner of the address signs in.
  const counted = matching.some(({ isConfirmed }) => isConfirmed)
    ? accounts.filter(({ isConfirmed }) => isConfirmed)
    : accounts;
  const capped = tenantId === undefined && counted.length > candidatesSearched;
  if (!only) {
    await database.inPlatform((tx) => recordFailure(tx, ctx, email, capped));
    if (capped) throw new AppError('unauthenticated', tooManyWorkspaces);
    throw refused();
  }
  if (count !== null && matching.length === accounts.length)
    await endGuess(database, count, tenantId === undefined);
  if (capped) await database.inPlatform((tx) => recordCapped(tx, ctx, email));
  if (others.length > 0) return { kind: 'selection', workspaces: matching };
  return signInTo(services, ctx, only, passwordHash, scope);
}

const tooManyWorkspaces =
  'workspace_id_required: this email address belongs to more workspaces than a sign-in without tenant_id searches; send tenant_id';

async function signInTo(
  services: Pick<Services, 'database' | 'settings'>,
  origin: Origin,
  { tenantId, userId, passwordHash: checked }: PasswordAccount,
  passwordHash: string,
  scope: string | undefined,
): Promise<SignIn> {
  const signIn = await services.database.inTenant(tenantId, (tx) =>
    completeSignIn(tx, services, origin, {
      tenantId,
      userId,
      scope,
      way: 'password',
      password: { checked, present: passwordHash },
    }),
  );
  // While the password was hashed, the member was revoked, or the password changed.
  if (!signIn) throw refused();
  return signIn;
}

function refused(): AppError {
  return new AppError('unauthenticated', 'invalid email or password');
}

/**
 * Records a failed sign-in. The event never names a tenant, because the same work must be done whether or not the
 * address has an account.
 */
async function recordFailure(tx: Tx, origin: Origin, email: string, capped: boolean): Promise<void> {
  if (capped) await recordCapped(tx, origin, email);
  await recordEvent(tx, origin, {
    ...signInOf(email),
    action: 'sign_in_failed',
    details: { way: 'password' },
  });
}

async function recordCapped(tx: Tx, origin: Origin, email: string): Promise<void> {
  await recordEvent(tx, origin, { ...signInOf(email), action: 'login_candidates_capped' });
}

function signInOf(email: string) {
  const target = isEmail(email) ? { target: email } : {};
  // If the text is not an email address, it may be a password in the wrong field: do not record it.
  return { tenantId: null, actor: { kind: 'anonymous' } as const, ...target };
}

interface PasswordAccount {
  tenantId: string;
  tenantName: string;
  userId: string;
  passwordHash: string;
  /** Whether the account has confirmed the address. */
  isConfirmed: boolean;
}

/**
 * Finds the active password accounts of an address in active tenants, those that have confirmed the address first, then
 * oldest first: in the tenant `tenantId`, or in all tenants if it is undefined.
 */
async function findPasswordAccounts(
  tx: Tx,
  email: string,
  tenantId: string | undefined,
  limit: number,
): Promise<PasswordAccount[]> {
  const rows = await (tenantId === undefined
    ? selectAccounts(tx, { email, limit })
    : selectAccountsIn(tx, { email, tenantId, limit }));
  return rows.filter((row): row is FoundAccount & PasswordAccount => row.passwordHash !== null);
}

interface FoundAccount extends Omit<PasswordAccount, 'passwordHash'> {
  passwordHash: string | null;
  createdAt: Date;
}

/** The oldest accounts of an address that `where` selects. Each of them is found by an index in the order of creation. */
const oldest = (db: Parameters<BuildAccounts>[0], where: SQL | undefined) =>
  db
    .select({
      tenantId: users.tenantId,
      tenantName: tenants.name,
      userId: users.userId,
      passwordHash: users.passwordHash,
      isConfirmed: sql<boolean>`${users.emailConfirmedAt} is not null`.as('is_confirmed'),
      createdAt: users.createdAt,
    })
    .from(users)
    .innerJoin(tenants, eq(tenants.tenantId, users.tenantId))
    .where(
      and(
        eq(users.email, sql.placeholder('email')),
        sql`${users.provider} = 'email' and ${users.active}`,
        eq(tenants.active, true),
        where,
      ),
    )
    .orderBy(asc(users.createdAt), asc(users.userId))
    .limit(sql.placeholder('limit'));

type BuildAccounts = Parameters<typeof prepare<object, FoundAccount[]>>[0];

const selectAccounts = prepare<{ email: string; limit: number }, FoundAccount[]>((db) =>
  unionAll(oldest(db, isNotNull(users.emailConfirmedAt)), oldest(db, isNull(users.emailConfirmedAt)))
    .orderBy(sql`is_confirmed desc, created_at, user_id`)
    .limit(sql.placeholder('limit'))
    .prepare('password_accounts'),
);

const selectAccountsIn = prepare<{ email: string; tenantId: string; limit: number }, FoundAccount[]>((db) =>
  oldest(db, eq(users.tenantId, sql.placeholder('tenantId'))).prepare('password_accounts_in'),
);
