import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/client.ts';
import { tenants } from '#db/schema/tenants.ts';
import { AppError } from '#server/errors.ts';
import { tenantNotFound, type WithNamedTenant } from '#server/identity/access/guards/admin.ts';
import { requireProof } from '#server/identity/access/proof.ts';
import { type Origin, recordAdministration } from '#server/identity/audit/audit-log.ts';
import { type RedactionRules, requireValidPatterns, rulesOf } from '#server/redaction/rules.ts';
import { accountOf } from './accounts.ts';
import type { SecurityPolicyRequest, TenantAccount } from './schema.ts';
import type { TenantRow } from './tenant-row.ts';

/**
 * Sets the given fields of the security policy and does not change the others. Those of sign-in apply to new
 * sign-ins, and existing sessions stay; the other one to the next text.
 * A change of the redaction, which decides what leaves the workspace, needs a recent proof over REST, too: unlike the
 * settings of sign-in, the specification of REST does not name it.
 * @throws AppError 404 for an unknown tenant or one without access; 409 if `redaction_before` is not stored; 403
 *   `proof_required`; 422 for an invalid pattern
 */
export async function setSecurityPolicy(
  origin: Origin,
  withNamedTenant: WithNamedTenant,
  { tenant_id: named, ...request }: SecurityPolicyRequest,
): Promise<TenantAccount> {
  const { redaction, redaction_before: before, ...toggles } = request;
  const given = Object.entries(toggles).filter(
    (toggle): toggle is [string, boolean] => toggle[1] !== undefined,
  );
  const changed = Object.fromEntries(given);
  const parameter = {
    named,
    foreign: 'not_found',
    missing: 'tenant_id query parameter is required for operators',
    operatorMustName: true,
  } as const;
  if (redaction) {
    // Before the patterns are compiled, and without a transaction while they are.
    const tenantId = await withNamedTenant(parameter, async (_, tenantId, admin) => {
      requireProof({ isProved: admin.hasProof });
      return tenantId;
    });
    await requireValidPatterns(redaction, { tenantId });
  }
  return withNamedTenant(parameter, async (tx, tenantId, admin) => {
    if (redaction !== undefined) requireProof({ isProved: admin.hasProof });
    if (before !== undefined) await requireRules(tx, tenantId, before);
    const row = await mergeMetadata(tx, tenantId, {
      ...changed,
      ...(redaction !== undefined && { redaction }),
    });
    if (!row) throw tenantNotFound();
    await recordAdministration(tx, origin, admin, {
      action: 'security_policy_changed',
      tenantId,
      target: tenantId,
      details: { ...changed, ...summaryOf(redaction) },
    });
    return accountOf(row);
  });
}

/** Locks the tenant, so that no other change of its rules is lost. @throws AppError 409 if its rules are others */
async function requireRules(tx: Tx, tenantId: string, expected: RedactionRules | null): Promise<void> {
  const [row] = await tx
    .select({ metadata: tenants.metadata })
    .from(tenants)
    .where(eq(tenants.tenantId, tenantId))
    .for('no key update');
  if (JSON.stringify(rulesOf(row?.metadata['redaction'])) !== JSON.stringify(expected))
    throw new AppError('state_conflict', 'the rules have changed since they were read; read them again');
}

/** Returns the summary of rules for the audit log: without the patterns and terms, which may be secret. */
function summaryOf(rules: SecurityPolicyRequest['redaction']): Record<string, string | number | boolean> {
  if (rules === undefined) return {};
  if (rules === null) return { redaction: false };
  const { kinds, patterns, terms } = rules;
  return { redaction: kinds.join(', '), redaction_patterns: patterns.length, redaction_terms: terms.length };
}

/** Sets keys of a tenant's metadata in one statement, so that concurrent changes of other keys are not lost. */
async function mergeMetadata(
  tx: Tx,
  tenantId: string,
  changes: Record<string, unknown>,
): Promise<TenantRow | undefined> {
  const [row] = await tx
    .update(tenants)
    .set({ metadata: sql`${tenants.metadata} || ${JSON.stringify(changes)}::jsonb` })
    .where(eq(tenants.tenantId, tenantId))
    .returning();
  return row;
}
