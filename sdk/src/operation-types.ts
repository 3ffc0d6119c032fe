import type { inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../../server/router.ts';

// Types of the procedures that only the operators' pages call. They are not published.

type Outputs = inferRouterOutputs<AppRouter>['operations'];

/** The background jobs by task and state, and the latest failed ones. */
export type QueueView = Outputs['queue'];
/** One workspace as an operator sees it. */
export type WorkspaceView = Outputs['workspace'];
/** The requests to the models. */
export type ModelsView = Outputs['models'];
/** The engines, their routes and their results. */
export type EnginesView = Outputs['engines'];
