import { procedure } from '#server/trpc.ts';

/** No authentication. */
export const publicProcedure = procedure.meta({ guard: 'public' });
