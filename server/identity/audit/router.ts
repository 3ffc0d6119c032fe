import { administratorSessionProcedure } from '#server/identity/access/guards/session.ts';
import { router } from '#server/trpc.ts';
import { listEvents } from './list-events.ts';
import { auditListRequest, auditPage } from './schema.ts';

const list = administratorSessionProcedure
  .input(auditListRequest)
  .output(auditPage)
  .query(({ ctx, input }) => ctx.asAdministrator((tx, { tenant }) => listEvents(tx, tenant.id, input)));

export const auditRouter = router({ list });
