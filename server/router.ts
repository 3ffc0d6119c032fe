import { authRouter } from './auth/router.ts';
import { systemRouter } from './system/router.ts';
import { translationsRouter } from './translations/router.ts';
import { router } from './trpc.ts';

/** Every procedure of the service, by domain. */
export const appRouter = router({
  auth: authRouter,
  system: systemRouter,
  translations: translationsRouter,
});

export type AppRouter = typeof appRouter;
