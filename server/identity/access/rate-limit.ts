import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { rateLimitSubject, siteSubject } from '#server/http/client-address.ts';
import type { Settings } from '#server/settings.ts';
import { middleware } from '#server/trpc.ts';

/** The names under which attempts are counted. Each authentication endpoint is counted separately. */
type Bucket =
  | 'signup'
  | 'password_grant'
  | 'mfa_grant'
  | 'mfa_verify'
  | 'mfa_enroll'
  | 'mfa_confirm'
  | 'mfa_recovery'
  | 'key_rotation'
  | 'invite_preview'
  | 'password_reset'
  | 'password_forgotten'
  | 'sso_authorize'
  | 'sso_callback'
  | 'sso_client_config'
  | 'visit'
  | 'visitor_read';

/**
 * The endpoints at which a secret can be guessed, a workspace created or a mail caused. For them an IPv6 site (/48) counts as one
 * client, because it has 65,536 networks of /64. The password grant has its own limit for sites.
 */
const bySite: ReadonlySet<Bucket> = new Set([
  'signup',
  'mfa_grant',
  'mfa_verify',
  'mfa_confirm',
  'invite_preview',
  'password_reset',
  'password_forgotten',
]);

/** Attempts allowed for one client address in one window. */
const attemptsAllowed = 30;
const windowSeconds = 60;

/**
 * Client addresses that are rejected at present, with the end of the rejection (`performance.now`), so that a flood of
 * requests sends no statements. Each process has its own map.
 */
const refusals = new WeakMap<Database, Map<string, number>>();
const refusalsRemembered = 10_000;

/**
 * Counts an attempt of the client's address. The count is in the database, so all processes share it.
 * @param allowed attempts in 60 seconds
 * @throws AppError 429 with Retry-After, for more attempts
 */
export async function limitAttempts(
  ctx: Pick<RequestContext, 'clientAddress' | 'services'>,
  bucket: Bucket,
  allowed = attemptsAllowed,
): Promise<void> {
  const { settings, database } = ctx.services;
  if (!settings.AUTH_RATE_LIMIT_ENABLED) return;
  const subject = (bySite.has(bucket) ? siteSubject : rateLimitSubject)(ctx.clientAddress);
  const refusedUntil = refusalsOf(database);
  const remembered = ((refusedUntil.get(`${bucket} ${subject}`) ?? 0) - performance.now()) / 1000;
  if (remembered > 0) throw tooManyAttempts(remembered);

  const { attempts, secondsLeft } = await database.inPlatform((tx) =>
    countAttempt(tx, bucket, subject, windowSeconds, tx.last),
  );
  if (attempts <= allowed) return;
  if (refusedUntil.size >= refusalsRemembered) refusedUntil.clear();
  refusedUntil.set(`${bucket} ${subject}`, performance.now() + secondsLeft * 1000);
  throw tooManyAttempts(secondsLeft);
}

function refusalsOf(database: Database): Map<string, number> {
  const known = refusals.get(database) ?? new Map<string, number>();
  refusals.set(database, known);
  return known;
}

/**
 * Counts a refresh of a token family, in the transaction of the refresh. Refreshes are limited because each leaves rows
 * that stay until they expire.
 * @returns seconds to wait if there were more than 30 refreshes in 60 seconds, else undefined
 */
export async function limitRefreshes(
  tx: Tx,
  { AUTH_RATE_LIMIT_ENABLED }: Settings,
  familyId: string,
): Promise<number | undefined> {
  if (!AUTH_RATE_LIMIT_ENABLED) return undefined;
  const { attempts, secondsLeft } = await countAttempt(tx, 'refresh', familyId, windowSeconds);
  return attempts > attemptsAllowed ? secondsLeft : undefined;
}

/** Password proofs that one member may try in one window: the same number as for wrong codes. */
const proofsAllowed = 10;
const proofWindowSeconds = 15 * 60;

/**
 * Counts a password proof of a signed-in member, whatever the client address is: someone with a stolen session could
 * guess from many addresses.
 * @returns seconds to wait if there were more than 10 proofs in 15 minutes, else undefined
 */
export async function limitPasswordProofs(
  tx: Tx,
  { AUTH_RATE_LIMIT_ENABLED }: Settings,
  userId: string,
): Promise<number | undefined> {
  if (!AUTH_RATE_LIMIT_ENABLED) return undefined;
  const { attempts, secondsLeft } = await countAttempt(tx, 'password_proof', userId, proofWindowSeconds);
  return attempts > proofsAllowed ? secondsLeft : undefined;
}

/** Limits a procedure by client address. Runs before the request's body is read. */
export function rateLimited(bucket: Bucket) {
  return middleware(async ({ ctx, next }) => {
    await limitAttempts(ctx, bucket);
    return next();
  });
}

export function tooManyAttempts(seconds: number): AppError {
  const retryAfter = Math.max(1, Math.ceil(seconds));
  return new AppError('too_many_requests', `too many attempts; try again in ${retryAfter} seconds`, {
    retryAfter,
  });
}

interface Attempts {
  attempts: number;
  /** Seconds until the window ends. */
  secondsLeft: number;
}

/**
 * Counts an attempt and returns the window's count, in one statement. A window begins with its first attempt.
 * @param send sends the statement: `tx.last` if it is the last one of the transaction
 */
export async function countAttempt(
  tx: Tx,
  bucket: string,
  subject: string,
  windowSeconds: number,
  send: <T>(statement: PromiseLike<T>) => PromiseLike<T> = (statement) => statement,
): Promise<Attempts> {
  const window = sql`now() + make_interval(secs => ${windowSeconds})`;
  const counted = tx.execute(sql`
    insert into rate_windows as w (bucket, subject, attempts, ends_at) values (${bucket}, ${subject}, 1, ${window})
    on conflict (bucket, subject) do update set
      attempts = case when w.ends_at <= now() then 1 else w.attempts + 1 end,
      ends_at = case when w.ends_at <= now() then ${window} else w.ends_at end
    returning attempts, extract(epoch from ends_at - now())::float8 as seconds_left`);
  const [row] = await send(counted);
  return { attempts: Number(row?.['attempts']), secondsLeft: Number(row?.['seconds_left']) };
}
