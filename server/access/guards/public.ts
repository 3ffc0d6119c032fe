import { procedure } from '#server/trpc.ts';

/** A 5.2 "Public". */
export const publicProcedure = procedure.meta({ guard: 'public' });
