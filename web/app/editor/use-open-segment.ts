import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { announce } from '../parts/announcer.tsx';
import { problemText } from '../parts/problem.tsx';
import { queryKeys } from '../query-keys.ts';
import type { SegmentFilter } from './segment-filter.ts';
import { type SegmentFinder, SegmentOpener } from './segment-opener.ts';
import type { SegmentSaves } from './segment-saves.ts';
import { indexOf, searched, type useSegments } from './use-segments.ts';

/**
 * The open segment, and how to open another one. The first segment that is not confirmed is opened at the start.
 * @param setFilter called to clear the filter, if it excludes the segment to open
 */
export function useOpenSegment(
  documentId: string,
  filter: SegmentFilter,
  range: ReturnType<typeof useSegments>['data'],
  saves: SegmentSaves,
  setFilter: (filter: SegmentFilter) => void,
) {
  const t = useT();
  const finder = useFinder(documentId, filter, setFilter);
  const [opener] = useState(
    () => new SegmentOpener(finder, (position) => saves.all().get(position)?.confirmed === true),
  );
  const [reloaded] = useState(() => reloadedSegment(documentId));
  const { open: opened, next, late } = useSyncExternalStore(opener.subscribe, opener.state);
  opener.range = range;
  opener.finder = finder;
  // The list stays as it was loaded, so that no row moves or disappears after a decision. The loaded list has the index
  // then, and not the service, whose list has become shorter.
  const open = opened && { ...opened, index: opener.index };
  const there = open ? range?.at(open.index) : undefined;
  const row = there?.position === open?.position ? there : undefined;
  const isThere = row !== undefined;
  useEffect(() => {
    if (isThere) opener.arrived();
  });
  useKeystrokes(opener);
  const isLoaded = range !== undefined;
  useEffect(() => {
    if (isLoaded && opener.state().open === null) opener.start(reloaded).catch(() => undefined);
  }, [isLoaded, opener, reloaded]);
  const position = opened?.position;
  useEffect(() => {
    if (position !== undefined) sessionStorage.setItem(openKey, `${documentId} ${position}`);
  }, [documentId, position]);
  // Only a reload keeps the entry: a later visit begins with the first segment that is not confirmed.
  useEffect(() => () => sessionStorage.removeItem(openKey), []);
  const run = useCallback(
    (action: Promise<void>) => void action.catch((error) => announce(problemText(error, t))),
    [t],
  );
  return {
    open,
    row,
    next,
    late,
    openAt: useCallback((position: number) => run(opener.openAt(position)), [opener, run]),
    move: useCallback((step: number, takesFocus = true) => run(opener.move(step, takesFocus)), [opener, run]),
    moveToNextOpen: useCallback(() => run(opener.moveToNextOpen()), [opener, run]),
    moveToFinding(step: 1 | -1) {
      const at = { position: opened?.position ?? -1, isWarning: row?.status === 'warning' };
      const find = async () => {
        const position = await findingFrom(documentId, at, step);
        if (position === undefined) announce(t('editor.no_findings'));
        else await opener.openAt(position);
      };
      run(find());
    },
  };
}

/** The segment that this tab has open, for a reload: the document's ID and the position. */
const openKey = 'lingualoop-open-segment';

function reloadedSegment(documentId: string): number | undefined {
  const [id, position] = sessionStorage.getItem(openKey)?.split(' ') ?? [];
  return id === documentId ? Number(position) : undefined;
}

/** The position of the next or previous segment with an open finding. After the last one, the first one follows. */
async function findingFrom(
  documentId: string,
  at: { position: number; isWarning: boolean },
  step: 1 | -1,
): Promise<number | undefined> {
  const search = (query: { status: 'critical' | 'warning'; position?: number; offset?: number }) =>
    client.documents.search({ document_id: documentId, limit: 1, ...query });
  const [own, other] = at.isWarning ? (['warning', 'critical'] as const) : (['critical', 'warning'] as const);
  if (step === 1) {
    const places = [{ status: own, position: at.position + 1 }, { status: other }, { status: own }];
    for (const place of places) {
      const [found] = (await search(place)).segments;
      if (found) return found.position;
    }
    return undefined;
  }
  const before = (await search({ status: own, position: Math.max(0, at.position) })).first_index;
  for (const [status, count] of [[own, before] as const, [other] as const, [own] as const]) {
    const last = count ?? (await search({ status })).total;
    if (last > 0) return (await search({ status, offset: last - 1 })).segments[0]?.position;
  }
  return undefined;
}

/** Finds segments of a document that are not loaded. */
function useFinder(
  documentId: string,
  filter: SegmentFilter,
  setFilter: (filter: SegmentFilter) => void,
): SegmentFinder {
  const t = useT();
  const queries = useQueryClient();
  return useMemo(() => {
    const search = (place: { position?: number; offset?: number; confirmed?: false }) =>
      client.documents.search({ document_id: documentId, ...searched(filter), ...place, limit: 1 });
    return {
      isFiltered: Object.keys(filter).length > 0,
      indexOf: (position) => indexOf(documentId, filter, position),
      positionAt: async (index) => (await search({ offset: index })).segments[0]?.position,
      nextOpen: async (position) => {
        const page = await queries.fetchQuery({
          queryKey: queryKeys.documents.nextOpen(documentId, position),
          queryFn: () => search({ confirmed: false, position: position + 1 }),
          staleTime: 0,
        });
        return page.segments[0]?.position;
      },
      reload: () => queries.invalidateQueries({ queryKey: queryKeys.documents.allSegments(documentId) }),
      showAll: (position) => {
        setFilter({});
        announce(t('documents.filters_cleared'));
        return position;
      },
    };
  }, [documentId, filter, setFilter, queries, t]);
}

/** Reports each keystroke in the field of a translation to the opener. */
function useKeystrokes(opener: SegmentOpener): void {
  useEffect(() => {
    const onInput = ({ target }: Event) => {
      if ((target as Element).matches('[data-edited]')) opener.typed();
    };
    document.addEventListener('input', onInput);
    return () => document.removeEventListener('input', onInput);
  }, [opener]);
}
