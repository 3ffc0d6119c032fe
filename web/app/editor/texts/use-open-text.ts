import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { procedures } from '../../procedures.ts';
import type { SegmentSaves } from '../segment-saves.ts';
import type { TextFilter, TextSearch } from './filters.ts';
import type { TextList, TextSegment } from './text-list.ts';
import { claimFirst } from './use-claims.ts';
import type { Shown } from './use-shown.ts';

/** Milliseconds after which the URL is changed to that of the open text. The router is slow, so the text is shown first. */
const addressAfter = 150;

interface Props {
  list: TextList;
  /** The rows of the grid. */
  range: Shown;
  filter: TextFilter;
  saves: SegmentSaves;
  /** The parameters of the URL. */
  search: TextSearch;
}

/** The open text, and how to open another one. At the start it is that of the URL, or one that no one has claimed. */
export function useOpenText({ list, range, filter, saves, search }: Props) {
  const t = useT();
  const { segments: shown } = range;
  const [opened, setOpened] = useState<{ position: number | null; takesFocus: boolean }>({
    position: null,
    takesFocus: true,
  });
  const { position, takesFocus } = opened;
  const setPosition = useCallback((position: number | null) => setOpened({ position, takesFocus: true }), []);
  const known = useRef({ range, shown, position });
  known.current = { range, shown, position };
  const index = shown.findIndex((segment) => segment.position === position);
  const segment = shown[index];

  /** @param takesFocus whether the field gets the focus; otherwise the list keeps it */
  const move = useCallback((step: number, takesFocus = true) => {
    const { shown, position } = known.current;
    const index = shown.findIndex((segment) => segment.position === position);
    const next = shown[index < 0 ? 0 : Math.min(Math.max(index + step, 0), shown.length - 1)];
    if (next) setOpened({ position: next.position, takesFocus });
  }, []);
  const isFree = useCallback(
    ({ position, confirmed_at, holders }: TextSegment) =>
      confirmed_at === null && holders.length === 0 && !saves.all().get(position)?.confirmed,
    [saves],
  );
  /** Opens the next text that awaits a decision and that no one else has open: below, then from the top. */
  const moveToNextOpen = useCallback(() => {
    const { shown, position } = known.current;
    const index = shown.findIndex((segment) => segment.position === position);
    const next = [...shown.slice(index + 1), ...shown.slice(0, Math.max(index, 0))].find(isFree);
    if (next) setPosition(next.position);
    return next !== undefined;
  }, [isFree, setPosition]);

  // The same function at each render, so that only the rows that changed are drawn again.
  const openAt = useCallback(
    (position: number) => {
      const { range } = known.current;
      if (range.indexOf(position) === undefined) range.reveal(position);
      setPosition(position);
    },
    [setPosition],
  );
  useStart({
    list,
    shown,
    filter,
    search,
    isShown: position === null || segment !== undefined,
    isFree,
    open: setPosition,
    // The reviewer may have opened another text in the meantime.
    openFirst: (first) =>
      setOpened((now) => (now.position === null ? { position: first, takesFocus: true } : now)),
  });
  useAddress(segment?.id, search, (id) => {
    const at = list.positionOf(id);
    if (at !== undefined) return openAt(at);
    procedures.reviews.texts.query({ job_ids: [id] }).then(
      ({ texts }) => {
        list.take(texts);
        const found = list.positionOf(id);
        if (found !== undefined) openAt(found);
      },
      () => undefined,
    );
  });
  const moveToFinding = (step: 1 | -1) => {
    const own = segment?.status === 'warning' ? 'warning' : 'critical';
    const found = (['critical', 'warning'] as const).flatMap((status) =>
      shown.flatMap((one, place) => (one.status === status ? [{ ...one, place }] : [])),
    );
    const isBefore = ({ status, place }: (typeof found)[number]) =>
      status === own ? place < index : own === 'warning';
    const before = found.filter(isBefore).length;
    const isFound = found[before]?.place === index;
    const next = found.at((before + (step === 1 ? Number(isFound) : -1)) % Math.max(1, found.length));
    if (next) openAt(next.position);
    else announce(t('editor.no_findings'));
  };
  const upcoming = shown.slice(index + 1).find(isFree);
  return {
    open: segment ? { position: segment.position, index, takesFocus } : null,
    row: segment,
    upcoming,
    openAt,
    move,
    moveToNextOpen,
    moveToFinding,
  };
}

/** Opens the first text when the list is loaded, or when a filter no longer shows the open one. */
function useStart({
  list,
  shown,
  filter,
  search: { item: addressed },
  isShown,
  isFree,
  open,
  openFirst,
}: Omit<Props, 'saves' | 'range'> & {
  shown: readonly TextSegment[];
  /** Whether the open text is among the shown ones, or none is open. */
  isShown: boolean;
  isFree: (segment: TextSegment) => boolean;
  open: (position: number) => void;
  /** Opens a text if none is open. */
  openFirst: (position: number) => void;
}) {
  const isBegun = useRef(false);
  const begin = useEffectEvent(openFirst);
  useEffect(() => {
    if (shown.length === 0) return;
    if (isBegun.current) {
      // The open text does not match the filter by status.
      if (!isShown) open((shown.find(isFree) ?? (shown[0] as TextSegment)).position);
      return;
    }
    isBegun.current = true;
    const named = addressed === undefined ? undefined : list.positionOf(addressed);
    if (named !== undefined) return open(named);
    const first = (shown.find(isFree) ?? (shown[0] as TextSegment)).position;
    // The service selects a text by languages and reason only. Two members who begin at the same time get other texts.
    const { source: _, target: __, trigger: ___, ...others } = filter;
    if (Object.keys(others).length > 0) return open(first);
    claimFirst(filter).then(
      (id) => begin((id === undefined ? undefined : list.positionOf(id)) ?? first),
      () => begin(first),
    );
  }, [list, shown, filter, addressed, isShown, isFree, open]);
}

/**
 * The URL names the open text, so that a reload or a shared link opens the same one.
 * @param onAddress called when a link in the application leads to another text
 */
function useAddress(id: string | undefined, search: TextSearch, onAddress: (id: string) => void) {
  const navigate = useNavigate();
  const { item: addressed } = search;
  const written = useRef(new Set([addressed]));
  const write = useEffectEvent((item: string) => {
    // The member is already going to another screen.
    if (!location.pathname.endsWith('/app/edit/texts')) return;
    void navigate({ to: '/app/edit/texts', search: { ...search, item }, replace: true, resetScroll: false });
  });
  useEffect(() => {
    if (id === undefined) return;
    written.current.add(id);
    const timer = setTimeout(() => write(id), addressAfter);
    return () => clearTimeout(timer);
  }, [id]);
  const follow = useEffectEvent(onAddress);
  useEffect(() => {
    if (addressed !== undefined && !written.current.has(addressed)) follow(addressed);
  }, [addressed]);
}
