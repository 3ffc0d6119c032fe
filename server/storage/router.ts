import type { Services } from '#server/context.ts';
import { AppError } from '#server/errors.ts';
import {
  deferredTenantAdminProcedure,
  provedTenantAdminProcedure,
  tenantProcedure,
} from '#server/identity/access/guards/tenant.ts';
import { detailInWords, router } from '#server/trpc.ts';
import { bindingView, selectBinding } from './bindings.ts';
import { removeBinding, replaceBinding } from './change-binding.ts';
import { storageBinding, storageBindingRequest, storageUsage } from './schema.ts';
import { storageUsageOf } from './usage.ts';
import { verifyBinding } from './verify-binding.ts';

/**
 * Throws the response of every binding route while the feature is off. Only authenticated callers get this response.
 */
function requireEnabled({ settings }: Pick<Services, 'settings'>): void {
  if (!settings.STORAGE_BINDING_ENABLED)
    throw new AppError('capability_not_enabled', 'Bring Your Own Storage is not enabled on this service');
}

const bindingProcedureOf = (procedure: ReturnType<typeof deferredTenantAdminProcedure>) =>
  procedure.use(({ ctx, next }) => {
    requireEnabled(ctx.services);
    return next();
  });

const bindingProcedure = bindingProcedureOf(deferredTenantAdminProcedure('admin'));

export const storageRouter = router({
  binding: tenantProcedure('read')
    .meta({
      route: {
        method: 'GET',
        path: '/api/storage/binding',
        tag: 'Storage',
        summary: 'Read the storage binding',
        description:
          'Returns the storage of the records and files of the workspace: platform storage, or the storage account that the workspace connected.',
      },
    })
    .output(storageBinding)
    .query(async ({ ctx }) => {
      requireEnabled(ctx.services);
      return bindingView(await selectBinding(ctx.tx, ctx.principal.tenant.id), ctx.services.settings);
    }),

  bind: bindingProcedureOf(provedTenantAdminProcedure('admin'))
    .use(detailInWords)
    .meta({
      route: {
        method: 'PUT',
        path: '/api/storage/binding',
        tag: 'Storage',
        summary: 'Replace the storage binding',
        description:
          'Send the complete binding; fields that are omitted get their defaults. Until POST /api/storage/binding/verify succeeds, the binding is unverified and new jobs are rejected. `provider: "platform"` returns to platform storage. Jobs whose records could not be stored before are then published.',
      },
    })
    .input(storageBindingRequest)
    .output(storageBinding)
    .mutation(({ ctx, input }) => replaceBinding(ctx.services, ctx, ctx.withTenant, input)),

  unbind: bindingProcedureOf(provedTenantAdminProcedure('admin'))
    .meta({
      route: {
        method: 'DELETE',
        path: '/api/storage/binding',
        tag: 'Storage',
        summary: 'Remove the storage binding',
        description:
          'Removes the binding and its secret, so that platform storage is used. Jobs whose records could not be stored before are then published. Existing data stays in the storage account.',
      },
    })
    .output(storageBinding)
    .mutation(({ ctx }) => removeBinding(ctx.services, ctx, ctx.withTenant)),

  verify: bindingProcedure
    .meta({
      route: {
        method: 'POST',
        path: '/api/storage/binding/verify',
        tag: 'Storage',
        summary: 'Verify the storage',
        description:
          'Writes, reads and removes a test object in the directory of the golden records. If this fails, the response still has status 200: its `status` is `error`, and `last_error` has the message of the storage provider. If it succeeds, jobs whose records could not be stored before are published.',
      },
    })
    .output(storageBinding)
    .mutation(({ ctx }) => verifyBinding(ctx.services, ctx, ctx.withTenant)),

  usage: tenantProcedure('read')
    .meta({
      route: {
        method: 'GET',
        path: '/api/storage/usage',
        tag: 'Storage',
        summary: 'Get how much platform storage the documents use',
        description: 'Files in a storage account of the workspace do not count.',
      },
    })
    .output(storageUsage)
    .query(({ ctx }) => storageUsageOf(ctx.tx, ctx.services.settings, ctx.principal.tenant.id)),
});
