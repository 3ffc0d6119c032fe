import { eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/client.ts';
import { tenantRetention } from '#db/schema/tenants.ts';
import { serverAdministrator } from '#server/identity/access/guards/admin.ts';
import { atTheServer, recordAdministration } from '#server/identity/audit/audit-log.ts';
import { lockAccount } from '#server/identity/tenants/operator-commands.ts';
import type { TenantAccount } from '#server/identity/tenants/schema.ts';
import type { Settings } from '#server/settings.ts';

/** Days after which data of each kind is deleted; null if it is kept. */
export type RetentionPolicy = Record<Retained, number | null>;

/** The kinds of data that are deleted by age. */
export const retained = ['jobs', 'documents', 'audit', 'usage', 'invites'] as const;

export type Retained = (typeof retained)[number];

type TenantRetention = Omit<typeof tenantRetention.$inferSelect, 'tenantId'>;

const asTheDeployment: TenantRetention = {
  jobsDays: null,
  documentsDays: null,
  auditDays: null,
  usageDays: null,
  invitesDays: null,
  hold: false,
};

/** Returns how long the deployment keeps data. */
export function policyOfDeployment(settings: Settings): RetentionPolicy {
  const { jobs, documents, audit, usage, invites } = settings.RETENTION_DAYS;
  return { jobs, documents, audit, usage, invites };
}

/** Returns how long the data of a tenant is kept. A tenant can only have shorter times than the deployment. */
export function policyOf(settings: Settings, own: TenantRetention | null): RetentionPolicy {
  const deployment = policyOfDeployment(settings);
  if (!own) return deployment;
  if (own.hold) return { jobs: null, documents: null, audit: null, usage: null, invites: null };
  return {
    jobs: shorter(deployment.jobs, own.jobsDays),
    documents: shorter(deployment.documents, own.documentsDays),
    audit: shorter(deployment.audit, own.auditDays),
    usage: shorter(deployment.usage, own.usageDays),
    invites: shorter(deployment.invites, own.invitesDays),
  };
}

function shorter(one: number | null, other: number | null): number | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/**
 * Changes how long the data of a tenant is kept.
 * @throws AppError 404 for an unknown tenant; 409 for the service key's tenant
 */
export async function setRetention(
  database: Database,
  tenantId: string,
  changes: Partial<TenantRetention>,
): Promise<{ account: TenantAccount; retention: TenantRetention }> {
  return database.inTenant(tenantId, async (tx) => {
    const account = await lockAccount(tx, tenantId);
    const [own] = await tx.select().from(tenantRetention).where(eq(tenantRetention.tenantId, tenantId));
    const { tenantId: _, ...retention } = { tenantId, ...asTheDeployment, ...own, ...changes };
    await tx
      .insert(tenantRetention)
      .values({ tenantId, ...retention })
      .onConflictDoUpdate({ target: tenantRetention.tenantId, set: retention });
    await recordAdministration(tx, atTheServer, serverAdministrator, {
      action: 'retention_changed',
      tenantId,
      target: tenantId,
      details: {
        jobs_days: retention.jobsDays,
        documents_days: retention.documentsDays,
        audit_days: retention.auditDays,
        usage_days: retention.usageDays,
        invites_days: retention.invitesDays,
        hold: retention.hold,
      },
    });
    return { account, retention };
  });
}

/** Returns the tenants with a legal hold. Platform scope. */
export async function selectHeldTenants(tx: Tx): Promise<string[]> {
  const rows = await tx
    .select({ tenantId: tenantRetention.tenantId })
    .from(tenantRetention)
    .where(eq(tenantRetention.hold, true));
  return rows.map(({ tenantId }) => tenantId);
}
