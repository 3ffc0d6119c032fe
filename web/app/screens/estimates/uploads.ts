import { useSyncExternalStore } from 'react';
import { analyses } from '#sdk/analyses.ts';
import type { Analysis, AnalysisRequest } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { deployment } from '../../deployment.ts';
import { queryClient } from '../../query-client.ts';

/** The keys of estimates in the cache. */
export const estimateKeys = {
  lists: ['estimates', 'list'],
  one: (id: string) => ['estimates', 'one', id],
};

/** Stores an estimate that the service has returned. */
export const keep = (estimate: Analysis) => queryClient.setQueryData(estimateKeys.one(estimate.id), estimate);

/*
 * The files that this tab adds to estimates, one after the other, so that the estimate has them in their order. They are
 * kept outside of the screens, so that the upload continues while the member looks at another screen.
 */

/** Maximum number of files of an estimate. */
export const maxFiles = 40;

/** A file that is not in the estimate yet, or that this application does not send. */
export interface Upload {
  id: number;
  file: File;
  /** Why it is not sent, or the error of the request. */
  problem?: 'empty' | 'size' | { error: unknown };
}

let uploads: ReadonlyMap<string, readonly Upload[]> = new Map();
const listeners = new Set<() => void>();
const running = new Set<string>();
const none: readonly Upload[] = [];
let nextId = 1;

function update(estimateId: string, change: (before: readonly Upload[]) => readonly Upload[]): void {
  uploads = new Map([...uploads, [estimateId, change(uploads.get(estimateId) ?? none)]]);
  for (const listener of listeners) listener();
}

const isOpen = ({ problem }: Upload) => problem === undefined;

/** Asks before the page is left while it has files that are not sent. */
function warn(event: BeforeUnloadEvent): void {
  if ([...uploads.values()].some((of) => of.some(isOpen))) event.preventDefault();
}

/** Creates an estimate, and begins to send its files. @throws LinguaLoopError */
export async function createEstimate(request: AnalysisRequest, files: readonly File[]): Promise<string> {
  const { id } = await bound(analyses).create(request);
  void queryClient.invalidateQueries({ queryKey: estimateKeys.lists });
  addFiles(id, files, 0);
  return id;
}

/**
 * Adds files to an estimate. Empty and too large files are not sent.
 * @param present the number of files that the estimate has
 * @returns the number of files for which it has no space
 */
export function addFiles(estimateId: string, files: readonly File[], present: number): number {
  const waiting = (uploads.get(estimateId) ?? none).filter(isOpen).length;
  const taken = files.slice(0, Math.max(0, maxFiles - present - waiting));
  update(estimateId, (before) => [
    ...before,
    ...taken.map((file): Upload => {
      const problem = file.size === 0 ? 'empty' : file.size > deployment.maxUploadBytes ? 'size' : undefined;
      return { id: nextId++, file, ...(problem && { problem }) };
    }),
  ]);
  void send(estimateId);
  return files.length - taken.length;
}

export function removeUpload(estimateId: string, id: number): void {
  update(estimateId, (before) => before.filter((one) => one.id !== id));
}

/** Sends a file again after an error. */
export function retryUpload(estimateId: string, id: number): void {
  update(estimateId, (before) => before.map((one) => (one.id === id ? { id, file: one.file } : one)));
  void send(estimateId);
}

async function send(estimateId: string): Promise<void> {
  if (running.has(estimateId)) return;
  running.add(estimateId);
  addEventListener('beforeunload', warn);
  for (;;) {
    const next = uploads.get(estimateId)?.find(isOpen);
    if (!next) break;
    try {
      const estimate = await bound(analyses).addFile(estimateId, next.file);
      queryClient.setQueryData<Analysis>(estimateKeys.one(estimateId), estimate);
      removeUpload(estimateId, next.id);
    } catch (error) {
      update(estimateId, (before) =>
        before.map((one) => (one.id === next.id ? { ...one, problem: { error } } : one)),
      );
    }
  }
  running.delete(estimateId);
  if (running.size === 0) removeEventListener('beforeunload', warn);
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The files of an estimate that are not sent, in their order. */
export function useUploads(estimateId: string): readonly Upload[] {
  return useSyncExternalStore(subscribe, () => uploads.get(estimateId) ?? none);
}
