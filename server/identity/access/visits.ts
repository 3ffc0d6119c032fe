import { timingSafeEqual } from 'node:crypto';
import type { Database, Tx } from '#db/client.ts';
import type { RequestContext, Services } from '#server/context.ts';
import { keyedHashes } from '#server/platform/encryption.ts';
import type { Settings } from '#server/settings.ts';
import { lookUpPrincipal } from './principal.ts';
import { attributes } from './session-cookie.ts';

/** The tenant of the demo workspace. IDs of other tenants are random. It has no members and no API key. */
export const demoTenantId = 'demo';

/**
 * The procedures that a visitor of the demo workspace may call: those that its screens need. `documents.artifact` is the
 * route of the preview. All of them only read, and a visitor's transactions are read-only.
 */
export const visitorReads: ReadonlySet<string> = new Set([
  'documents.artifact',
  'documents.boxes',
  'documents.download',
  'documents.files',
  'documents.get',
  'documents.history',
  'documents.outline',
  'documents.progress',
  'documents.search',
  'reviews.inbox',
  'translations.get',
  'translations.search',
]);

const visitSeconds = 2 * 60 * 60;

/** Returns the Set-Cookie header that begins a visit. The value has the end of the visit and a keyed hash of it. */
export function visitCookie({ secretsKeys, settings }: Pick<Services, 'secretsKeys' | 'settings'>): string {
  const end = String(Math.floor(Date.now() / 1000) + visitSeconds);
  const [hash] = hashesOf(end, secretsKeys);
  return `ll_demo=${end}.${hash.toString('base64url')}; ${attributes(visitSeconds, settings)}`;
}

/** Returns the Set-Cookie header that ends a visit. */
export function endedVisitCookie(settings: Settings): string {
  return `ll_demo=; ${attributes(0, settings)}`;
}

/** Whether the value of the cookie is that of a current visit, and the demo workspace is on. */
export function isVisit(
  visit: string | null,
  { secretsKeys, settings }: Pick<Services, 'secretsKeys' | 'settings'>,
): boolean {
  if (!settings.DEMO_WORKSPACE || visit === null) return false;
  const [, end, hash] = /^(\d{1,12})\.([\w-]{43})$/.exec(visit) ?? [];
  if (end === undefined || hash === undefined || Number(end) * 1000 <= Date.now()) return false;
  const presented = Buffer.from(hash, 'base64url');
  return hashesOf(end, secretsKeys).some((expected) => timingSafeEqual(expected, presented));
}

const hashesOf = (end: string, keys: Services['secretsKeys']) => keyedHashes(keys, 'demo visit', end);

/**
 * Whether a visitor of the demo workspace makes the request, and may call the procedure. Any other credential of the
 * request takes precedence.
 */
export function isVisitorRead(
  { credentials, services }: Pick<RequestContext, 'credentials' | 'services'>,
  procedure: string,
): boolean {
  const { bearer, apiKey, unreadable, tenantId, visit } = credentials;
  return (
    visitorReads.has(procedure) &&
    bearer === null &&
    apiKey === null &&
    !unreadable &&
    (tenantId ?? demoTenantId) === demoTenantId &&
    isVisit(visit, services)
  );
}

/** Whether the demo workspace exists and is active, in a transaction of its tenant. */
export async function hasDemoWorkspace(tx: Tx): Promise<boolean> {
  const tenant = await lookUpPrincipal(tx, null);
  return tenant?.active === true;
}

/** Returns the database for visitors: all its transactions read the demo workspace, and write nothing. */
export function databaseForVisitors(database: Database): Database {
  const refuse = async (): Promise<never> => {
    throw new Error('a request of a visitor must not open this transaction');
  };
  const read: Database['readInTenant'] = (tenantId, work) =>
    tenantId === demoTenantId ? database.readInTenant(tenantId, work) : refuse();
  return {
    ...database,
    inTenant: read,
    readInTenant: read,
    inTenantOfCredential: refuse,
    inTenantOfToken: refuse,
    inPlatform: refuse,
  };
}
