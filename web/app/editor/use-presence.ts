import { useEffect, useState } from 'react';
import { client } from '../client.ts';
import { isVisitor } from '../session/keeper.ts';

/** Milliseconds after which a claim is renewed; the service ends it after a minute. */
const renewAfter = 20_000;

/** Milliseconds for which a segment must be open before colleagues see it. */
const dwell = 400;

const nobody: ReadonlyMap<number, readonly string[]> = new Map();

/**
 * Tells colleagues which segment this member has open, and returns theirs. A claim informs and locks nothing, so errors
 * are ignored.
 * @returns `others`: the names of colleagues in the document; `holders`: their names by the position of their segment
 */
export function usePresence(documentId: string, position: number | undefined) {
  const [others, setOthers] = useState<readonly string[]>([]);
  const [holders, setHolders] = useState(nobody);
  useEffect(() => {
    if (isVisitor()) return;
    let isShown = true;
    const renew = () => {
      if (document.visibilityState === 'hidden') return;
      client.reviews
        .claim({
          kind: 'document',
          id: documentId,
          opened: true,
          ...(position !== undefined && { position }),
        })
        .then(
          ({ others: found }) => {
            if (!isShown) return;
            setOthers(found.map(({ holder }) => holder));
            const byPosition = new Map<number, string[]>();
            for (const { holder, position: at } of found)
              if (at !== null) byPosition.set(at, [...(byPosition.get(at) ?? []), holder]);
            setHolders(byPosition);
          },
          () => undefined,
        );
    };
    const first = setTimeout(renew, dwell);
    const timer = setInterval(renew, renewAfter);
    return () => {
      isShown = false;
      clearTimeout(first);
      clearInterval(timer);
    };
  }, [documentId, position]);
  useEffect(
    () => () => {
      if (isVisitor()) return;
      void client.reviews.claim({ kind: 'document', id: documentId, release: true }).catch(() => undefined);
    },
    [documentId],
  );
  return { others, holders };
}
