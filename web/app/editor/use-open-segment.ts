import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { queryKeys } from '../query-keys.ts';
import type { SegmentFilter } from '../screens/documents/search.ts';
import { indexOf, type useSegments } from '../screens/documents/use-segments.ts';
import type { SegmentSaves } from './segment-saves.ts';

/** The open segment, and how to open another one. The first segment that is not confirmed is opened at the start. */
export function useOpenSegment(
  documentId: string,
  filter: SegmentFilter,
  range: ReturnType<typeof useSegments>['data'],
  saves: SegmentSaves,
) {
  const queries = useQueryClient();
  const [opened, setOpen] = useState<{ position: number; index: number } | null>(null);
  // The list stays as it was loaded, so that no row moves or disappears after a decision. The loaded list has the index
  // then, and not the service, whose list has become shorter.
  const open = opened && {
    position: opened.position,
    index: range?.indexOf(opened.position) ?? opened.index,
  };
  const there = open ? range?.at(open.index) : undefined;
  const openSegment = there?.position === open?.position ? there : undefined;
  const known = useRef({ range, open });
  known.current = { range, open };
  const openAt = useCallback(
    async (position: number) => {
      const loaded = known.current.range?.indexOf(position);
      const index = loaded ?? (await indexOf(documentId, filter, position).catch(() => undefined));
      if (index === undefined) return;
      const there = known.current.range?.at(index);
      if (there && there.position !== position)
        await queries.invalidateQueries({ queryKey: queryKeys.documents.allSegments(documentId) });
      setOpen({ position, index });
    },
    [documentId, filter, queries],
  );
  const move = useCallback((step: 1 | -1) => {
    const { range, open } = known.current;
    const index = open ? open.index + step : 0;
    const segment = range?.at(index);
    if (segment) setOpen({ position: segment.position, index });
  }, []);
  /** Opens the next segment that is not confirmed; the service finds it if it is not loaded. */
  const moveToNextOpen = useCallback(async () => {
    const { range, open } = known.current;
    for (let index = (open?.index ?? -1) + 1; range && index < range.total; index += 1) {
      const segment = range.at(index);
      if (segment === undefined) break;
      const { position, confirmed_at } = segment;
      if (confirmed_at === null && !saves.all().get(position)?.confirmed) return setOpen({ position, index });
    }
    const after = open?.position ?? -1;
    const page = await queries.fetchQuery({
      queryKey: queryKeys.documents.nextOpen(documentId, after),
      queryFn: () =>
        client.documents.search({
          document_id: documentId,
          ...filter,
          confirmed: false,
          position: after + 1,
          limit: 1,
        }),
      staleTime: 0,
    });
    const next = page.segments[0];
    if (next) await openAt(next.position);
    else move(1);
  }, [queries, documentId, filter, saves, openAt, move]);
  const isLoaded = range !== undefined;
  useEffect(() => {
    if (isLoaded && known.current.open === null) moveToNextOpen().catch(() => undefined);
  }, [isLoaded, moveToNextOpen]);
  return {
    open,
    openSegment,
    openAt: useCallback((position: number) => void openAt(position), [openAt]),
    move,
    moveToNextOpen: () => void moveToNextOpen().catch(() => move(1)),
  };
}

/** Opens a segment again whose edit the service did not store after the reviewer had moved on. */
export function useReturned(saves: SegmentSaves, openAt: (position: number) => void) {
  const t = useT();
  const known = useRef(new Set<number>());
  const returned = useEffectEvent(() => {
    const failed = [...saves.all()].filter(([, { state }]) =>
      ['blocked', 'conflict', 'refused'].includes(state.kind),
    );
    const fresh = failed.find(([position]) => !known.current.has(position));
    known.current = new Set(failed.map(([position]) => position));
    if (!fresh) return;
    announce(t('editor.returned', { number: fresh[0] + 1 }));
    openAt(fresh[0]);
  });
  useEffect(() => saves.subscribe(() => returned()), [saves]);
}
