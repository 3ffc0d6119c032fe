import { serveThread } from '#server/platform/threads/serve-thread.ts';
import { findPersonalData } from './entities.ts';

/** The tasks of a thread. */
const work = { find: findPersonalData };

export type RedactionWork = typeof work;

serveThread(work);
