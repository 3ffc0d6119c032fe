import type { ZodError } from 'zod';
import { deferredTenantProcedure, hasTenants, type WithTenant } from '#server/access/service.ts';
import type { Log, Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import { middleware } from '#server/trpc.ts';
import { type PayingTenant, readBillingAccount, selectBilledTenant } from './account.ts';
import { ProcessorError } from './processor.ts';

/**
 * What the procedures for paying start from (A 4.5): a 503 before everything else; then who asks, in a transaction of its
 * own, since none may be open while the processor is asked; and only then the input.
 * @param gate throws the 503
 */
export function payingProcedure(gate: (services: Services) => void) {
  return deferredTenantProcedure
    .use(({ ctx, next }) => {
      gate(ctx.services);
      return next();
    })
    .use(refusalsOfBilling)
    .use(async ({ ctx, next }) =>
      next({ ctx: { tenant: await readPayingTenant(ctx.services, ctx.withTenant) } }),
    );
}

/** @throws AppError 401; of a deployment without any tenant in other words, since no credential could do better there */
async function readPayingTenant({ database }: Services, withTenant: WithTenant): Promise<PayingTenant> {
  if (!(await hasTenants(database)))
    throw new AppError('unauthenticated', 'billing requires an authenticated tenant');
  return withTenant(async (tx, { tenant: { id, name } }) => {
    const row = await selectBilledTenant(tx, id);
    if (!row) throw new Error('the tenant of an authenticated credential is gone');
    return { id, name, account: readBillingAccount(row) };
  });
}

/** A 7.1: what is wrong with a body is told in a string. What the processor refused is logged, and told in our words. */
const refusalsOfBilling = middleware(async ({ ctx, next }) => {
  const result = await next();
  if (result.ok) return result;
  const { code, cause } = result.error;
  if (cause instanceof ProcessorError) throw processorRefusal(cause, ctx.services.log, ctx.requestId);
  if (cause instanceof AppError && cause.problems) throw new AppError('unprocessable', cause.message);
  if (code === 'BAD_REQUEST' && cause?.name === 'ZodError') {
    const [issue] = (cause as ZodError).issues;
    throw new AppError('unprocessable', issue?.message ?? 'the body is not what is expected');
  }
  return result;
});

function processorRefusal({ kind, reason }: ProcessorError, log: Log, requestId: string): AppError {
  if (kind === 'unreachable') {
    log.warn({ request_id: requestId, processor: reason }, 'the payment processor did not answer');
    return new AppError(
      'transient_error',
      'the payment processor (Stripe) is busy or not reachable; try again',
    );
  }
  log.error({ request_id: requestId, processor: reason }, 'the payment processor refused a request');
  return new AppError(
    'service_unavailable',
    'the payment processor (Stripe) refused the request; billing is misconfigured on this deployment',
  );
}
