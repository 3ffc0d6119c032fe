import { timingSafeEqual } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import type { RequestContext } from '#server/context.ts';
import { siteOf } from '#server/http/client-address.ts';
import { prefixedCookie } from '#server/http/cookies.ts';
import { newSecret } from '#server/identity/access/credentials.ts';
import { countAttempt } from '#server/identity/access/rate-limit.ts';
import { keyedHashes } from '#server/platform/encryption.ts';

/*
 * The limit of password guesses for one email address, from all client addresses together (decision 131). An attempt is
 * counted before its password is hashed, so that attempts that arrive at once count, too. The limit is the same for
 * addresses without an account.
 */

/** Attempts without a pause. */
const freeAttempts = 30;
/** The longest pause, in seconds. The pause doubles from one second on. */
const maxPause = 900;
/** Seconds after the last attempt when the count is deleted. */
const rememberedSeconds = 6 * 3600;
/** Attempts of one IPv6 site (/48) in a minute. */
const siteAttempts = 30;
const siteWindow = 60;

/** The count of one sign-in: of a device that signed in before, or of all others together. */
interface GuessCount {
  bucket: 'password_guess' | 'device_guess';
  /** A keyed hash, so that the table contains no addresses. */
  subject: string;
  /** The IPv6 network to count, if the device is not known. */
  site: string | null;
}

/** An attempt that is not too early: the accounts whose passwords may be checked, and its count. */
interface Guess<A> {
  accounts: readonly A[];
  count: GuessCount;
}

/**
 * Counts an attempt, unless it comes too early. A device that signed in to all accounts of the address is counted on its
 * own. If it signed in only to some, it may still check these when the address has no attempts left.
 * @param email normalized; need not be valid
 * @param accounts the accounts of the address; may be empty
 * @returns the seconds until the next attempt if no password may be checked
 */
export async function beginGuess<A extends DeviceAccount>(
  tx: Tx,
  ctx: RequestContext,
  email: string,
  accounts: readonly A[],
): Promise<Guess<A> | number> {
  const known = accounts.filter((account) => knownDeviceOf(ctx, account) !== null);
  const [first] = known;
  if (!first || known.length < accounts.length) {
    const count = countOf(ctx, 'password_guess', email);
    const wait = await countGuess(tx, count);
    if (wait === undefined) return { accounts, count };
    if (!first) return wait;
  }
  const count = countOf(ctx, 'device_guess', `${knownDeviceOf(ctx, first)} ${email}`);
  return (await countGuess(tx, count)) ?? { accounts: known, count };
}

function countOf(ctx: RequestContext, bucket: GuessCount['bucket'], counted: string): GuessCount {
  const [hash] = keyedHashes(ctx.services.secretsKeys, 'password guess', counted);
  return {
    bucket,
    subject: hash.subarray(0, 16).toString('hex'),
    site: bucket === 'password_guess' ? siteOf(ctx.clientAddress) : null,
  };
}

/** @returns the seconds until the next attempt; undefined if the attempt is counted */
async function countGuess(tx: Tx, { bucket, subject, site }: GuessCount): Promise<number | undefined> {
  if (site !== null) {
    const { attempts, secondsLeft } = await countAttempt(tx, 'password_site', site, siteWindow);
    if (attempts > siteAttempts) return secondsLeft;
  }
  const remembered = sql`make_interval(secs => ${rememberedSeconds})`;
  const pause = sql`(case when w.attempts < ${freeAttempts} then 0
    else least(power(2, least(w.attempts - ${freeAttempts}, 20)), ${maxPause}) end)`;
  const until = sql`w.ends_at - ${remembered} + make_interval(secs => ${pause})`;
  const counted = await tx.execute(sql`
    insert into rate_windows as w (bucket, subject, attempts, ends_at)
    values (${bucket}, ${subject}, 1, now() + ${remembered})
    on conflict (bucket, subject) do update set
      attempts = case when w.ends_at <= now() then 1 else w.attempts + 1 end, ends_at = now() + ${remembered}
      where w.attempts < ${freeAttempts} or ${until} <= now()
    returning 1`);
  if (counted.length > 0) return undefined;
  const [row] = await tx.execute(sql`
    select extract(epoch from ${until} - now())::float8 as seconds from rate_windows w
    where bucket = ${bucket} and subject = ${subject}`);
  return Math.max(1, Number(row?.['seconds'] ?? 1));
}

/**
 * Ends an attempt whose password was that of all checked accounts: it does not count. Any other attempt counts, because
 * anyone can create an account with the same address, and could otherwise guess without a limit.
 * @param forgets whether earlier attempts stop counting, too: not if only the account of one workspace was checked
 */
export async function endGuess(
  database: Database,
  { bucket, subject }: GuessCount,
  forgets: boolean,
): Promise<void> {
  const isIt = sql`bucket = ${bucket} and subject = ${subject}`;
  await database.inPlatform((tx) =>
    tx.last(
      tx.execute(
        forgets
          ? sql`delete from rate_windows where ${isIt}`
          : sql`update rate_windows set attempts = greatest(attempts - 1, 0) where ${isIt}`,
      ),
    ),
  );
}

/*
 * The cookie of a device on which someone signed in before. Guesses from elsewhere do not delay its sign-ins. It proves
 * nothing else, so it may outlast a change of the password. It has an entry for each of the last accounts: an ID, the
 * day of its creation and a keyed hash of both with the account. An entry is not of an email address, because anyone can
 * create an account with someone else's address.
 */

/** Days for which an entry is valid, and after which it is renewed. */
const validDays = 180;
const renewedDays = 30;
const maxEntries = 5;
const dayMs = 86_400_000;

interface Entry {
  id: string;
  /** Days since 1970. */
  day: number;
  mac: string;
}

const entryForm = /^([A-Za-z0-9_-]{43})\.(\d{1,6})\.([A-Za-z0-9_-]{22})$/;

/** The account of a person in a workspace. */
export interface DeviceAccount {
  tenantId: string;
  userId: string;
}

/** Returns the ID of the device, if someone signed in on it to this account before; else null. */
function knownDeviceOf(ctx: RequestContext, account: DeviceAccount): string | null {
  return readEntries(ctx).find((entry) => isOf(ctx, entry, account))?.id ?? null;
}

/** Sets the cookie after a sign-in with a password, unless it has a recent entry for this account. */
export function rememberDevice(ctx: RequestContext, account: DeviceAccount): void {
  const entries = readEntries(ctx);
  const present = entries.find((entry) => isOf(ctx, entry, account));
  if (present && today() - present.day < renewedDays) return;
  const entry = { id: present?.id ?? newSecret(), day: today() };
  const [mac] = macsOf(ctx, entry, account);
  const kept = [{ ...entry, mac }, ...entries.filter((one) => one !== present)].slice(0, maxEntries);
  const value = kept.map(({ id, day, mac }) => `${id}.${day}.${mac}`).join('~');
  const secure = isSecure(ctx) ? '; Secure' : '';
  ctx.response.addCookie(
    `${cookieName(ctx)}=${value}; Path=/; Max-Age=${validDays * 86_400}; HttpOnly; SameSite=Lax${secure}`,
  );
}

function readEntries(ctx: RequestContext): Entry[] {
  return (ctx.cookie(cookieName(ctx)) ?? '')
    .split('~', maxEntries)
    .flatMap((text) => {
      const [, id, day, mac] = entryForm.exec(text) ?? [];
      return id && day && mac ? [{ id, day: Number(day), mac }] : [];
    })
    .filter(({ day }) => today() - day < validDays);
}

function isOf(ctx: RequestContext, entry: Entry, account: DeviceAccount): boolean {
  const mac = Buffer.from(entry.mac);
  return macsOf(ctx, entry, account).some((known) => timingSafeEqual(Buffer.from(known), mac));
}

/** Returns the hash by the current key and, if there is one, by the previous key. */
function macsOf(
  { services }: RequestContext,
  { id, day }: Pick<Entry, 'id' | 'day'>,
  { tenantId, userId }: DeviceAccount,
): [string, ...string[]] {
  const [current, ...previous] = keyedHashes(
    services.secretsKeys,
    'known device',
    `${id} ${day} ${tenantId}/${userId}`,
  );
  const written = (hash: Buffer) => hash.subarray(0, 16).toString('base64url');
  return [written(current), ...previous.map(written)];
}

function today(): number {
  return Math.floor(Date.now() / dayMs);
}

function cookieName(ctx: RequestContext): string {
  return prefixedCookie('ll_device', isSecure(ctx));
}

function isSecure({ services }: RequestContext): boolean {
  return services.settings.BASE_URL?.startsWith('https:') ?? false;
}
