import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react';
import type { TenantDocumentJob } from '#sdk/types.ts';
import { client } from '../client.ts';
import { useT } from '../i18n.tsx';
import { useCommands } from '../keys/use-commands.ts';
import { announce } from '../parts/announcer.tsx';
import { plainName } from '../parts/language-text.tsx';
import { Read } from '../parts/loading.tsx';
import { queryKeys } from '../query-keys.ts';
import type { SegmentFilter } from '../screens/documents/search.ts';
import { indexOf, useSegments } from '../screens/documents/use-segments.ts';
import { ApproveDialog } from './approve-dialog.tsx';
import { DocumentNotices } from './document-notices.tsx';
import styles from './editor.module.css';
import { EditorFoot } from './editor-foot.tsx';
import { EditorHead } from './editor-head.tsx';
import { FindReplace } from './find-replace.tsx';
import { type OpenField, OpenSegment } from './open-segment.tsx';
import { SegmentGrid } from './segment-grid.tsx';
import type { SegmentSaves } from './segment-saves.ts';
import { SidePanel } from './side-panel.tsx';
import { StatusFilters } from './status-filters.tsx';
import { useDecisions } from './use-decisions.ts';
import { usePresence } from './use-presence.ts';

/** `/app/edit/documents/{id}`: the segments of a document, one of them open in its place. */
export function DocumentEditorScreen() {
  const { documentId } = useParams({ from: '/workspace/app/edit/documents/$documentId' });
  const document = useQuery({
    queryKey: queryKeys.documents.document(documentId),
    queryFn: () => client.documents.get(documentId),
  });
  return (
    <Read from={document} lines={20} heading="documents.name">
      {(found) => <DocumentEditor key={found.id} document={found} />}
    </Read>
  );
}

function DocumentEditor({ document }: { document: TenantDocumentJob }) {
  const t = useT();
  const { id, request, status, source_file_name: name } = document;
  const languages = useMemo(
    () => ({ source: request.source_lang, target: request.target_lang }),
    [request.source_lang, request.target_lang],
  );
  const { filter, setFilter } = useFilter(id);
  const { saves, undo, redo, canUndo, remember } = useDecisions(id);
  const outline = useQuery({
    queryKey: queryKeys.documents.outline(id),
    queryFn: () => client.documents.outline(id),
  });
  const [visible, setVisible] = useState<readonly [number, number]>([0, 0]);
  const segments = useSegments(id, filter, visible);
  const { open, openSegment, openAt, move, moveToNextOpen } = useOpenSegment(
    id,
    filter,
    segments.data,
    saves,
  );
  const { others, holders } = usePresence(id, open?.position);
  useReturned(saves, openAt);
  const field = useRef<OpenField>(null);
  const search = useRef<HTMLInputElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [isApproving, setApproving] = useState(false);
  const isReadOnly = status !== 'translated' || document.approved_at !== null;

  useCommands({
    nextItem: () => move(1),
    previousItem: () => move(-1),
    listDown: () => move(1),
    listUp: () => move(-1),
    open: () => field.current?.focus(),
    undoDecision: () => void undo(),
    redoDecision: () => void redo(),
    save: () => void saves.flush(),
    find: () => search.current?.focus(),
    toList: () => body.current?.querySelector<HTMLElement>('[role=grid]')?.focus(),
    findText: () => search.current?.focus(),
  });
  return (
    <>
      <title>{`${plainName(name)} · LinguaLoop`}</title>
      <div className={styles['editor']} data-editor>
        <EditorHead document={document} others={others} onApprove={() => setApproving(true)} />
        <DocumentNotices document={document} />
        <StatusFilters
          outline={outline.data}
          filter={filter}
          search={search}
          canReplace={!isReadOnly}
          onChange={setFilter}
        />
        <div ref={body} className={styles['body']}>
          <Read from={segments} lines={20}>
            {(range) => (
              <SegmentGrid
                key={JSON.stringify(filter)}
                range={range}
                saves={saves}
                languages={languages}
                sought={filter.text}
                open={open}
                holders={holders}
                onOpen={openAt}
                onVisible={setVisible}
                renderOpen={(segment) => (
                  <OpenSegment
                    key={segment.position}
                    documentId={id}
                    segment={segment}
                    saves={saves}
                    languages={languages}
                    sought={filter.text}
                    isReadOnly={isReadOnly}
                    field={field}
                    onConfirmed={() => {
                      announce(t('editor.confirmed', { number: segment.position + 1 }));
                      moveToNextOpen();
                    }}
                  />
                )}
              />
            )}
          </Read>
          <SidePanel
            document={document}
            segment={openSegment}
            languages={languages}
            field={field}
            onOpen={openAt}
            onFilter={setFilter}
          />
        </div>
        <EditorFoot outline={outline.data} saves={saves} canUndo={canUndo} />
      </div>
      {!isReadOnly && (
        <FindReplace
          documentId={id}
          languages={languages}
          filter={filter}
          saves={saves}
          holders={holders}
          onChanged={remember}
        />
      )}
      {isApproving && (
        <ApproveDialog
          document={document}
          outline={outline.data}
          onDone={remember}
          onClose={() => setApproving(false)}
        />
      )}
    </>
  );
}

/** The filter of the segments, which is part of the URL. */
function useFilter(documentId: string) {
  const navigate = useNavigate();
  const filter = useSearch({ from: '/workspace/app/edit/documents/$documentId' });
  const setFilter = useCallback(
    (search: SegmentFilter) =>
      void navigate({
        to: '/app/edit/documents/$documentId',
        params: { documentId },
        search,
        replace: true,
        resetScroll: false,
      }),
    [navigate, documentId],
  );
  return { filter, setFilter };
}

/** The open segment, and how to open another one. The first segment that is not confirmed is opened at the start. */
function useOpenSegment(
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
function useReturned(saves: SegmentSaves, openAt: (position: number) => void) {
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
