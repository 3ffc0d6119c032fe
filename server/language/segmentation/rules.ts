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
import type { SentenceRules } from '#server/matching/sentences/index.ts';
import { SaturatedError, type SlotScope } from '#server/platform/concurrency-limit.ts';
import type { Breaks, DividedByRules } from '#server/platform/patterns/pattern-thread.ts';
import { onPatternThread } from '#server/platform/patterns/pattern-threads.ts';
import type { Segmentation, SegmentationInput } from './schema.ts';

/** SRX files by their hash, the most recently used last. */
const files = new Map<string, string>();

/** Number and total characters of the files that a process keeps. */
const kept = { files: 32, characters: 8_000_000 };

/** Files whose rules did not end within the deadline, by their hash, and the time until which they are not used. */
const slowUntil = new Map<string, number>();

/** Milliseconds for which the built-in rules replace rules that did not end. */
const slowForMs = 600_000;

/** A text that is divided by the rules for its language. */
type Divided = DividedByRules['texts'][number];

/**
 * The segmentation rules of a workspace. Their patterns run on threads, so texts are divided in advance (`divide`); other
 * texts get the built-in rules.
 */
export class WorkspaceRules implements SentenceRules {
  readonly #hash: string;
  readonly #srx: string;
  /** The breaks of divided texts, by language and text. */
  readonly #known = new Map<string, Map<string, Breaks | null>>();

  constructor(hash: string, srx: string) {
    this.#hash = hash;
    this.#srx = srx;
  }

  /**
   * Divides texts for `breaksIn`. Texts stay with the built-in rules if the rules do not end in time,
   * or if too many texts are queued: sentences only decide what is looked up.
   */
  async divide(texts: readonly Divided[], scope: SlotScope): Promise<void> {
    const missing = texts.filter(({ text, language }) => !this.#known.get(language)?.has(text));
    if (missing.length === 0 || (slowUntil.get(this.#hash) ?? 0) > performance.now()) return;
    const asked = { hash: this.#hash, texts: missing };
    let found = await this.#onThread(asked, scope);
    if (found === 'unknown') found = await this.#onThread({ ...asked, srx: this.#srx }, scope);
    if (!Array.isArray(found)) return;
    for (const [at, { text, language }] of missing.entries()) {
      const known = this.#known.get(language) ?? new Map();
      this.#known.set(language, known.set(text, found[at] ?? null));
    }
  }

  async #onThread(asked: DividedByRules, scope: SlotScope) {
    try {
      return await onPatternThread('divide', asked, scope, () => {
        slowUntil.delete(this.#hash);
        slowUntil.set(this.#hash, performance.now() + slowForMs);
        const [oldest] = slowUntil.keys();
        if (slowUntil.size > 1000) slowUntil.delete(oldest!);
        return [];
      });
    } catch (error) {
      if (error instanceof SaturatedError || (error as Error).name === 'TimeoutError') return undefined;
      throw error;
    }
  }

  breaksIn(text: string, language: string, push: (position: number) => void): number | undefined {
    const breaks = this.#known.get(language)?.get(text);
    if (!breaks) return undefined;
    for (const position of breaks.positions) push(position);
    return breaks.applied;
  }
}

/** Returns the segmentation rules of the transaction's tenant; undefined if it has none. */
export async function segmentationOf(tx: Tx): Promise<WorkspaceRules | undefined> {
  const [stored] = await tx.select({ hash: segmentationRules.hash }).from(segmentationRules).where(ofScope);
  return stored && rulesWithHash(tx, stored.hash);
}

/** Returns the rules with this hash, if they are still those of the transaction's tenant. */
export async function rulesWithHash(tx: Tx, hash: string): Promise<WorkspaceRules | undefined> {
  const known = files.get(hash);
  if (known !== undefined) return keep(hash, known);
  const [file] = await tx.select().from(segmentationRules).where(ofScope);
  return file && keep(file.hash, file.srx);
}

/** Returns the SRX file of the transaction's tenant, for a task in another process; undefined if it has none. */
export async function srxOf(tx: Tx): Promise<string | undefined> {
  const [file] = await tx.select({ srx: segmentationRules.srx }).from(segmentationRules).where(ofScope);
  return file?.srx;
}

const ofScope = sql`${segmentationRules.tenantId} = tenant_scope_from()`;

function keep(hash: string, srx: string): WorkspaceRules {
  files.delete(hash);
  files.set(hash, srx);
  let characters = 0;
  for (const file of files.values()) characters += file.length;
  for (const [oldest, { length }] of files) {
    if (files.size <= kept.files && characters <= kept.characters) break;
    files.delete(oldest);
    characters -= length;
  }
  return new WorkspaceRules(hash, srx);
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
  // Before the rules are checked, and without a transaction while they are.
  const tenant = await withTenant(async (_, principal) => principal.tenant.id);
  const problem = await onPatternThread(
    'checkSrx',
    { srx, languages: languageCodes },
    { tenantId: tenant },
    () => 'the patterns take too long to compile; use fewer or shorter ones',
  );
  if (problem !== undefined) throw new AppError('unprocessable', problem);
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
