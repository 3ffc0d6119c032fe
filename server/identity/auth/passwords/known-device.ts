import { timingSafeEqual } from 'node:crypto';
import type { RequestContext } from '#server/context.ts';
import { prefixedCookie } from '#server/http/cookies.ts';
import { newSecret } from '#server/identity/access/credentials.ts';
import { keyedHashes } from '#server/platform/encryption.ts';

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
export function knownDeviceOf(ctx: RequestContext, account: DeviceAccount): string | null {
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
