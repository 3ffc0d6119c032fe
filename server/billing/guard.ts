import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import type { AllowingScopes } from '#server/identity/access/api-keys.ts';
import { callerOf, orderedTenantProcedure, type WithTenant } from '#server/identity/access/guards/tenant.ts';
import { hasTenants } from '#server/identity/access/service-key.ts';
import type { Log } from '#server/platform/log.ts';
import { ProcessorError } from '#server/platform/payments/processor.ts';
import { detailInWords, middleware } from '#server/trpc.ts';
import { type PayingTenant, readBillingAccount, selectBilledTenant } from './account.ts';

/**
 * The base of the procedures for paying. Checks in this order: whether billing is available (503), the caller, the
 * input. The caller is authenticated in a separate transaction, because no transaction may be open during a call to the
 * processor.
 * @param gate throws the 503
 */
export function payingProcedure(gate: (services: Services) => void, ...scopes: AllowingScopes) {
  return orderedTenantProcedure(...scopes)
    .meta({
      admit: async (ctx, procedure) => {
        gate(ctx.services);
        await readPayingTenant(ctx.services, callerOf(ctx, scopes, procedure).withTenant);
      },
    })
    .use(({ ctx, next }) => {
      gate(ctx.services);
      return next();
    })
    .use(refusalsOfProcessor)
    .use(detailInWords)
    .use(async ({ ctx, next }) =>
      next({ ctx: { tenant: await readPayingTenant(ctx.services, ctx.withTenant) } }),
    );
}

/** @throws AppError 401; its message is a different one if no tenant exists, because then no credential could help */
async function readPayingTenant(
  { database }: Pick<Services, 'database'>,
  withTenant: WithTenant,
): Promise<PayingTenant> {
  if (!(await hasTenants(database)))
    throw new AppError('unauthenticated', 'billing requires an authenticated tenant');
  return withTenant(async (tx, { tenant: { id, name } }) => {
    const row = await selectBilledTenant(tx, id);
    if (!row) throw new Error('the tenant of an authenticated credential no longer exists');
    return { id, name, account: readBillingAccount(row) };
  });
}

/** Logs rejections by the processor, and replaces their messages with our own. */
const refusalsOfProcessor = middleware(async ({ ctx, next }) => {
  const result = await next();
  if (!result.ok && result.error.cause instanceof ProcessorError)
    throw processorRefusal(result.error.cause, ctx.services.log, ctx.requestId);
  return result;
});

function processorRefusal({ kind, reason }: ProcessorError, log: Log, requestId: string): AppError {
  if (kind === 'unreachable') {
    log.warn({ request_id: requestId, processor: reason }, 'the payment processor did not respond');
    return new AppError(
      'transient_error',
      'the payment processor (Stripe) is busy or unreachable; try again',
    );
  }
  log.error({ request_id: requestId, processor: reason }, 'the payment processor rejected a request');
  return new AppError(
    'service_unavailable',
    'the payment processor (Stripe) rejected the request; billing is misconfigured on this deployment',
  );
}
