import { createFairShare, type ShareScope } from '#server/fair-share.ts';

const refusal = 'too many exports are under way; try again later';

/** Exports under way in one process: each holds up to three pages in memory, for as long as its reader takes. */
const underWay = createFairShare({ slots: 32, places: 300, refusal });

/** Pages in the making, of all of them: a few of the process's connections, so that nobody else waits for one. */
const pages = createFairShare({ slots: 3, places: 300, refusal });

/**
 * Waits until an export may begin; the answer ends it.
 * @throws AppError rate_limit where too many wait already; the signal's reason where it goes off while waiting
 */
export function beginExport(scope: ShareScope): Promise<() => void> {
  return new Promise((begun, refused) => {
    underWay.run(scope, () => new Promise<void>((end) => begun(end))).catch(refused);
  });
}

/** Makes a page when it is its turn. */
export const makePage = pages.run;
