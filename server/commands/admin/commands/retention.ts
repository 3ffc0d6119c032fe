import { z } from 'zod';
import {
  policyOf,
  policyOfDeployment,
  type RetentionPolicy,
  retained,
  setRetention as set,
} from '#server/retention/retention-policy.ts';
import { maxRetentionDays, minUsageDays, minUsageDaysReason } from '#server/settings.ts';
import { defineCommand, Refusal, tenantId, wholeNumber } from '../command.ts';
import { columns, named } from '../printing.ts';

const days = z
  .union([z.literal('default').transform(() => null), wholeNumber(1, maxRetentionDays)], {
    error: `must be "default" or a number of days from 1 to ${maxRetentionDays}`,
  })
  .optional();

const usageDays = days.refine((value) => typeof value !== 'number' || value >= minUsageDays, {
  error: minUsageDaysReason,
});

const option = (what: string) =>
  ({ type: 'string', value: 'days', summary: `deletes ${what} after this time, or "default"` }) as const;

export const setRetention = defineCommand({
  summary:
    'Sets how long the data of a tenant is kept: shorter than in the deployment, or longer by a legal hold.',
  parameters: ['tenant_id'],
  options: {
    jobs: option('finished text jobs'),
    documents: option('finished documents'),
    audit: option('audit events'),
    usage: option('usage records'),
    invites: option('invites that were used, withdrawn or expired'),
    hold: { type: 'boolean', summary: 'legal hold: nothing of the tenant is deleted by age' },
    release: { type: 'boolean', summary: 'ends the legal hold' },
  },
  input: z.object({
    tenant_id: tenantId,
    jobs: days,
    documents: days,
    audit: days,
    usage: usageDays,
    invites: days,
    hold: z.boolean().optional(),
    release: z.boolean().optional(),
  }),
  async *run({ database, settings }, { tenant_id, jobs, documents, audit, usage, invites, hold, release }) {
    if (hold && release) throw new Refusal('--hold and --release exclude each other');
    const { account, retention } = await set(database, tenant_id, {
      ...(jobs !== undefined && { jobsDays: jobs }),
      ...(documents !== undefined && { documentsDays: documents }),
      ...(audit !== undefined && { auditDays: audit }),
      ...(usage !== undefined && { usageDays: usage }),
      ...(invites !== undefined && { invitesDays: invites }),
      ...((hold || release) && { hold: hold === true }),
    });
    yield `${named(account)} ${retention.hold ? 'has a legal hold: nothing is deleted by age.' : 'has no legal hold.'}`;
    const [deployment, own] = [policyOfDeployment(settings), policyOf(settings, retention)];
    yield columns(['data', 'deployment', 'this tenant']);
    for (const kind of retained) yield columns([kind, inWords(deployment, kind), inWords(own, kind)]);
  },
});

function inWords(policy: RetentionPolicy, kind: keyof RetentionPolicy): string {
  return policy[kind] === null ? 'kept' : `${policy[kind]} days`;
}
