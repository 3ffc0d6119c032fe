import { onSessionChange, sessionState } from '../session/keeper.ts';

/** Edits that a screen sends to the service automatically. */
export interface OpenEdits {
  /** Sends the edits; resolves when no request is left to send. */
  flush(): Promise<unknown>;
  /** Aborts the running request and sends nothing more. */
  stop(): void;
}

const opened = new Set<OpenEdits>();

/** Adds the edits of a screen, which are stopped at sign-out. @returns a function that removes them */
export function holdOpen(edits: OpenEdits): () => void {
  opened.add(edits);
  return () => void opened.delete(edits);
}

/**
 * Sends all edits before a sign-out. A request that has no response in time stays, and its edits are drafts on this device.
 * @param within maximum milliseconds
 */
export async function sendOpenEdits(within: number): Promise<void> {
  const sending = Promise.allSettled([...opened].map((edits) => edits.flush()));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, within);
  });
  await Promise.race([sending, late]);
  clearTimeout(timer);
}

/** Stops all edits, so that none is stored on this device again after the member has deleted them. */
export function stopOpenEdits(): void {
  for (const edits of opened) edits.stop();
}

// After a sign-out in any tab, a request would have no credential, or that of the next member.
onSessionChange(() => {
  if (sessionState().kind === 'signed_out') stopOpenEdits();
});
