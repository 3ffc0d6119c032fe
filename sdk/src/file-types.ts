import type { inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../../server/router.ts';

// Types of the procedure that only the list of files calls. They are not published.

/** A page of files, and the number of files in each state. */
export type FilePage = inferRouterOutputs<AppRouter>['documents']['files'];
/** A file in one language, with its progress. */
export type FileView = FilePage['files'][number];
