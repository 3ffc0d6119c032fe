import { createHash } from 'node:crypto';
import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { segmentationRules } from '#db/schema/segmentation.ts';
import { AppError } from '#server/errors.ts';
import type { WithTenant } from '#server/identity/access/guards/tenant.ts';
import type { Principal } from '#server/identity/access/principal.ts';
import { actorOfPrincipal, type Origin, recordEvent } from '#server/identity/audit/audit-log.ts';
import { emailsOf } from '#server/identity/members/members.ts';
import { lockTenant } from '#server/identity/tenants/tenant-row.ts';
import { languageCodes } from '#server/languages.ts';
import { SegmentationRules, SrxError } from '#server/matching/sentences/index.ts';
import type { Segmentation, SegmentationInput } from './schema.ts';

/** Compiled rules by the hash of their file, the most recently used last. */
const compiled = new Map<string, SegmentationRules>();

/** Number of compiled files that a process keeps. The state machines of one take a few megabytes for each language. */
const maxCompiled = 32;

/**
 * Returns the segmentation rules of the transaction's tenant for `sentencesIn`; undefined if it has none.
 */
export async function segmentationOf(tx: Tx): Promise<SegmentationRules | undefined> {
  const [stored] = await tx.select({ hash: segmentationRules.hash }).from(segmentationRules).where(ofScope);
  return stored && compiledRules(tx, stored.hash);
}

/** Returns the rules with this hash, if they are still those of the transaction's tenant. */
export async function compiledRules(tx: Tx, hash: string): Promise<SegmentationRules | undefined> {
  const known = compiled.get(hash);
  if (known) return keep(hash, known);
  const [file] = await tx.select().from(segmentationRules).where(ofScope);
  return file && keep(file.hash, new SegmentationRules(Buffer.from(file.srx)));
}

/** Returns the SRX file of the transaction's tenant, for a task in another process; undefined if it has none. */
export async function srxOf(tx: Tx): Promise<string | undefined> {
  const [file] = await tx.select({ srx: segmentationRules.srx }).from(segmentationRules).where(ofScope);
  return file?.srx;
}

const ofScope = sql`${segmentationRules.tenantId} = tenant_scope_from()`;

function keep(hash: string, rules: SegmentationRules): SegmentationRules {
  compiled.delete(hash);
  compiled.set(hash, rules);
  for (const oldest of compiled.keys()) if (compiled.size > maxCompiled) compiled.delete(oldest);
  return rules;
}

/** @throws AppError 404 */
export function getSegmentation(withTenant: WithTenant): Promise<Segmentation> {
  return withTenant((tx, { tenant }) => view(tx, tenant.id));
}

/**
 * Saves the rules of a tenant, and replaces the former ones.
 * @throws AppError 409 state_conflict if the former rules do not have the version; 422 if the file cannot be used
 */
export async function saveSegmentation(
  origin: Origin,
  withTenant: WithTenant,
  { name, srx, version }: SegmentationInput,
): Promise<Segmentation> {
  const hash = createHash('sha256').update(srx).digest('hex');
  try {
    keep(hash, await SegmentationRules.checked(Buffer.from(srx), languageCodes));
  } catch (error) {
    throw error instanceof SrxError ? new AppError('unprocessable', error.message) : error;
  }
  return withTenant(async (tx, principal) => {
    const tenantId = principal.tenant.id;
    await requireVersion(tx, tenantId, version, versionOf({ name, hash }));
    const values = { name, srx, hash, updatedBy: principal.kind === 'session' ? principal.user.id : null };
    await tx
      .insert(segmentationRules)
      .values({ tenantId, ...values })
      .onConflictDoUpdate({ target: segmentationRules.tenantId, set: { ...values, updatedAt: sql`now()` } });
    await record(tx, origin, principal, 'segmentation_saved', name);
    return view(tx, tenantId);
  });
}

/**
 * Deletes the rules of a tenant, if it has any.
 * @throws AppError 409 state_conflict if they do not have the version
 */
export async function deleteSegmentation(
  origin: Origin,
  withTenant: WithTenant,
  { version }: Pick<SegmentationInput, 'version'>,
): Promise<void> {
  return withTenant(async (tx, principal) => {
    const tenantId = principal.tenant.id;
    await requireVersion(tx, tenantId, version, null);
    const [deleted] = await tx
      .delete(segmentationRules)
      .where(eq(segmentationRules.tenantId, tenantId))
      .returning({ name: segmentationRules.name });
    if (deleted) await record(tx, origin, principal, 'segmentation_deleted', deleted.name);
  });
}

/**
 * Locks the rules of a tenant.
 * @param next the version after the change, which a request that is sent again finds
 * @throws AppError 409 if they are not those that the caller read
 */
async function requireVersion(
  tx: Tx,
  tenantId: string,
  version: string | null | undefined,
  next: string | null,
): Promise<void> {
  if (version === undefined) return;
  // Without rules, the table has no row to lock.
  await lockTenant(tx, tenantId);
  const [file] = await select(tx, tenantId);
  const present = file ? versionOf(file) : null;
  if (present !== version && present !== next)
    throw new AppError('state_conflict', 'the rules have changed since they were read; read them again');
}

function versionOf({ name, hash }: { name: string; hash: string }): string {
  return createHash('md5').update(`${hash} ${name}`).digest('hex');
}

function select(tx: Tx, tenantId: string) {
  return tx.select().from(segmentationRules).where(eq(segmentationRules.tenantId, tenantId));
}

async function view(tx: Tx, tenantId: string): Promise<Segmentation> {
  const [file] = await select(tx, tenantId);
  if (!file) throw notFound();
  const { name, srx, updatedAt, updatedBy } = file;
  const emails = updatedBy === null ? undefined : await emailsOf(tx, tenantId, [updatedBy]);
  return {
    version: versionOf(file),
    name,
    srx,
    updated_at: updatedAt.toISOString(),
    updated_by: emails?.get(updatedBy ?? '') ?? updatedBy,
  };
}

function record(
  tx: Tx,
  origin: Origin,
  principal: Principal,
  action: 'segmentation_saved' | 'segmentation_deleted',
  name: string,
): Promise<void> {
  return recordEvent(tx, origin, {
    action,
    tenantId: principal.tenant.id,
    actor: actorOfPrincipal(principal),
    details: { name },
  });
}

function notFound(): AppError {
  return new AppError('not_found', 'segmentation rules not found');
}
