import {
  administratorSessionProcedure,
  provedAdministratorSessionProcedure,
} from '#server/identity/access/guards/session.ts';
import { router } from '#server/trpc.ts';
import { exportList, exportRecord, exportView } from './schema.ts';
import { listExports, startExport } from './tenant-exports.ts';

/** Has no route, so only /trpc serves it. */
const list = administratorSessionProcedure.output(exportList).query(({ ctx }) =>
  ctx.asAdministrator(async (tx, { tenant }) => ({
    exports: (await listExports(tx, tenant.id)).map(exportView),
  })),
);

/** Has no route, so only /trpc serves it. */
const start = provedAdministratorSessionProcedure
  .output(exportRecord)
  .mutation(({ ctx }) =>
    ctx.asAdministrator(async (tx, { tenant, user }) =>
      exportView(await startExport(tx, ctx, { tenantId: tenant.id, userId: user.id })),
    ),
  );

export const exportsRouter = router({ list, start });
